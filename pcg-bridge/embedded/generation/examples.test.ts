// Graphs as people build them, from the ground to the spawner; and one of them to the last bit.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { column, graphOf, held, type Nodes, planOf, runPlan, vectors, volume } from './graph.fixture.ts'

const world = (tag: string) => ({ ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: tag } })
const meshes = (...names: string[]) => ({
  MeshSelectorParameters: {
    MeshEntries: names.map((name, i) => ({ Descriptor: { StaticMesh: name }, Weight: i + 1 })),
  },
})

describe('a forest with a path through it', () => {
  const nodes: Nodes = {
    Ground: ['PCGGetLandscapeSettings'],
    Sample: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.5, PointSteepness: 1 }],
    Path: ['PCGGetSplineSettings', world('Path')],
    Along: [
      'PCGSplineSamplerSettings',
      { SamplerParams: { Mode: 'Distance', DistanceIncrement: 100, PointSteepness: 1 } },
    ],
    Wide: ['PCGBoundsModifierSettings', { Mode: 'Set', BoundsMin: [-150, -150, -1000], BoundsMax: [150, 150, 1000] }],
    Without: ['PCGDifferenceSettings', { DensityFunction: 'Binary' }],
    Vary: [
      'PCGTransformPointsSettings',
      {
        OffsetMin: [-30, -30, 0],
        OffsetMax: [30, 30, 0],
        RotationMax: [0, 360, 0],
        ScaleMin: [0.7, 0.7, 0.7],
        ScaleMax: [1.3, 1.3, 1.3],
      },
    ],
    Thin: ['PCGDensityNoiseSettings'],
    Some: ['PCGDensityFilterSettings', { LowerBound: 0.3 }],
    Apart: ['PCGSelfPruningSettings', { Parameters: { RadiusSimilarityFactor: 0.25 } }],
    Trees: ['PCGStaticMeshSpawnerSettings', meshes('/Game/Bush', '/Game/Tree')],
  }
  const edges = [
    'Ground.Out > Sample.Surface',
    'Path.Out > Along.Spline',
    'Along.Out > Wide.In',
    'Sample.Out > Without.Source',
    'Wide.Out > Without.Differences',
    'Without.Out > Vary.In',
    'Vary.Out > Thin.In',
    'Thin.Out > Some.In',
    'Some.Out > Apart.In',
    'Apart.Out > Trees.In',
    'Trees.Out > Output.Out',
  ]
  const plan = planOf(graphOf(nodes, edges), { actor: volume([2000, 2000, 2000]) })

  it('leaves the path free, keeps trees apart, and spawns by weight', () => {
    const path = vectors(held(plan, 'Along'))
    const trees = vectors(held(plan, 'Without'))
    expect(trees.length).toBeGreaterThan(400)
    for (const [x, y] of trees)
      for (const [px, py] of path) expect(Math.max(Math.abs(x - px), Math.abs(y - py))).toBeGreaterThan(100)
    const { spawned, output } = runPlan(plan)
    const [tree, bush] = ['/Game/Tree', '/Game/Bush'].map(
      (asset) => spawned.find((item) => item.asset === asset)?.instances ?? 0,
    )
    expect((tree ?? 0) + (bush ?? 0)).toBe(output[0]?.rows)
    expect(tree).toBeGreaterThan(bush ?? 0)
  })

  it('is the same to the last bit on every machine', () => {
    const hash = createHash('sha256')
      .update(JSON.stringify(held(plan, 'Apart').rows))
      .digest('hex')
    expect(hash).toBe('c7206fcbbec71289d602a46e8a2df81c2182f019ada8ffe26bea58071068d9fd')
  })
})

it('a fence: posts along a closed curve, on the ground, facing along it', () => {
  const graph = graphOf(
    {
      Curve: ['PCGGetSplineSettings', world('Clearing')],
      Posts: [
        'PCGSplineSamplerSettings',
        { SamplerParams: { Mode: 'Distance', DistanceIncrement: 200, bFitToCurve: true, bComputeAlpha: true } },
      ],
      Ground: ['PCGGetLandscapeSettings'],
      Down: ['PCGProjectionSettings', { ProjectionParams: { bProjectRotations: false } }],
      Spawn: ['PCGStaticMeshSpawnerSettings', meshes('/Game/Post')],
    },
    ['Curve.Out > Posts.Spline', 'Posts.Out > Down.In', 'Ground.Out > Down.Projection Target', 'Down.Out > Spawn.In'],
  )
  const plan = planOf(graph)
  expect(runPlan(plan).spawned).toEqual([
    { component: 'InstancedStaticMeshComponent', asset: '/Game/Post', instances: 32 },
  ])
  const alphas = column(held(plan, 'Down'), 'Alpha').map(Number)
  expect(alphas.every((alpha, i) => i === 0 || alpha >= (alphas[i - 1] ?? 0))).toBe(true)
})

it('villages: clusters of small points around scattered large ones', () => {
  const graph = graphOf(
    {
      Ground: ['PCGGetLandscapeSettings'],
      Centers: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.005 }],
      Houses: [
        'PCGCreatePointsSphereSettings',
        {
          SphereGeneration: 'Segments',
          Radius: 300,
          LatitudinalSegments: 1,
          LongitudinalSegments: 6,
          LatitudinalStartAngle: 0,
          LatitudinalEndAngle: 0,
        },
      ],
      Copy: ['PCGCopyPointsSettings'],
      Near: ['PCGDistanceSettings', { SourceShape: 'Center', TargetShape: 'Center' }],
    },
    [
      'Ground.Out > Centers.Surface',
      'Houses.Out > Copy.Source',
      'Centers.Out > Copy.Target',
      'Copy.Out > Near.Source',
      'Centers.Out > Near.Target',
    ],
  )
  const plan = planOf(graph, { actor: volume([5000, 5000, 2000]) })
  const [centers, houses] = [held(plan, 'Centers'), held(plan, 'Near')]
  expect(houses.rowCount).toBe(centers.rowCount * 12)
  for (const distance of column(houses, 'Distance')) expect(Number(distance)).toBeLessThanOrEqual(300.01)
})

it('meadows by height: bands of the ground by attribute filters, grass where it is flat', () => {
  const band = (low: number, high: number) => {
    const end = (DoubleValue: number) => ({
      bUseConstantThreshold: true,
      AttributeTypes: { Type: 'Double', DoubleValue },
    })
    return [
      'PCGAttributeFilteringRangeSettings',
      { TargetAttribute: '$Position.Z', MinThreshold: end(low), MaxThreshold: end(high) },
    ] as const
  }
  const graph = graphOf(
    {
      Ground: ['PCGGetLandscapeSettings'],
      Sample: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.2 }],
      Low: band(-1000, 0),
      Flat: ['PCGNormalToDensitySettings', { Strength: 0.01 }],
      Grass: ['PCGDensityFilterSettings', { LowerBound: 0.9 }],
    },
    ['Ground.Out > Sample.Surface', 'Sample.Out > Low.In', 'Low.InsideFilter > Flat.In', 'Flat.Out > Grass.In'],
  )
  const plan = planOf(graph, { actor: volume([5000, 5000, 2000]) })
  const [low, high, grass] = [
    held(plan, 'Low', 'InsideFilter'),
    held(plan, 'Low', 'OutsideFilter'),
    held(plan, 'Grass'),
  ]
  expect(low.rowCount + high.rowCount).toBe(held(plan, 'Sample').rowCount)
  for (const place of vectors(low)) expect(place[2]).toBeLessThanOrEqual(0)
  for (const place of vectors(high)) expect(place[2]).toBeGreaterThan(0)
  expect(grass.rowCount).toBeGreaterThan(0)
  expect(grass.rowCount).toBeLessThan(low.rowCount)
})
