// The editor bridge behind the gateway's idea of an editor host.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { editorHost } from './pcg.ts'

const SETTINGS = { PCG_ENABLED: true, PCG_QUEUE_MAX: 8, PCG_CALL_TIMEOUT_MS: 60_000 } as const
const CONTEXT = { actor: 'desktop:someone', source: 'mcp', requestId: 'r' } as const

it.each([
  ['it is switched off', { ...SETTINGS, PCG_ENABLED: false, DATA_DIR: tmpdir() }],
  ['there is nowhere to keep a project', { ...SETTINGS, DATA_DIR: null }],
])('is absent when %s', (_why, settings) => {
  expect(editorHost(settings)).toBeNull()
})

it('opens an editor that lists its tools, answers a call and says what was wrong with one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-pcg-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const editor = await editorHost({ ...SETTINGS, DATA_DIR: folder })?.open({
    name: 'pcg',
    driver: 'embedded',
    url: null,
    token: null,
    autoConnect: true,
    sidecarDir: null,
  })
  if (!editor) throw new Error('no editor')
  onTestFinished(() => editor.close())
  expect(editor.state()).toMatchObject({ status: 'connected' })
  expect(editor.tools.tools).toHaveLength(20)
  expect(await editor.tools.call('no_such_tool', {}, CONTEXT)).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
  expect(await editor.tools.call('create_pcg_graph', { name: 'Forest' }, CONTEXT)).toMatchObject({ ok: true })
  expect(existsSync(path.join(folder, 'pcg-project'))).toBe(true)
})
