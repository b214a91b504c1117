// Undo in a real editor: a turn goes back as one transaction, and never over what others changed since.
import { describe, expect, it } from 'vitest'
import type { CallContext, UndoSelection } from '../contract/index.ts'
import { double, editor, fails, WHO } from './connection.fixture.ts'
import { NO_PYTHON, ownGroup, startDouble } from './double.fixture.ts'
import type { UnrealEditor } from './index.ts'

const PERSON: CallContext = { actor: 'person', source: 'ui' }
const AGENT: CallContext = { actor: 'agent', source: 'mcp', batchId: 'turn', label: 'Scatter trees' }
const TURN = { batchId: 'turn' } as const

async function opened() {
  const made = await double({ remoteControl: {} })
  const from = editor({ driver: 'remote-control', url: made.remoteControl })
  await from.connect()
  return { made, from, ...(await graphIn(from)) }
}
async function graphIn(from: UnrealEditor) {
  const { asset_path } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, PERSON)
  const at = { pcg_graph_path: asset_path }
  const add = async (node_type: string, who = PERSON) =>
    (await from.tools.add_pcg_node({ ...at, node_type }, who)).node_name
  const connect = (from_node: string, to_node: string, who = PERSON) =>
    from.tools.connect_pcg_nodes({ ...at, from_node, to_node }, who)
  const set = (node_name: string, properties: Record<string, unknown>, who = PERSON) =>
    from.tools.set_pcg_node_properties({ ...at, node_name, properties }, who)
  const state = async () => {
    const { nodes, edges } = await from.tools.get_pcg_graph_info(at, PERSON)
    const properties = await Promise.all(
      nodes.map(({ node_name }) => from.tools.get_pcg_node_properties({ ...at, node_name }, PERSON)),
    )
    return { nodes: properties.map((node) => [node.settings_class, node.properties]), edges }
  }
  return { at, add, connect, set, state }
}
const undo = (from: UnrealEditor, selection: UndoSelection, dryRun = false) => from.undo(selection, PERSON, dryRun)

describe.skipIf(NO_PYTHON)(`undo in Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  it('takes a turn back as one transaction of the editor: nodes, edges, settings, parameters, components, a volume', async () => {
    const { made, from, at, add, connect, set, state } = await opened()
    expect(from.capabilities).toContain('undo')
    const sampler = await add('PCGSurfaceSamplerSettings')
    await from.tools.add_pcg_graph_parameter({ ...at, name: 'Density', type: 'float' }, PERSON)
    await from.tools.add_pcg_component({ actor_name: 'StaticMeshActor_1' }, PERSON)
    const before = await state()

    const filter = await add('PCGDensityFilterSettings', AGENT)
    await connect(sampler, filter, AGENT)
    await set(filter, { LowerBound: 0.25 }, AGENT)
    await set(filter, { LowerBound: 0.75 }, AGENT)
    await set(sampler, { PointsPerSquaredMeter: 3 }, AGENT)
    await from.tools.set_pcg_graph_parameter({ ...at, name: 'Density', value: '0.5' }, AGENT)
    const actor_name = 'StaticMeshActor_1'
    await from.tools.set_pcg_component_properties(
      { actor_name, properties: { Seed: 7, Graph: at.pcg_graph_path } },
      AGENT,
    )
    const volume = await from.tools.spawn_pcg_volume({ extent: [100, 100, 100], ...at }, AGENT)

    const asked = (await made.ledger()).requests.length
    const dry = await undo(from, TURN, true)
    expect(dry).toMatchObject({ applied: 0, failed: null })
    expect(dry.calls.map(({ tool }) => tool)).toContain('remove_pcg_node')
    const done = await undo(from, TURN)
    expect(done).toMatchObject({ applied: 8, failed: null })
    const { requests, transactions } = await made.ledger()
    expect(requests.slice(asked).filter((op) => !op.startsWith('read_'))).toEqual(['revert'])
    expect(transactions.at(-1)).toBe('Gantry: Scatter trees')

    expect(await state()).toEqual(before)
    expect((await from.tools.get_pcg_graph_parameters(at, PERSON)).parameters).toMatchObject([{ value: 0 }])
    expect(await from.tools.get_pcg_component_info({ actor_name }, PERSON)).toMatchObject({
      seed: 42,
      graph_path: null,
    })
    expect((await fails(from.tools.get_pcg_component_info({ actor_name: volume.actor_name }, PERSON))).code).toBe(
      'ACTOR_NOT_FOUND',
    )
    const history = from.history({ limit: 50 })
    expect(history.filter(({ batchId }) => batchId === 'turn').every(({ undone }) => undone)).toBe(true)
    expect(history.find(({ tool }) => tool === 'undo')).toMatchObject({ actor: 'person', undoable: false })
    expect((await fails(undo(from, TURN))).message).toContain('no such change')
  })

  it('restores a removed node with its settings, title, position and edges, under the name the editor gives it', async () => {
    const { from, at, add, connect, set, state } = await opened()
    const sampler = await add('PCGSurfaceSamplerSettings')
    await connect('Input', sampler)
    await connect(sampler, 'Output')
    await set(sampler, { PointsPerSquaredMeter: 3 })
    await from.place(at.pcg_graph_path, { nodes: { [sampler]: { x: 40, y: 50 } }, comments: [] })
    const before = await state()
    await from.tools.remove_pcg_node({ ...at, node_name: sampler }, AGENT)
    expect(await undo(from, { author: 'agent' })).toMatchObject({ failed: null })
    const after = await state()
    expect(after.nodes).toEqual(before.nodes)
    expect(after.edges).toHaveLength(before.edges.length)
    expect((await from.inspection.get_pcg_graph_layout?.(at))?.nodes).toMatchObject([{ x: 40, y: 50 }])
  })

  it('changes nothing when another person connected the node, or changed the value, in Gantry or in the editor', async () => {
    const { made, from, add, connect, set, state, at } = await opened()
    const filter = await add('PCGDensityFilterSettings', AGENT)
    await set(filter, { LowerBound: 0.25 }, { ...AGENT, batchId: 'second' })
    // A second connection stands for the person in the editor: the first has no record of its edits.
    const inEditor = editor({ driver: 'remote-control', url: made.remoteControl })
    await inEditor.connect()
    await inEditor.tools.set_pcg_node_properties({ ...at, node_name: filter, properties: { LowerBound: 0.5 } }, WHO)
    await connect(filter, 'Output')
    const before = await state()
    expect((await undo(from, { batchId: 'second' })).failed?.message).toContain(
      `LowerBound of ${filter} was changed since`,
    )
    expect((await undo(from, TURN)).failed?.message).toContain('was made since')
    expect(await state()).toEqual(before)
  })

  it('gives back the edge that a connection replaced', async () => {
    const { made, from, at, add, connect, state } = await opened()
    const [a, b, target] = [
      await add('PCGCreateAttributeSetSettings'),
      await add('PCGCreateAttributeSetSettings'),
      await add('PCGSurfaceSamplerSettings'),
    ]
    const overrides = (node: string, who: CallContext) =>
      from.tools.connect_pcg_nodes({ ...at, from_node: node, to_node: target, to_pin: 'Overrides' }, who)
    await made.order({ do: 'single', graph: at.pcg_graph_path, node: target, pin: 'Overrides' })
    await overrides(a, PERSON)
    await connect('Input', target)
    const before = await state()
    await overrides(b, AGENT)
    expect((await state()).edges).toHaveLength(before.edges.length)
    expect(await undo(from, TURN)).toMatchObject({ failed: null })
    expect(new Set((await state()).edges.map((edge) => JSON.stringify(edge)))).toEqual(
      new Set(before.edges.map((edge) => JSON.stringify(edge))),
    )
  })

  it('reports a failed save, and what no step leads back from', async () => {
    const { made, from, at, add } = await opened()
    expect((await fails(undo(from, { changeId: 1 }))).message).toContain('create_pcg_graph cannot be undone')
    await add('PCGDensityFilterSettings', AGENT)
    await made.order({ do: 'refuse_saves', on: true })
    expect((await undo(from, TURN)).failed?.message).toContain('Everything was undone but not saved')
    expect((await from.tools.get_pcg_graph_info(at, PERSON)).node_count).toBe(0)
  })

  it('after a restart of the editor a removed node is not restored, and nothing else of the turn changes', async () => {
    const group = ownGroup()
    const made = await double({ remoteExecution: { group } })
    const from = editor({ driver: 'remote-execution', url: `udp://${group}` })
    await from.connect()
    const { at, add } = await graphIn(from)
    const node_name = await add('PCGDensityFilterSettings')
    await from.tools.remove_pcg_node({ ...at, node_name }, AGENT)
    made.kill()
    const again = await startDouble({ remoteExecution: { group }, project: made.project })
    try {
      await expect.poll(() => from.state().status, { timeout: 15_000 }).not.toBe('connected')
      await expect
        .poll(
          () =>
            from.connect().then(
              () => true,
              () => false,
            ),
          { timeout: 15_000 },
        )
        .toBe(true)
      await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, PERSON)
      expect((await fails(undo(from, TURN))).message).toContain(`no longer holds ${node_name}`)
    } finally {
      await again.dispose()
    }
  }, 40_000)
})
