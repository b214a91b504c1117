// The state of a real editor while its game thread does not answer, and what its calls do.
import { mkdir, writeFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallContext, EditorEvent } from '../contract/index.ts'
import { createHosted } from '../hosted/hosted.ts'
import { activityFrom, type Signals } from './activity.ts'
import { double, editor, fails, types, until, WHO } from './connection.fixture.ts'
import { NO_PYTHON, ownGroup, startDouble } from './double.fixture.ts'
import { readLines } from './editor-log.ts'

const PERSON: CallContext = { actor: 'person', source: 'ui' }
const QUIET: Signals = { link: 'up', callMs: 0, op: null, watched: null, log: null, crash: null }

describe.skipIf(NO_PYTHON)(`activity of Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  async function opened(options: Parameters<typeof startDouble>[0] = {}) {
    const peer = await double({ remoteControl: {}, ...options })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    const events: EditorEvent[] = []
    from.subscribe((event) => events.push(event))
    await from.connect()
    const is = () => from.state().activity?.is
    await until(() => is() === 'ready')
    return { peer, from, events, is }
  }

  it('shows a modal window, refuses calls with its title, and answers it; the running call continues', async () => {
    const { peer, from, is, events } = await opened()
    const hosted = createHosted({ editor: from, sidecarDir: peer.project, queueMax: 8, callTimeoutMs: 60_000 })
    await peer.order({ do: 'dialog', title: 'Save Content', text: 'Save 2 packages?', buttons: ['&Save', 'Cancel'] })
    const running = types(from)
    await until(() => is() === 'dialog')
    expect(from.state().activity).toMatchObject({
      what: 'Save Content',
      dialog: { title: 'Save Content', text: 'Save 2 packages?', answers: [{ label: 'Save' }, { label: 'Cancel' }] },
    })
    const refused = await hosted.tools.call('list_pcg_node_types', {}, WHO)
    expect(refused).toMatchObject({ ok: false, code: 'EDITOR_BUSY' })
    expect(JSON.stringify(refused)).toContain('Save Content')
    const dialog = from.state().activity?.dialog
    expect(await hosted.answerDialog('another window', dialog?.answers[0]?.id ?? '')).toBe(false)
    expect(await hosted.answerDialog(dialog?.id ?? '', dialog?.answers[0]?.id ?? '')).toBe(true)
    expect((await running).count).toBeGreaterThan(200)
    expect((await peer.ledger()).closed_by).toEqual(['&Save'])
    await until(() => is() === 'ready')
    expect(events.filter(({ type }) => type === 'editor.activity').length).toBeGreaterThanOrEqual(3)
  })

  it('answers a window of Slate by its keys: its text and buttons are not visible to other programs', async () => {
    const { peer, from, is } = await opened()
    await peer.order({ do: 'dialog', title: 'Message' })
    await until(() => is() === 'dialog')
    const dialog = from.state().activity?.dialog
    expect(dialog).toMatchObject({ text: null, answers: [{ id: 'confirm' }, { id: 'cancel' }] })
    expect(await from.answerDialog?.(dialog?.id ?? '', 'no such answer')).toBe(false)
    expect(await from.answerDialog?.(dialog?.id ?? '', 'cancel')).toBe(true)
    expect((await peer.ledger()).closed_by).toEqual(['cancel'])
  }, 20_000)

  it('detects a window where the system shows none, and says that only the editor answers it', async () => {
    const { peer, from, is } = await opened({ windows: false })
    await peer.order({ do: 'dialog', title: 'Message' })
    await until(() => is() === 'dialog')
    expect(from.state().activity?.dialog?.answers).toEqual([])
    await peer.order({ do: 'close_dialog' })
    await until(() => is() === 'ready')
  })

  it('names what keeps the editor busy and how far it is, and the call waits', async () => {
    const { peer, from, is } = await opened()
    await peer.order({
      do: 'log',
      lines: ['[2026.11.26-10.00.00:000][ 12]LogStaticMesh: Display: Building static mesh 3/12'],
    })
    await peer.order({ do: 'hang', ms: 120_000 })
    const waiting = types(from)
    await until(() => is() === 'busy')
    expect(from.state().activity).toMatchObject({ what: 'Building static mesh 3/12', progress: 0.25 })
    await peer.order({ do: 'hang', ms: 0 })
    expect((await waiting).count).toBeGreaterThan(200)
    await until(() => is() === 'ready')
  })

  it('is compiling while shaders are left, and in Play until it ends', async () => {
    const { peer, from, is } = await opened()
    const log = (line: string) => peer.order({ do: 'log', lines: [`LogShaderCompilers: Display: ${line}`] })
    await log('Shaders left to compile 400')
    await log('Shaders left to compile 100')
    await until(() => from.state().activity?.progress === 0.75)
    expect(from.state().activity).toMatchObject({ is: 'compiling', what: 'shaders: 100 left' })
    await log('Shaders left to compile 0')
    await until(() => is() === 'ready')
    await peer.order({ do: 'play', on: true })
    await until(() => is() === 'playing')
    const error = await fails(from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO))
    expect(error).toMatchObject({ code: 'EDITOR_BUSY', message: expect.stringContaining('in Play') })
    expect((await types(from)).count).toBeGreaterThan(200)
  })

  it('names the reason of a crash, says that the call may have taken effect, and waits while it starts again', async () => {
    const { peer, from, is } = await opened()
    await peer.order({ do: 'dialog', title: 'x' })
    const running = fails(from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, PERSON))
    await until(() => is() === 'dialog')
    await peer.order({ do: 'crash', message: 'Assertion failed: Node != nullptr' }).catch(() => undefined)
    const error = await running
    expect(error.code).toBe('EDITOR_UNAVAILABLE')
    expect(error.message).toContain('may have taken effect')
    await until(() => is() === 'crashed')
    expect(from.state().activity?.what).toBe('Assertion failed: Node != nullptr')
  })

  it('a call that arrives while the editor starts waits for it and is made once', async () => {
    const group = ownGroup()
    const first = await double({ remoteExecution: { group } })
    const from = editor({ driver: 'remote-execution', url: `udp://${group}`, project: first.project })
    await from.connect()
    first.kill()
    await until(() => !['connected', 'busy'].includes(from.state().status))
    await writeStarting(first.project)
    await until(() => from.state().activity?.is === 'starting')
    const call = from.tools.create_pcg_graph({ name: 'Late', package_path: '/Game/PCG' }, PERSON)
    const again = await startDouble({ remoteExecution: { group }, project: first.project })
    onTestFinished(() => again.dispose())
    expect(await call).toMatchObject({ created: true })
    expect((await again.ledger()).requests.filter((op) => op === 'create_graph')).toHaveLength(1)
  }, 30_000)
})

async function writeStarting(project: string): Promise<void> {
  await mkdir(`${project}/Saved/Logs`, { recursive: true })
  await writeFile(`${project}/Saved/Logs/Double.log`, 'LogInit: Display: Loading modules 40%\n')
}

describe('what is read beside the game thread', () => {
  it('a crash in the log has its first reason', () => {
    const text = [
      'LogWindows: Error: === Critical error: ===',
      'LogWindows: Error: ',
      'LogWindows: Error: Fatal error!',
      'LogWindows: Error: Unhandled Exception: EXCEPTION_ACCESS_VIOLATION',
    ].join('\n')
    expect(readLines(text, 0)?.crash).toContain('EXCEPTION_ACCESS_VIOLATION')
    expect(activityFrom({ ...QUIET, link: 'down', log: readLines(text, 0) })).toMatchObject({ is: 'crashed' })
  })

  it('Live Coding compiles from its first to its last line', () => {
    const start = 'LogLiveCoding: Display: Starting Live Coding compile.'
    expect(readLines(start, 0)?.compiling).toContain('Live Coding')
    expect(readLines(`${start}\nLogLiveCoding: Display: Live coding succeeded`, 0)?.compiling).toBeNull()
  })

  it('an old line says nothing about now', () => {
    const line = 'LogShaderCompilers: Display: Shaders left to compile 7'
    expect(readLines(line, 60_000)).toMatchObject({ fresh: false, compiling: null, progress: null })
  })

  it('without a watch file a long call is all that is known', () => {
    expect(activityFrom({ ...QUIET, callMs: 5000, op: 'read_graph' })).toMatchObject({ is: 'busy', what: 'read_graph' })
    expect(activityFrom(QUIET)).toMatchObject({ is: 'ready' })
    expect(activityFrom({ ...QUIET, link: 'down' })).toBeNull()
  })
})
