// The life of a connection: what is refused, what a busy, dead, restarted or other editor does to a call.
import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CallContext, PcgError } from '../editor.ts'
import { type Double, type DoubleOptions, NO_PYTHON, ownGroup, startDouble } from './double.fixture.ts'
import { openUnrealEditor, type UnrealEditor, type UnrealOptions } from './index.ts'

const WHO: CallContext = { actor: 'test', source: 'mcp' }
/** The promise itself: the end of an editor is known within a second. */
const PROMISED_MS = 1000
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const item of opened.splice(0).reverse()) await item.close()
})

async function double(options: DoubleOptions): Promise<Double> {
  const started = await startDouble(options)
  opened.push({ close: () => started.dispose() })
  return started
}
function editor(options: UnrealOptions): UnrealEditor {
  const made = openUnrealEditor(options)
  opened.push(made)
  return made
}
async function fails(work: Promise<unknown>): Promise<PcgError> {
  const reason: unknown = await work.then(
    (value) => new Error(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (reason instanceof PcgError) return reason
  throw reason
}
const until = async (what: () => boolean) => {
  for (let i = 0; i < 600 && !what(); i += 1) await new Promise((resolve) => setTimeout(resolve, 25))
  expect(what()).toBe(true)
}
const types = (from: UnrealEditor) => from.tools.list_pcg_node_types({}, WHO)

type Way = {
  readonly name: string
  start(): Promise<{ peer: Double; options: UnrealOptions; again(): Promise<Double> }>
}
const WAYS: readonly Way[] = [
  {
    name: 'Remote Control',
    async start() {
      const peer = await double({ remoteControl: {} })
      const port = Number(new URL(peer.remoteControl).port)
      return {
        peer,
        options: { driver: 'remote-control', url: peer.remoteControl, autoConnect: false },
        again: () => double({ remoteControl: { port }, project: peer.project }),
      }
    },
  },
  {
    name: 'remote execution',
    async start() {
      const group = ownGroup()
      const peer = await double({ remoteExecution: { group } })
      return {
        peer,
        options: { driver: 'remote-execution', url: `udp://${group}`, autoConnect: false },
        again: () => double({ remoteExecution: { group }, project: peer.project }),
      }
    },
  },
]

describe.skipIf(NO_PYTHON)(`a connection to the double of Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  describe.each(WAYS)('over $name', ({ start }) => {
    it('an editor that dies during a call is told within a second, as an outcome that is not known', async () => {
      const { peer, options } = await start()
      const from = editor(options)
      await from.connect()
      await peer.order({ do: 'hang', ms: 30_000 })
      const call = fails(types(from))
      await new Promise((resolve) => setTimeout(resolve, 100))
      const killed = performance.now()
      peer.kill()
      const error = await call
      expect(performance.now() - killed).toBeLessThan(PROMISED_MS)
      expect(error).toMatchObject({ code: 'EDITOR_UNAVAILABLE', message: expect.stringContaining('read back') })
    })

    it('one that dies after the work and before the answer is told the same way, and not called again', async () => {
      const { peer, options } = await start()
      const from = editor(options)
      await from.connect()
      await peer.order({ do: 'garble', die_after: true })
      const error = await fails(from.tools.create_pcg_graph({ name: 'Once', package_path: '/Game/PCG' }, WHO))
      expect(error).toMatchObject({ code: 'EDITOR_UNAVAILABLE', message: expect.stringContaining('read back') })
      expect(await readdir(path.join(peer.project, 'Content', 'PCG'))).toEqual(['Once.uasset'])
    })

    it('one that dies while nothing runs is noticed within a second; the next one is used without a restart', async () => {
      const { peer, options, again } = await start()
      const from = editor(options)
      const log: string[] = []
      from.subscribe((event) => event.type === 'log' && log.push(event.text))
      await from.connect()
      expect(from.connection()).toMatchObject({ status: 'connected', proof: 'project folder' })
      const gone = new Promise((resolve) => from.onConnection((state) => state.identity === null && resolve(null)))
      const killed = performance.now()
      peer.kill()
      await gone
      expect(performance.now() - killed).toBeLessThan(PROMISED_MS)
      expect(log.join()).toContain('gone')
      const next = await again()
      await until(() => from.connection().identity?.pid === next.pid)
      expect((await types(from)).count).toBeGreaterThan(200)
    })

    it('a busy editor is busy, not gone: the call ends at its deadline, the next one waits its turn and is answered', async () => {
      const { peer, options } = await start()
      const from = editor({ ...options, callTimeoutMs: 1200 })
      await from.connect()
      const states = new Set<string>()
      from.onConnection((state) => states.add(state.status))
      await peer.order({ do: 'hang', ms: 3000 })
      const [late, queued] = await Promise.all([fails(types(from)), fails(types(from))])
      expect(late).toMatchObject({
        code: 'EDITOR_UNAVAILABLE',
        message: expect.stringContaining('may still take effect'),
      })
      expect(queued).toMatchObject({ code: 'EDITOR_BUSY' })
      await until(() => states.has('busy') && from.connection().status === 'connected')
      expect((await types(from)).count).toBeGreaterThan(200)
    })

    it('calls made at once run one after another, each answered with its own result', async () => {
      const { options } = await start()
      const from = editor(options)
      await from.connect()
      const names = Array.from({ length: 40 }, (_, i) => `Many_${i}`)
      const made = await Promise.all(
        names.map((name) => from.tools.create_pcg_graph({ name, package_path: '/Game/PCG' }, WHO)),
      )
      expect(made.map((answer) => answer.graph_name)).toEqual(names)
    })

    it('an editor that lost the program gets it again, and the call happens once', async () => {
      const { peer, options } = await start()
      const from = editor(options)
      await from.connect()
      await peer.order({ do: 'forget' })
      const made = await from.tools.create_pcg_graph({ name: 'AfterAll', package_path: '/Game/PCG' }, WHO)
      expect(made).toMatchObject({ created: true })
    })

    it('answers that are garbled are errors, and the next call is fine', async () => {
      const { peer, options } = await start()
      const from = editor(options)
      await from.connect()
      for (const lines of [[], ['nothing of ours'], ['@gantry 00 1/1 {"id":"00","value":[]}'], ['@gantry x 1/2 {']]) {
        await peer.order({ do: 'garble', lines })
        expect(await fails(types(from))).toMatchObject({ code: 'EDITOR_ERROR' })
        expect((await types(from)).count).toBeGreaterThan(200)
      }
      await peer.order({ do: 'garble', lines_twice: true })
      expect(await fails(types(from))).toMatchObject({ code: 'EDITOR_ERROR' })
    })

    it('a cancelled call is let go at once; what follows still has its turn', async () => {
      const { peer, options } = await start()
      const from = editor(options)
      await from.connect()
      await peer.order({ do: 'hang', ms: 400 })
      const stop = new AbortController()
      const call = fails(from.tools.list_pcg_node_types({}, { ...WHO, signal: stop.signal }))
      stop.abort()
      expect((await call).message).toContain('Cancelled')
      expect((await types(from)).count).toBeGreaterThan(200)
    })
  })

  it('another project on the same port gets no call', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    peer.kill()
    await until(() => from.connection().identity === null)
    const other = await double({ remoteControl: { port: Number(new URL(peer.remoteControl).port) } })
    expect((await fails(types(from))).message).toContain('not that of')
    expect((await other.ledger()).requests).not.toContain('list_types')
    // Chosen anew by its user, the other one is taken.
    from.disconnect()
    await from.connect()
    expect(from.connection().identity?.project).toBe(other.project)
  })

  it('of several editors on one group the one of the project is taken; without a project they are named', async () => {
    const group = ownGroup()
    const [one, two] = [await double({ remoteExecution: { group } }), await double({ remoteExecution: { group } })]
    const options = { driver: 'remote-execution', url: `udp://${group}`, autoConnect: false } as const
    const error = await fails(editor(options).connect())
    for (const { project } of [one, two]) expect(error.message).toContain(project)
    const from = editor({ ...options, project: two.project })
    await from.connect()
    expect(from.connection().identity?.pid).toBe(two.pid)
    expect((await fails(editor({ ...options, project: '/no/such/project' }).connect())).message).toContain(one.project)
  })

  it('each way it can be switched off has its own way out', async () => {
    const refused = async (remoteControl: Record<string, unknown>) => {
      const peer = await double({ remoteControl })
      return (await fails(editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false }).connect()))
        .message
    }
    expect(await refused({ allowed: false })).toContain('+CustomAllowedRemoteFunctionCalls=(ClassPath=')
    expect(await refused({ python: false })).toContain('bEnableRemotePythonExecution=True')
    expect(await refused({ plugin: false })).toContain('Python Editor Script Plugin')
    const closed = editor({ driver: 'remote-control', url: 'http://127.0.0.1:9', autoConnect: false })
    expect((await fails(closed.connect())).message).toContain('nothing listens there')
    const silent = editor({ driver: 'remote-execution', url: `udp://${ownGroup()}`, autoConnect: false })
    expect((await fails(silent.connect())).message).toContain('Enable Remote Execution')
  })

  it('without the PCG plugin, in Play, and when saving is refused, the answer says so', async () => {
    const bare = await double({ remoteControl: {}, pcg: false })
    const without = editor({ driver: 'remote-control', url: bare.remoteControl, autoConnect: false })
    await without.connect()
    expect(await fails(types(without))).toMatchObject({ code: 'PLUGIN_DISABLED' })

    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const { asset_path } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO)
    await peer.order({ do: 'play', on: true })
    const add = () =>
      from.tools.add_pcg_node({ pcg_graph_path: asset_path, node_type: 'PCGDensityFilterSettings' }, WHO)
    expect(await fails(add())).toMatchObject({ code: 'EDITOR_BUSY', message: expect.stringContaining('Play') })
    await peer.order({ do: 'play', on: false })
    await peer.order({ do: 'refuse_saves', on: true })
    expect(await add()).toMatchObject({ saved: false, save_error: expect.stringContaining('read-only') })
    const named = { pcg_graph_path: asset_path, name: 'Seed', type: 'int' } as const
    expect((await fails(from.tools.add_pcg_graph_parameter(named, WHO))).message).toContain('not saved')
    await peer.order({ do: 'twins' })
    expect(await fails(from.tools.get_pcg_component_info({ actor_name: 'Twin' }, WHO))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('StaticMeshActor_1, StaticMeshActor_2'),
    })
  })

  it('nothing but two constant texts ever reaches the editor, whatever the tools are given', async () => {
    const peer = await double({ remoteControl: {}, mcp: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const { asset_path } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO)
    const at = { pcg_graph_path: asset_path }
    const { node_name } = await from.tools.add_pcg_node({ ...at, node_type: 'PCGAddTagSettings' }, WHO)
    const mark = path.join(peer.project, 'MARK')
    for (const text of [
      `"); import os; os.system("touch ${mark}") #`,
      `'); import os; os.system('touch ${mark}') #`,
      `'''\n__import__('os').system('touch ${mark}')\n'''`,
      '\\',
      '\u2028',
      '\u0000',
      '\ud800',
      `{__import__('os')}`,
    ]) {
      const tried = [
        from.tools.create_pcg_graph({ name: text, package_path: text }, WHO),
        from.tools.get_pcg_graph_info({ pcg_graph_path: text }, WHO),
        from.tools.add_pcg_node({ ...at, node_type: text }, WHO),
        from.tools.remove_pcg_node({ ...at, node_name: text }, WHO),
        from.tools.connect_pcg_nodes({ ...at, from_node: text, to_node: text, from_pin: text, to_pin: text }, WHO),
        from.tools.connect_pcg_nodes({ ...at, from_node: 'Input', to_node: node_name, to_pin: text }, WHO),
        from.tools.add_pcg_subgraph_node({ ...at, subgraph_path: text }, WHO),
        from.tools.set_pcg_node_properties({ ...at, node_name, properties: { TagsToAdd: text, [text]: text } }, WHO),
        from.tools.set_pcg_node_properties({ ...at, node_name, properties: { TagsToAdd: text } }, WHO),
        from.tools.add_pcg_graph_parameter({ ...at, name: text, type: 'string' }, WHO),
        from.tools.set_pcg_graph_parameter({ ...at, name: text, value: text }, WHO),
        from.tools.add_pcg_component({ actor_name: text, pcg_graph_path: text }, WHO),
        from.tools.set_pcg_component_properties({ actor_name: text, properties: { [text]: text } }, WHO),
        from.tools.spawn_pcg_volume({ name: text }, WHO),
      ]
      await Promise.allSettled(tried)
    }
    const { programs } = await peer.ledger()
    expect(programs).toHaveLength(2)
    expect(await readdir(peer.project)).not.toContain('MARK')
    const { properties } = await from.tools.get_pcg_node_properties({ ...at, node_name }, WHO)
    expect(properties['TagsToAdd']).toBe(`{__import__('os')}`)
  })

  it('paths and names that are none are refused before the editor is asked', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const before = (await peer.ledger()).requests.length
    for (const text of [
      '/Game/../Engine/X',
      '/Game//X',
      '/Game/./X',
      '/Game\\X',
      '/Engine/X',
      '/Script/PCG.PCGGraph',
      'C:\\X',
      '\\\\host\\s',
      '/Game/X.Y:Z',
      '/Game/%2e%2e/X',
      '/Game/\u2024\u2024/X',
      '/Game/X.',
      '/Game/X ',
      '/Game/CON',
      `/Game/${'x'.repeat(300)}`,
      `/Game/'X'`,
    ]) {
      const code = expect.stringMatching(/^(GRAPH_NOT_FOUND|INVALID_ARGUMENT)$/)
      expect(await fails(from.tools.get_pcg_graph_info({ pcg_graph_path: text }, WHO)), text).toMatchObject({ code })
      expect(await fails(from.tools.spawn_pcg_volume({ pcg_graph_path: text }, WHO)), text).toMatchObject({ code })
      expect(await fails(from.tools.create_pcg_graph({ name: 'A', package_path: text }, WHO)), text).toMatchObject({
        code,
      })
    }
    expect((await peer.ledger()).requests).toHaveLength(before)
  })

  it('a slow editor is told with the key that makes it quick', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    await types(from)
    expect(from.connection().hint).toBeNull()
    for (let i = 0; i < 3; i += 1) {
      await peer.order({ do: 'hang', ms: 600 })
      await types(from)
    }
    expect(from.connection().hint).toContain('bThrottleCPUWhenNotForeground=False')
  })

  it('many calls leave nothing open behind them', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const look = () => from.tools.get_pcg_graph_info({ pcg_graph_path: '/Game/PCG/None' }, WHO).catch(() => undefined)
    const settled = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return process.getActiveResourcesInfo().length
    }
    for (let i = 0; i < 20; i += 1) await look()
    const before = await settled()
    for (let i = 0; i < 400; i += 1) await look()
    expect(await settled()).toBeLessThanOrEqual(before + 5)
  })

  it('an engine before 5.8 wires and embeds too; what it cannot do is told with the way out', async () => {
    const peer = await double({ engine: '5.5.4', remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    expect(from.connection().identity).toMatchObject({
      features: { edge_ends: false, set_subgraph: false, toolsets: false },
    })
    const make = async (name: string) =>
      (await from.tools.create_pcg_graph({ name, package_path: '/Game/PCG' }, WHO)).asset_path
    const [pcg_graph_path, inner] = [await make('Outer'), await make('Inner')]
    const { node_name, subgraph_set } = await from.tools.add_pcg_subgraph_node(
      { pcg_graph_path, subgraph_path: inner },
      WHO,
    )
    expect(subgraph_set).toBe(true)
    await from.tools.connect_pcg_nodes({ pcg_graph_path, from_node: 'Input', to_node: node_name }, WHO)
    await from.tools.connect_pcg_nodes({ pcg_graph_path, from_node: node_name, to_node: 'Output' }, WHO)
    expect((await from.tools.get_pcg_graph_info({ pcg_graph_path }, WHO)).edges).toEqual([
      { from_node: 'DefaultInputNode', from_pin: 'In', to_node: node_name, to_pin: 'In' },
      { from_node: node_name, from_pin: 'Out', to_node: 'DefaultOutputNode', to_pin: 'Out' },
    ])
    const error = await fails(from.tools.add_pcg_graph_parameter({ pcg_graph_path, name: 'A', type: 'int' }, WHO))
    expect(error.message).toMatch(/UE 5\.5\.4 cannot add .* use UE 5\.8 .* graph editor/)
  })

  it('places nodes, lists graphs and actors, and remembers who changed what', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const { asset_path } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO)
    const at = { pcg_graph_path: asset_path }
    const { node_name } = await from.tools.add_pcg_node({ ...at, node_type: 'DensityFilter' }, WHO)
    await from.place(asset_path, { nodes: { [node_name]: { x: 120.4, y: -8 }, Nobody: { x: 1, y: 1 } }, comments: [] })
    expect(await from.inspection.get_pcg_graph_layout?.(at)).toMatchObject({ nodes: [{ node_name, x: 120, y: -8 }] })
    expect(await from.inspection.list_pcg_graphs?.({})).toMatchObject({
      graphs: [{ asset_path, kind: 'graph', node_count: 1 }],
    })
    const listed = await from.inspection.list_pcg_actors?.({})
    expect(listed?.actors[0]).toMatchObject({ actor_name: 'StaticMeshActor_1', bounds_extent: [100, 100, 100] })
    expect(from.history({ limit: 9 }).map(({ tool, actor }) => [tool, actor])).toEqual([
      ['add_pcg_node', 'test'],
      ['create_pcg_graph', 'test'],
    ])
    expect((await fails(from.undo({ author: 'test' }, WHO))).message).toContain('Ctrl+Z')
  })

  it('listens on this machine only, and on no known port', async ({ skip }) => {
    const { stdout: sockets } = spawnSync('ss', ['-Hltun'], { encoding: 'utf8' })
    if (!sockets) skip('skipped: no ss on this machine')
    const group = ownGroup()
    await double({ remoteExecution: { group } })
    const from = editor({ driver: 'remote-execution', url: `udp://${group}`, autoConnect: false })
    await from.connect()
    const { stdout } = spawnSync('ss', ['-Hltunp'], { encoding: 'utf8' })
    const own = stdout.split('\n').filter((line) => line.includes(`pid=${process.pid},`))
    const open = own.filter((line) => !/(127\.0\.0\.1|\[::1\]|239\.77\.\d+\.\d+):\d+/.test(line))
    expect(open).toEqual([])
  })
})
