// The graph in the pictures: a forest that keeps clear of a clearing, a fence on its border, rocks where it is steep.
import { setTimeout as wait } from 'node:timers/promises'

type Fields = Readonly<Record<string, unknown>>
type Node = readonly [type: string, x: number, y: number, properties?: Fields]
/** Calls a tool of the embedded editor and answers its fields. */
export type CallTool = (tool: string, args: Fields) => Promise<Fields>

const tagged = (tag: string): Fields => ({ ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: tag } })
const meshes = (...names: readonly string[]): Fields => ({
  MeshSelectorParameters: {
    MeshEntries: names.map((name, at) => ({ Descriptor: { StaticMesh: name }, Weight: at + 1 })),
  },
})

const NODES: Readonly<Record<string, Node>> = {
  Ground: ['GetLandscape', 0, 60],
  Sample: ['SurfaceSampler', 280, 60, { PointsPerSquaredMeter: 0.15, PointSteepness: 1 }],
  Clearing: ['GetSpline', 280, 300, tagged('Clearing')],
  Free: ['Difference', 560, 60, { DensityFunction: 'Binary' }],
  Turn: ['TransformPoints', 840, 0, { RotationMax: [0, 360, 0], ScaleMin: [0.8, 0.8, 0.8], ScaleMax: [1.2, 1.2, 1.2] }],
  Noise: ['DensityNoise', 1120, 0],
  Some: ['DensityFilter', 1400, 0, { LowerBound: 0.4 }],
  Apart: ['SelfPruning', 1680, 0],
  Trees: ['StaticMeshSpawner', 1960, 0, meshes('/Game/Bush', '/Game/Tree')],
  Slope: ['NormalToDensity', 840, 180],
  Steep: ['DensityFilter', 1120, 180, { LowerBound: 0, UpperBound: 0.99 }],
  Rocks: ['StaticMeshSpawner', 1400, 180, meshes('/Game/Rock')],
  Posts: [
    'SplineSampler',
    560,
    360,
    { SamplerParams: { Mode: 'Distance', DistanceIncrement: 200, bFitToCurve: true } },
  ],
  Down: ['Projection', 840, 360, { ProjectionParams: { bProjectRotations: false } }],
  Fence: ['StaticMeshSpawner', 1120, 360, meshes('/Game/Post')],
}
const WIRES = [
  'Ground.Out > Sample.Surface',
  'Sample.Out > Free.Source',
  'Clearing.Out > Free.Differences',
  'Free.Out > Turn.In',
  'Turn.Out > Noise.In',
  'Noise.Out > Some.In',
  'Some.Out > Apart.In',
  'Apart.Out > Trees.In',
  'Trees.Out > Output.Out',
  'Free.Out > Slope.In',
  'Slope.Out > Steep.In',
  'Steep.Out > Rocks.In',
  'Clearing.Out > Posts.Spline',
  'Posts.Out > Down.In',
  'Ground.Out > Down.Projection Target',
  'Down.Out > Fence.In',
]

/** Answers its path and how it lies, for its caller to save. */
export async function buildForest(call: CallTool): Promise<{ readonly graph: string; readonly layout: Fields }> {
  const graph = String((await call('create_pcg_graph', { name: 'Forest' })).asset_path)
  const at = { pcg_graph_path: graph }
  const names: Record<string, string> = {}
  const nodes: Record<string, Fields> = { DefaultInputNode: { x: -280, y: 60 }, DefaultOutputNode: { x: 2240, y: 0 } }
  for (const [label, [type, x, y, properties]] of Object.entries(NODES)) {
    const node_name = String((await call('add_pcg_node', { ...at, node_type: `PCG${type}Settings` })).node_name)
    names[label] = node_name
    nodes[node_name] = { x, y }
    if (properties) await call('set_pcg_node_properties', { ...at, node_name, properties })
  }
  for (const wire of WIRES) {
    const [from = '', from_pin, to = '', to_pin] = wire.split(/ > |\./)
    await call('connect_pcg_nodes', {
      ...at,
      from_node: names[from] ?? from,
      from_pin,
      to_node: names[to] ?? to,
      to_pin,
    })
  }
  for (const [name, type] of [
    ['TreeDensity', 'float'],
    ['Season', 'string'],
  ])
    await call('add_pcg_graph_parameter', { ...at, name, type })
  await call('set_pcg_graph_parameter', { ...at, name: 'TreeDensity', value: '0.15' })
  const { actor_name } = await call('spawn_pcg_volume', { ...at, name: 'ForestVolume', extent: [4000, 4000, 2000] })
  await call('generate_pcg_component', { actor_name })
  while ((await call('get_pcg_component_info', { actor_name })).is_generating) await wait(20)
  const comment = (id: string, x: number, y: number, w: number, h: number, text: string, color: string): Fields => ({
    id,
    x,
    y,
    w,
    h,
    text,
    color,
    nodes: [],
  })
  const comments = [
    comment('trees', 820, -60, 1370, 190, 'Trees, thinned out and kept apart', 'green'),
    comment('fence', 540, 310, 810, 180, 'A fence around the clearing', 'orange'),
  ]
  return { graph, layout: { nodes, comments } }
}
