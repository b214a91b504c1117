// What artists need first of a real editor and what no listing can prove: each step says what it wrote and what it read.
import { isDeepStrictEqual } from 'node:util'
import { INSPECTION } from '#pcg-catalog'
import { counted } from '../pcg-bridge/editor/counted.ts'
import type { UnrealEditor } from '../pcg-bridge/unreal/index.ts'
import { toolsIn } from '../pcg-bridge/unreal/toolset.ts'
import type { Call, Say } from './unreal-check.ts'

/** A mesh that every editor has. */
const CUBE = '/Engine/BasicShapes/Cube'
const SELECTORS = ['$Position.Z', '$BoundsMin', '$Index', 'Height.X', '@Data.Height']
const PLUGIN_GRAPHS = /^\/(?!Game\/)/
const SETTLE_MS = 60_000

type Step = { readonly call: Call; readonly say: Say; readonly graph: string; readonly folder: string }

async function meshes({ call, say, graph }: Step): Promise<void> {
  const at = { pcg_graph_path: graph }
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGStaticMeshSpawnerSettings' })
  const entries = { MeshSelectorParameters: { MeshEntries: [{ Mesh: CUBE, Weight: 2 }] } }
  const { properties } = await call('set_pcg_node_properties', { ...at, node_name, properties: entries })
  const stored = JSON.stringify(properties['MeshSelectorParameters'])
  say(stored.includes(CUBE) ? 'ok' : 'failed', `mesh entries: wrote ${CUBE}, weight 2; read ${stored}`)
}

async function selectors({ call, say, graph }: Step): Promise<void> {
  const at = { pcg_graph_path: graph }
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGAttributeFilteringSettings' })
  for (const wanted of SELECTORS)
    try {
      const set = await call('set_pcg_node_properties', { ...at, node_name, properties: { TargetAttribute: wanted } })
      const read = set.properties['TargetAttribute']
      say(read === wanted ? 'ok' : 'failed', `selector ${wanted}: read ${JSON.stringify(read)}`)
    } catch (error) {
      say('differs', `selector ${wanted}: ${error instanceof Error ? error.message : String(error)}`)
    }
}

async function pluginGraph(editor: UnrealEditor, { call, say }: Step): Promise<void> {
  const { graphs } = (await editor.inspection.list_pcg_graphs?.({})) ?? { graphs: [] }
  const found = INSPECTION.list_pcg_graphs.output.shape.graphs
    .parse(graphs)
    .find(({ asset_path, kind }) => kind === 'graph' && PLUGIN_GRAPHS.test(asset_path))
  if (!found) return say('note', 'plugin graph: none in this project (the plugin PCG Biome Core brings some)')
  const info = await call('get_pcg_graph_info', { pcg_graph_path: found.asset_path })
  say(
    'ok',
    `plugin graph ${found.asset_path}: ${counted(info.node_count, 'node')}, ${counted(info.edge_count, 'edge')}`,
  )
}

async function overridePin({ call, say, graph }: Step): Promise<void> {
  const at = { pcg_graph_path: graph }
  const value = await call('add_pcg_node', { ...at, node_type: 'PCGCreateAttributeSetSettings' })
  const sampler = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
  const ends = { ...at, from_node: value.node_name, to_node: sampler.node_name, to_pin: 'PointsPerSquaredMeter' }
  const { to_pin } = await call('connect_pcg_nodes', ends)
  say('ok', `override pin PointsPerSquaredMeter: the editor calls it '${to_pin}'`)
}

/** Scatters on a partitioned volume, and again after an edit: both counts must follow. */
async function partitioned({ call, say, folder }: Step): Promise<void> {
  const made = await call('create_pcg_graph', { name: `Partitioned_${Date.now().toString(36)}`, package_path: folder })
  const at = { pcg_graph_path: made.asset_path }
  const add = async (node_type: string) => (await call('add_pcg_node', { ...at, node_type })).node_name
  const [ground, sampler, spawner] = [
    await add('PCGCreatePointsGridSettings'),
    await add('PCGDensityFilterSettings'),
    await add('PCGStaticMeshSpawnerSettings'),
  ]
  await call('connect_pcg_nodes', { ...at, from_node: ground, to_node: sampler })
  await call('connect_pcg_nodes', { ...at, from_node: sampler, to_node: spawner })
  await call('connect_pcg_nodes', { ...at, from_node: spawner, to_node: 'Output' })
  const properties = { MeshSelectorParameters: { MeshEntries: [{ Mesh: CUBE, Weight: 1 }] } }
  await call('set_pcg_node_properties', { ...at, node_name: spawner, properties })
  const { actor_name } = await call('spawn_pcg_volume', { location: [0, 0, 0], extent: [2000, 2000, 500], ...at })
  const set = await call('set_pcg_component_properties', { actor_name, properties: { bIsComponentPartitioned: true } })
  say(set.failed.length === 0 ? 'ok' : 'differs', `partitioned: ${JSON.stringify(set.applied)}`)
  await call('generate_pcg_component', { actor_name, force: true })
  const until = performance.now() + SETTLE_MS
  let info = await call('get_pcg_component_info', { actor_name })
  while ((info.is_generating || !info.generated) && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    info = await call('get_pcg_component_info', { actor_name })
  }
  const data = await call('get_pcg_generated_data', { actor_name })
  say(
    info.generated && (data.note ?? '').includes('Spawned') ? 'ok' : 'failed',
    `partitioned component ${actor_name}: generated ${info.generated}; ${data.output_data_count} data; ${data.note ?? ''}`,
  )
  const cleaned = await call('cleanup_pcg_component', { actor_name, remove_components: true })
  const after = await call('get_pcg_generated_data', { actor_name })
  const clean = cleaned.cleaned && isDeepStrictEqual(after.data, [])
  say(clean ? 'ok' : 'failed', `partitioned component cleaned ${cleaned.cleaned}; ${after.output_data_count} data left`)
  say('note', `to remove: the actor ${actor_name} from the level`)
}

/** A turn that makes, wires, sets and removes; afterwards the graph is as before. */
async function undoTurn(editor: UnrealEditor, { call, say, folder }: Step): Promise<void> {
  const made = await call('create_pcg_graph', { name: `Undo_${Date.now().toString(36)}`, package_path: folder })
  const at = { pcg_graph_path: made.asset_path }
  const { node_name: kept } = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
  await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: kept })
  const who = { actor: 'unreal-check', source: 'mcp', batchId: `undo-${made.graph_name}`, label: 'undo check' } as const
  const { node_name } = await editor.tools.add_pcg_node({ ...at, node_type: 'PCGDensityFilterSettings' }, who)
  await editor.tools.connect_pcg_nodes({ ...at, from_node: kept, to_node: node_name }, who)
  await editor.tools.set_pcg_node_properties({ ...at, node_name, properties: { LowerBound: 0.25 } }, who)
  await editor.tools.remove_pcg_node({ ...at, node_name: kept }, who)
  const { applied, failed } = await editor.undo({ batchId: who.batchId }, who)
  const after = await call('get_pcg_graph_info', at)
  const whole = failed === null && after.node_count === 1 && after.edge_count === 1
  say(
    whole ? 'ok' : 'failed',
    `undo of 4 edits: ${counted(applied, 'step')}, ${failed?.message ?? 'all done'}; ${counted(after.node_count, 'node')}, ${counted(after.edge_count, 'edge')}; the removed ${kept} is now ${after.nodes[0]?.node_name}`,
  )
}

/** From 5.8: a comment around one node, made, changed and removed. */
async function commentBox(editor: UnrealEditor, { call, say, folder }: Step): Promise<void> {
  if (!editor.capabilities.includes('comments'))
    return say('differs', 'comment box: the editor lists no tool for it (UE 5.8 with the plugin PCG Toolset does)')
  const made = await call('create_pcg_graph', { name: `Comment_${Date.now().toString(36)}`, package_path: folder })
  const { asset_path: graph } = made
  const { node_name } = await call('add_pcg_node', { pcg_graph_path: graph, node_type: 'PCGMergeSettings' })
  const layout = (...texts: string[]) => ({
    nodes: { [node_name]: { x: 0, y: 0 } },
    comments: texts.map((text) => ({ id: 'check', x: 0, y: 0, w: 100, h: 100, text, nodes: [node_name] })),
  })
  const first = await editor.place(graph, layout('Gantry made this'))
  const second = await editor.place(graph, layout('Gantry changed this'), first)
  const same = first['check'] !== undefined && first['check'].box === second['check']?.box
  say(same ? 'ok' : 'failed', `comment box in ${graph}: ${first['check']?.box}, after a change ${second['check']?.box}`)
}

/** From 5.8: what the editor lists, and the data of a node after a generation that records it. */
async function nodeData(editor: UnrealEditor, { call, say, folder }: Step): Promise<void> {
  const described = toolsIn(editor.connection().identity?.tools ?? [])
  for (const [name, { properties, required }] of described)
    say(
      'note',
      `tool ${name} takes ${Object.keys(properties)
        .map((key) => (required.includes(key) ? key : `${key}?`))
        .join(', ')}`,
    )
  const look = editor.inspection.get_pcg_node_data
  if (!look || !editor.capabilities.includes('nodeData'))
    return say('differs', 'node data: the editor lists no tool for it (UE 5.8 with the plugin PCG Toolset does)')
  const made = await call('create_pcg_graph', { name: `Data_${Date.now().toString(36)}`, package_path: folder })
  const at = { pcg_graph_path: made.asset_path }
  const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGCreatePointsGridSettings' })
  await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
  const { actor_name } = await call('spawn_pcg_volume', { location: [0, 0, 0], extent: [1000, 1000, 500], ...at })
  const input = INSPECTION.get_pcg_node_data.input.parse({ actor_name, node_name, limit: 3 })
  const early = await look(input).then(
    () => 'shown at once',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  say('note', `node data before a generation: ${early}`)
  await call('cleanup_pcg_component', { actor_name, remove_components: true })
  await call('generate_pcg_component', { actor_name, force: true })
  const until = performance.now() + SETTLE_MS
  while ((await call('get_pcg_component_info', { actor_name })).is_generating && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 200))
  const page = await look(input)
  say(
    page.rows.length > 0 ? 'ok' : 'failed',
    `node data of ${node_name}: ${page.data_count} data, at least ${counted(page.row_count, 'row')}, columns ${page.columns.map(({ name }) => name).join(' ')}; first row ${JSON.stringify(page.rows[0] ?? null)}`,
  )
  say('note', `to remove: the actor ${actor_name} from the level`)
}

export async function firstHour(
  editor: UnrealEditor,
  given: Step,
  step: (name: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await step('mesh entries', () => meshes(given))
  await step('selectors', () => selectors(given))
  await step('plugin graph', () => pluginGraph(editor, given))
  await step('override pin', () => overridePin(given))
  await step('partitioned component', () => partitioned(given))
  await step('undo', () => undoTurn(editor, given))
  await step('comment box', () => commentBox(editor, given))
  await step('node data', () => nodeData(editor, given))
}
