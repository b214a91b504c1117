// The embedded editor behind the gateway's idea of a local backend.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { localBackends } from './pcg.ts'

const SETTINGS = { PCG_ENABLED: true, PCG_QUEUE_MAX: 8, PCG_CALL_TIMEOUT_MS: 60_000 } as const
const CONTEXT = { actor: 'desktop:someone', requestId: 'r', onCancel: () => {}, onProgress: () => {} }

it.each([
  ['it is switched off', { ...SETTINGS, PCG_ENABLED: false, DATA_DIR: tmpdir() }],
  ['there is nowhere to keep a project', { ...SETTINGS, DATA_DIR: null }],
])('there is none when %s', async (_why, settings) => {
  expect(await localBackends(settings)).toEqual([])
})

it('lists its tools, answers a call and says what was wrong with one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-pcg-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [backend, ...more] = await localBackends({ ...SETTINGS, DATA_DIR: folder })
  if (!backend) throw new Error('no backend')
  onTestFinished(() => backend.close())
  expect(more).toEqual([])
  expect(backend.name).toBe('pcg')
  expect(backend.tools).toHaveLength(20)
  expect(await backend.call('no_such_tool', {}, CONTEXT)).toMatchObject({ ok: false, busy: false, unavailable: false })
  expect(await backend.call('create_pcg_graph', { name: 'Forest' }, CONTEXT)).toMatchObject({ ok: true })
  expect(existsSync(path.join(folder, 'pcg-project'))).toBe(true)
})
