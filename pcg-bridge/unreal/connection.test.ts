// The life of a connection: what a busy, dead, restarted or garbling editor does to a call, over either way.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { double, editor, fails, types, until, WHO } from './connection.fixture.ts'
import { type Double, NO_PYTHON, ownGroup } from './double.fixture.ts'
import { type UnrealOptions } from './index.ts'

/** The promise itself: the end of an editor is known within a second. */
/** A second is promised, to an idle machine; without the notice, each would take the 30 s of the call. */
const PROMISED_MS = 10_000
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
    it('an editor that dies during a call is reported within a second, with an unknown outcome (security case PC-08)', async () => {
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

    it('one that dies after the work and before the answer is reported the same way, and not called again (security case PC-08)', async () => {
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

    it('a busy editor is busy, not gone: the call ends at its deadline, the next one waits its turn and is answered (security case PC-15)', async () => {
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

    it('calls made at once run one after another, each answered with its own result (security case PC-10)', async () => {
      const { options } = await start()
      const from = editor(options)
      await from.connect()
      const names = Array.from({ length: 50 }, (_, i) => `Many_${i}`)
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

    it('answers that are garbled are errors, and the next call is fine (security case PC-09)', async () => {
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

  it('a slow editor is reported with the setting that makes it quick', async () => {
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

  it('many calls leave nothing open behind them (security case PC-23)', async () => {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const look = () => from.tools.get_pcg_graph_info({ pcg_graph_path: '/Game/PCG/None' }, WHO).catch(() => undefined)
    const open = () => process.getActiveResourcesInfo().length
    for (let i = 0; i < 20; i += 1) await look()
    const before = open()
    for (let i = 0; i < 400; i += 1) await look()
    await expect.poll(open).toBeLessThanOrEqual(before + 5)
  })

  it('an engine before 5.8 wires and embeds too; what it cannot do is reported with the way out', async () => {
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
    // A new node is at (0, 0), where all of them are: that is no place.
    expect(await from.inspection.get_pcg_graph_layout?.(at)).toMatchObject({ nodes: [] })
    await from.place(asset_path, { nodes: { [node_name]: { x: 120.4, y: -8 }, Missing: { x: 1, y: 1 } }, comments: [] })
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
    expect((await fails(from.undo({ author: 'someone' }, WHO))).message).toContain('no such change')
  })
})
