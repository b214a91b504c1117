// Graphs to start from: nodes by short name with their place and settings, wires as `Node.Pin > Node.Pin`.
type Node = readonly [type: string, x: number, y: number, properties?: Record<string, unknown>]
export type Starter = {
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
/** The cosine of 3°: the built-in ground leans at most about 6°. */
const STEEP = 0.9986
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
    about: 'Trees around a closed spline tagged “Clearing”, which stays free, with a fence along it.',
    nodes: {
      Ground: ['GetLandscape', 0, 0],
      Sample: ['SurfaceSampler', 280, 0, { PointsPerSquaredMeter: 0.15, PointSteepness: 1 }],
      Clearing: ['GetSpline', 0, 240, tagged('Clearing')],
      Inside: ['CreateSurfaceFromSpline', 280, 120],
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
      'Clearing.Out > Inside.In',
      'Inside.Out > Free.Differences',
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
    about: 'Points on the landscape, kept where the ground leans more than 3°, with a rock on each.',
    nodes: {
      Ground: ['GetLandscape', 0, 0],
      Sample: ['SurfaceSampler', 280, 0, { PointsPerSquaredMeter: 0.15, PointSteepness: 1 }],
      Slope: ['NormalToDensity', 560, 0],
      Steep: ['DensityFilter', 840, 0, { LowerBound: 0, UpperBound: STEEP }],
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
