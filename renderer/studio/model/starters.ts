// Graphs to begin from: what stands in a new graph when somebody chooses one. Each is a clip, as if it had been pasted.
import type { Clip } from './clipboard.ts'

type Node = readonly [type: string, x: number, y: number, properties?: Record<string, unknown>]
type Starter = {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly nodes: Readonly<Record<string, Node>>
  readonly wires: readonly string[]
}

const tagged = (tag: string) => ({ ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: tag } })
const meshes = (...names: readonly string[]) => ({
  MeshSelectorParameters: {
    MeshEntries: names.map((name, at) => ({ Descriptor: { StaticMesh: name }, Weight: at + 1 })),
  },
})
const TURNED = { RotationMax: [0, 360, 0], ScaleMin: [0.8, 0.8, 0.8], ScaleMax: [1.2, 1.2, 1.2] }

export const STARTERS: readonly Starter[] = [
  {
    id: 'scatter',
    name: 'Scatter on the ground',
    about: 'Points on the landscape, thinned by noise, kept apart and turned, with a mesh on each.',
    nodes: {
      Ground: ['GetLandscape', 0, 0],
      Sample: ['SurfaceSampler', 280, 0, { PointsPerSquaredMeter: 0.15, PointSteepness: 1 }],
      Noise: ['DensityNoise', 560, 0],
      Some: ['DensityFilter', 840, 0, { LowerBound: 0.4 }],
      Apart: ['SelfPruning', 1120, 0],
      Turn: ['TransformPoints', 1400, 0, TURNED],
      Spawn: ['StaticMeshSpawner', 1680, 0, meshes('/Game/Bush', '/Game/Tree')],
    },
    wires: [
      'Ground.Out > Sample.Surface',
      'Sample.Out > Noise.In',
      'Noise.Out > Some.In',
      'Some.Out > Apart.In',
      'Apart.Out > Turn.In',
      'Turn.Out > Spawn.In',
    ],
  },
  {
    id: 'clearing',
    name: 'Forest with a clearing',
    about: 'The same around a closed spline tagged “Clearing”, which stays free, with a fence along it.',
    nodes: {
      Ground: ['GetLandscape', 0, 0],
      Sample: ['SurfaceSampler', 280, 0, { PointsPerSquaredMeter: 0.15, PointSteepness: 1 }],
      Clearing: ['GetSpline', 280, 240, tagged('Clearing')],
      Free: ['Difference', 560, 0, { DensityFunction: 'Binary' }],
      Turn: ['TransformPoints', 840, 0, TURNED],
      Apart: ['SelfPruning', 1120, 0],
      Trees: ['StaticMeshSpawner', 1400, 0, meshes('/Game/Bush', '/Game/Tree')],
      Posts: [
        'SplineSampler',
        560,
        240,
        { SamplerParams: { Mode: 'Distance', DistanceIncrement: 200, bFitToCurve: true } },
      ],
      Down: ['Projection', 840, 240, { ProjectionParams: { bProjectRotations: false } }],
      Fence: ['StaticMeshSpawner', 1120, 240, meshes('/Game/Post')],
    },
    wires: [
      'Ground.Out > Sample.Surface',
      'Sample.Out > Free.Source',
      'Clearing.Out > Free.Differences',
      'Free.Out > Turn.In',
      'Turn.Out > Apart.In',
      'Apart.Out > Trees.In',
      'Clearing.Out > Posts.Spline',
      'Posts.Out > Down.In',
      'Ground.Out > Down.Projection Target',
      'Down.Out > Fence.In',
    ],
  },
  {
    id: 'slope',
    name: 'Rocks where it is steep',
    about: 'Points on the landscape, kept where the ground leans, with a rock on each.',
    nodes: {
      Ground: ['GetLandscape', 0, 0],
      Sample: ['SurfaceSampler', 280, 0, { PointsPerSquaredMeter: 0.15, PointSteepness: 1 }],
      Slope: ['NormalToDensity', 560, 0],
      Steep: ['DensityFilter', 840, 0, { LowerBound: 0, UpperBound: 0.99 }],
      Turn: ['TransformPoints', 1120, 0, TURNED],
      Rocks: ['StaticMeshSpawner', 1400, 0, meshes('/Game/Rock')],
    },
    wires: [
      'Ground.Out > Sample.Surface',
      'Sample.Out > Slope.In',
      'Slope.Out > Steep.In',
      'Steep.Out > Turn.In',
      'Turn.Out > Rocks.In',
    ],
  },
]

export function starterClip({ nodes, wires }: Starter): Clip {
  return {
    kind: 'gantry.pcg-nodes',
    version: 1,
    nodes: Object.entries(nodes).map(([id, [type, x, y, properties = {}]]) => ({
      id,
      type: `PCG${type}Settings`,
      properties,
      x,
      y,
    })),
    edges: wires.map((wire) => {
      const [from = '', fromPin = '', to = '', toPin = ''] = wire.split(/ > |\./)
      return { from, fromPin, to, toPin }
    }),
    comments: [],
  }
}
