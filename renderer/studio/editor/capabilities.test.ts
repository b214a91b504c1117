import { expect, it } from 'vitest'
import { reasonAgainst } from './capabilities.ts'

const editor = {
  name: 'unreal',
  driver: 'remote-control' as const,
  url: null,
  status: 'connected' as const,
  error: null,
  project: null,
  level: null,
  engine: null,
  capabilities: ['nodePositions' as const, 'listGraphs' as const, 'generate' as const],
  queue: { running: null, waiting: 0 },
  latencyMs: null,
  lastSeenAt: null,
  activity: null,
  leases: [],
  autoConnect: true,
  sidecarDir: null,
  projectDir: null,
  tokenSet: false,
  revision: 1,
  createdAt: '',
  updatedAt: '',
  createdBy: null,
}

it('a disconnected editor has no capability, and gives the reason', () => {
  expect(reasonAgainst(undefined, 'edit')).toContain('no longer exists')
  expect(reasonAgainst({ ...editor, status: 'disconnected' }, 'edit')).toContain('connect it first')
  expect(reasonAgainst({ ...editor, status: 'error', error: 'no answer' }, 'generate')).toContain('no answer')
})

it('a busy editor is available: its calls wait', () => {
  expect(reasonAgainst({ ...editor, status: 'busy' }, 'edit')).toBeNull()
})

it('refuses with its reason only what the driver cannot do', () => {
  expect(reasonAgainst(editor, 'generate')).toBeNull()
  expect(reasonAgainst(editor, 'undo')).toContain('Ctrl+Z')
  expect(reasonAgainst(editor, 'nodeData')).toContain('Unreal')
})
