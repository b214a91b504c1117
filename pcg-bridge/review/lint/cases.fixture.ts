// A graph on which each rule fires, and the nearest one on which it must not.
import { emptyGraph, type GraphDoc } from '../../editor/document.ts'
import { fromAsset } from '../asset.ts'
import type { ReviewGraph } from '../graph.ts'

type Nodes = Readonly<Record<string, string | readonly [type: string, settings: Record<string, unknown>]>>
type More = Partial<Pick<GraphDoc, 'parameters' | 'inputPins' | 'outputPins'>> & {
  readonly path?: string
  readonly titles?: Readonly<Record<string, string>>
}

/** Nodes by name with their class, bare or whole; wires as `A.Out > B.In`, where `A > B` has the usual pins. */
export function graph(nodes: Nodes, wires = '', { path, titles = {}, ...more }: More = {}): ReviewGraph {
  const end = (name: string) => (name === 'Input' ? 'DefaultInputNode' : name === 'Output' ? 'DefaultOutputNode' : name)
  const doc: GraphDoc = {
    ...emptyGraph(),
    ...more,
    nodes: Object.entries(nodes).map(([name, given]) => {
      const [type, properties] = typeof given === 'string' ? [given, {}] : given
      const title = titles[name]
      return {
        name,
        class: type.startsWith('PCG') ? type : `PCG${type}Settings`,
        properties,
        ...(title === undefined ? {} : { title }),
      }
    }),
    edges: wires
      .split(',')
      .filter((wire) => wire.trim() !== '')
      .map((wire) => {
        const [left = '', right = ''] = wire.split(' > ').map((each) => each.trim())
        const [from = '', fromPin = from === 'Input' ? 'In' : 'Out'] = left.split('.')
        const [to = '', toPin = to === 'Output' ? 'Out' : 'In'] = right.split('.')
        return { from: end(from), fromPin, to: end(to), toPin }
      }),
  }
  return fromAsset(doc, path ?? null)
}

const mesh = (...entries: object[]) =>
  ['StaticMeshSpawner', { MeshSelectorParameters: { MeshEntries: entries } }] as const
const PINE = { Descriptor: { StaticMesh: '/Game/Pine' }, Weight: 1 }
const count = (value: string | number, type: 'int' | 'string' = 'int', name = 'Count') => ({
  parameters: [{ name, type, value }],
})
const GET = ['UserParameterGet', { PropertyName: 'Count' }] as const
const grid = 'CreatePointsGrid'
const sampled = (settings: Record<string, unknown>, more = ''): ReviewGraph =>
  graph({ S: ['SurfaceSampler', settings] }, `Input > S.Surface, S > Output${more}`)
const filtered = (settings: Record<string, unknown>) =>
  graph({ G: grid, F: ['DensityFilter', settings] }, 'G > F, F > Output')
const moved = (settings: Record<string, unknown>) =>
  graph({ G: grid, T: ['TransformPoints', settings] }, 'G > T, T > Output')
const one = (type: string, settings: Record<string, unknown>, wires = 'N > Output') =>
  graph({ N: [type, settings] }, wires)
const tagged = (tag: string) =>
  one('GetSpline', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: tag } })

export type LintCase = { readonly rule: string; readonly fires: ReviewGraph; readonly clean: ReviewGraph }
const rule = (id: string, fires: ReviewGraph, clean: ReviewGraph): LintCase => ({ rule: id, fires, clean })

export const LINT_CASES: readonly LintCase[] = [
  rule('edge-end', graph({ M: 'Merge' }, 'Ghost > M, M > Output'), graph({ G: grid, M: 'Merge' }, 'G > M, M > Output')),
  rule(
    'edge-pin',
    graph({ G: grid, M: 'Merge' }, 'G > M.Nowhere, M > Output'),
    graph({ G: grid, M: 'Merge' }, 'G > M.Execution Dependency, M > Output'),
  ),
  rule(
    'edge-types',
    graph({ A: 'CreateAttributeSet', S: 'StaticMeshSpawner' }, 'A > S'),
    graph({ A: 'CreateAttributeSet', S: 'StaticMeshSpawner' }, 'A > S.Seed'),
  ),
  rule(
    'edge-twice',
    graph({ G: grid, M: 'Merge' }, 'G > M, G > M'),
    graph({ G: grid, H: grid, M: 'Merge' }, 'G > M, H > M'),
  ),
  rule(
    'single-pin',
    sampled({}, ', Input > S.Bounding Shape, Input > S.Bounding Shape'),
    sampled({}, ', Input > S.Bounding Shape'),
  ),
  rule('cycle', graph({ A: 'Merge', B: 'Merge' }, 'A > B, B > A'), graph({ A: 'Merge', B: 'Merge' }, 'A > B')),
  rule('duplicate-name', withName('A', 'B'), withName('A', 'C')),
  rule('parameter-value', graph({}, '', count('x')), graph({}, '', count('x', 'string'))),
  rule('unknown-class', graph({ N: 'PCGExSomethingSettings' }), graph({ N: 'Merge' })),
  rule('deprecated-class', graph({ N: 'DensityNoise' }), graph({ N: 'AttributeNoise' })),
  rule('not-executed', graph({ N: 'CustomHLSL' }), graph({ N: 'SurfaceSampler' })),
  rule('gpu-node', graph({ N: ['Merge', { bExecuteOnGPU: true }] }), graph({ N: ['Merge', { bExecuteOnGPU: false }] })),
  rule('unknown-setting', filtered({ 'Lower Bound': 0.2 }), filtered({ LowerBound: 0.2 })),
  rule('setting-type', filtered({ LowerBound: 'low' }), filtered({ LowerBound: 0.2 })),
  rule('setting-range', filtered({ LowerBound: -2 }), filtered({ LowerBound: 0 })),

  rule('empty-graph', graph({}), graph({ G: grid })),
  rule(
    'output-unconnected',
    graph({ G: grid, M: 'Merge' }, 'G > M'),
    graph({ G: grid, S: 'StaticMeshSpawner' }, 'G > S'),
  ),
  rule('required-input', graph({ F: 'DensityFilter' }, 'F > Output'), filtered({})),
  rule(
    'loose-node',
    graph({ G: grid, F: 'DensityFilter' }, 'G > Output'),
    graph({ G: grid, F: 'PrintElement' }, 'G > Output'),
  ),
  rule(
    'unused-result',
    graph({ G: grid, F: 'DensityFilter' }, 'G > F, G > Output'),
    graph({ G: grid, S: 'StaticMeshSpawner' }, 'G > S, G > Output'),
  ),
  rule(
    'no-data',
    graph({ F: 'DensityFilter', S: 'StaticMeshSpawner' }, 'F > S'),
    graph({ G: grid, F: 'DensityFilter', S: 'StaticMeshSpawner' }, 'G > F, F > S'),
  ),
  rule(
    'spawner-output',
    graph({ G: grid, S: 'StaticMeshSpawner' }, 'G > S, G > Output'),
    graph({ G: grid, S: 'StaticMeshSpawner' }, 'G > S, S > Output'),
  ),
  rule(
    'unread-input',
    graph({}, '', { inputPins: [{ label: 'Mask', types: ['Any'] }] }),
    graph({ M: 'Merge' }, 'Input.Mask > M', { inputPins: [{ label: 'Mask', types: ['Any'] }] }),
  ),
  rule(
    'unfed-output',
    graph({}, '', { outputPins: [{ label: 'Trees', types: ['Any'] }] }),
    graph({ G: grid }, 'G > Output.Trees', { outputPins: [{ label: 'Trees', types: ['Any'] }] }),
  ),
  rule(
    'single-merge',
    graph({ G: grid, M: 'Merge' }, 'G > M, M > Output'),
    graph({ G: grid, H: [grid, { CellSize: [50, 50, 50] }], M: 'Merge' }, 'G > M, H > M, M > Output'),
  ),
  rule(
    'no-differences',
    graph({ G: grid, D: 'Difference' }, 'G > D.Source, D > Output'),
    graph({ G: grid, D: 'Difference' }, 'G > D.Source, Input > D.Differences, D > Output'),
  ),
  rule(
    'own-difference',
    graph({ G: grid, D: 'Difference' }, 'G > D.Source, G > D.Differences'),
    graph({ G: grid, D: 'Difference' }, 'G > D.Source, Input > D.Differences'),
  ),
  rule(
    'duplicate-work',
    graph({ A: grid, B: grid, F: 'DensityFilter', S: 'StaticMeshSpawner' }, 'A > F, B > S, F > Output'),
    graph(
      { A: grid, B: [grid, { CellSize: [50, 50, 50] }], F: 'DensityFilter', S: 'StaticMeshSpawner' },
      'A > F, B > S, F > Output',
    ),
  ),
  rule('same-seed', twoSamplers({}), twoSamplers({ Seed: 7 })),
  rule(
    'lost-density',
    graph({ G: grid, A: 'DensityNoise', B: 'NormalToDensity' }, 'G > A, A > B, B > Output'),
    graph(
      { G: grid, A: 'DensityNoise', B: ['NormalToDensity', { DensityMode: 'Multiply' }] },
      'G > A, A > B, B > Output',
    ),
  ),
  rule(
    'subgraph-missing',
    graph({ N: 'Subgraph' }),
    graph({ N: ['Subgraph', { SubgraphOverride: '/Game/PCG/Thin' }] }),
  ),
  rule(
    'subgraph-itself',
    graph({ N: ['Subgraph', { SubgraphOverride: '/Game/PCG/Wood.Wood' }] }, '', { path: '/Game/PCG/Wood' }),
    graph({ N: ['Subgraph', { SubgraphOverride: '/Game/PCG/Woods' }] }, '', { path: '/Game/PCG/Wood' }),
  ),
  rule('disabled-node', filtered({ bEnabled: false }), filtered({ bEnabled: true })),

  rule(
    'missing-mesh',
    graph({ G: grid, S: mesh(PINE, { Weight: 2 }) }, 'G > S'),
    graph({ G: grid, S: mesh(PINE) }, 'G > S'),
  ),
  rule(
    'mesh-weight',
    graph({ G: grid, S: mesh({ ...PINE, Weight: 0 }) }, 'G > S'),
    graph({ G: grid, S: mesh(PINE) }, 'G > S'),
  ),
  rule('missing-actor-class', one('SpawnActor', {}), one('SpawnActor', { TemplateActorClass: '/Game/Tree.Tree_C' })),
  rule('zero-extents', sampled({ PointExtents: [50, 0, 50] }), sampled({ PointExtents: [50, 1, 50] })),
  rule('zero-density', sampled({ PointsPerSquaredMeter: 0 }), sampled({ PointsPerSquaredMeter: 0.001 })),
  rule('dense-sampler', sampled({ PointsPerSquaredMeter: 25 }), sampled({ PointsPerSquaredMeter: 10 })),
  rule(
    'small-voxels',
    one('VolumeSampler', { VoxelSize: [5, 100, 100] }),
    one('VolumeSampler', { VoxelSize: [10, 10, 10] }),
  ),
  rule('unbounded-sampler', sampled({ bUnbounded: true }), sampled({ bUnbounded: true }, ', Input > S.Bounding Shape')),
  rule(
    'unbounded-poisson',
    one('CreatePointsSphere', { SphereGeneration: 'Poisson', Radius: 100_000 }),
    one('CreatePointsSphere', { SphereGeneration: 'Poisson', Radius: 1000 }),
  ),
  rule('empty-range', filtered({ LowerBound: 0.8, UpperBound: 0.2 }), filtered({ LowerBound: 0.2, UpperBound: 0.8 })),
  rule('full-range', filtered({ LowerBound: 0 }), filtered({ LowerBound: 0.1 })),
  rule('crossed-range', moved({ ScaleMin: [2, 2, 2] }), moved({ ScaleMin: [0.5, 0.5, 0.5] })),
  rule('zero-scale', moved({ ScaleMin: [0, 0, 0], ScaleMax: [1, 0, 1] }), moved({ ScaleMin: [0, 0, 0] })),
  rule('no-transform', moved({ Seed: 3 }), moved({ RotationMax: [0, 360, 0] })),
  rule('no-pruning', one('SelfPruning', { Parameters: { PruningType: 'None' } }), one('SelfPruning', {})),
  rule('no-tag', tagged(''), tagged('Path')),
  rule('empty-tags', one('FilterByTag', {}), one('FilterByTag', { SelectedTags: 'Rock' })),
  rule('no-points', one('CreatePoints', {}), one('CreatePoints', { PointsToCreate: [{}] })),
  rule(
    'upward-ray',
    one('PCGWorldRaycastElementSettings', {}),
    one('PCGWorldRaycastElementSettings', { RayDirection: [0, 0, -1] }),
  ),
  rule(
    'choice-of-none',
    one('RandomChoice', { FixedNumber: 0 }),
    one('RandomChoice', { FixedNumber: 0, bFixedMode: false }),
  ),

  rule('unused-parameter', graph({ G: grid }, '', count(1)), graph({ P: GET }, '', count(1))),
  rule('unknown-parameter', graph({ P: GET }), graph({ P: GET }, '', count(1, 'int', 'count'))),
  rule('no-parameter', graph({ P: 'UserParameterGet' }), graph({ P: GET })),
  rule(
    'parameter-naming',
    graph({}, '', count(1, 'int', 'tree_density')),
    graph({}, '', count(1, 'int', 'TreeDensity2')),
  ),
  rule(
    'title-naming',
    graph({ A: 'Merge' }, '', { titles: { A: 'Trees ' } }),
    graph({ A: 'Merge' }, '', { titles: { A: 'All trees' } }),
  ),
  rule(
    'duplicate-title',
    graph({ A: 'Merge', B: 'Merge' }, '', { titles: { A: 'All', B: 'All' } }),
    graph({ A: 'Merge', B: 'Union' }, '', { titles: { A: 'All', B: 'All' } }),
  ),
  rule('debug-left', filtered({ bDebug: true }), filtered({})),
]

function twoSamplers(settings: Record<string, unknown>): ReviewGraph {
  return graph(
    { A: ['SurfaceSampler', { PointsPerSquaredMeter: 0.2 }], B: ['SurfaceSampler', settings] },
    'Input > A.Surface, Input > B.Surface, A > Output, B > Output',
  )
}
function withName(id: string, name: string): ReviewGraph {
  const plain = graph({ A: 'Merge', B: 'Merge' }, 'A > B')
  return {
    ...plain,
    nodes: new Map([...plain.nodes].map(([each, node]) => [each, each === id ? { ...node, name } : node])),
  }
}
