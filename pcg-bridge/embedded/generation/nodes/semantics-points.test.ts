// Point operations class by class, against arithmetic written from the reference: no code of the engine.
import { describe, expect, it } from 'vitest'
import { column, type Nodes, vectors, volume } from '../graph.fixture.ts'
import { at, fraction, NODE_SEED, next, numbersAt, over, page, points, report, S2, S3 } from '../semantics.fixture.ts'

const xs = (found: readonly unknown[]) => (found as readonly (readonly number[])[]).map(([x]) => x)
const BOX = { BoundsMin: [-10, -20, -30], BoundsMax: [30, 40, 50] }

describe('choice of points', () => {
  it.each(['PCGSelectPointsSettings', 'PCGPointSamplerSettings'])(
    '%s: keeps a point whose stream draws below the ratio, and no point of zero density',
    (name) => {
      const list = Array.from({ length: 200 }, (_, i) => at(i, 0, 0, { Seed: i * 7919, Density: i % 10 === 0 ? 0 : 1 }))
      const Ratio = 0.3
      const wanted = list.flatMap((_, i) =>
        i % 10 !== 0 && fraction(next(S2(NODE_SEED, i * 7919))) < Ratio ? [i] : [],
      )
      expect(wanted.length).toBeGreaterThan(5)
      expect(xs(over(name, { Ratio }, points(...list), '$Position'))).toEqual(wanted)
    },
  )

  it('PCGPointFromMeshSettings: one point at the origin with the bounds of the mesh, and its path', () => {
    const made = page(
      { N: ['PCGPointFromMeshSettings', { StaticMesh: '/Game/A', MeshPathAttributeName: 'Mesh' }] },
      [],
      'N',
    )
    expect(vectors(made)).toEqual([[0, 0, 0]])
    expect(column(made, 'Mesh')).toEqual(['/Game/A'])
  })

  it('PCGCullPointsOutsideActorBoundsSettings: keeps what stands inside the actor grown by the expansion', () => {
    const plan = { actor: volume([100, 100, 100]) }
    const nodes: Nodes = {
      P: numbersAt(-151, -149, 0, 100, 149, 151),
      N: ['PCGCullPointsOutsideActorBoundsSettings', { BoundsExpansion: 50 }],
    }
    expect(xs(vectors(page(nodes, ['P.Out > N.In'], 'N', undefined, 0, plan)))).toEqual([-149, 0, 100, 149])
  })

  it('PCGPointFilterSettings: splits the points by whether the filter shape covers them', () => {
    const nodes: Nodes = {
      P: numbersAt(-5000, 0, 5000),
      V: ['PCGGetVolumeSettings'],
      N: ['PCGPointFilterSettings'],
    }
    const wires = ['P.Out > N.In', 'V.Out > N.Filter']
    expect(xs(vectors(page(nodes, wires, 'N', 'InFilter')))).toEqual([0])
    expect(xs(vectors(page(nodes, wires, 'N', 'OutFilter')))).toEqual([-5000, 5000])
  })
})

describe('seeds', () => {
  it('PCGMutateSeedSettings: S3 of the seed of the place, of the node and of the point', () => {
    const made = over('PCGMutateSeedSettings', {}, points(at(12.9, -3.2, 7, { Seed: 5 })), '$Seed')
    expect(made).toEqual([S3(S3(12, -3, 7), NODE_SEED, 5)])
  })

  it('PCGGenerateSeedSettings: one seed a row, different in each, the same in each run', () => {
    const made = over('PCGGenerateSeedSettings', {}, numbersAt(1, 2, 3), '$Seed')
    expect(made).toEqual([1, 2, 3].map((row) => next(S2(NODE_SEED, row))))
  })
})

describe('bounds', () => {
  it.each([
    ['Set', [2, 3, 4]],
    ['Minimum', [2, 3, 4]],
    ['Maximum', [20, 30, 40]],
    ['Add', [22, 33, 44]],
    ['Multiply', [40, 90, 160]],
  ] as const)('PCGPointExtentsModifierSettings %s: changes the half size and keeps the centre', (Mode, half) => {
    const settings = { Mode, Extents: [2, 3, 4] }
    const center = [10, 10, 10]
    expect(over('PCGPointExtentsModifierSettings', settings, points(at(0, 0, 0, BOX)), '$BoundsMin')).toEqual([
      half.map((size, k) => (center[k] ?? 0) - size),
    ])
    expect(over('PCGPointExtentsModifierSettings', settings, points(at(0, 0, 0, BOX)), '$BoundsMax')).toEqual([
      half.map((size, k) => (center[k] ?? 0) + size),
    ])
  })

  it('PCGApplyScaleToBoundsSettings: the box grows by the scale, whose sign alone stays', () => {
    const given = points(at(0, 0, 0, { ...BOX, Transform: { scale: [2, -3, 1] } }))
    expect(over('PCGApplyScaleToBoundsSettings', {}, given, '$BoundsMin')).toEqual([[-20, -60, -30]])
    expect(over('PCGApplyScaleToBoundsSettings', {}, given, '$BoundsMax')).toEqual([[60, 120, 50]])
    expect(over('PCGApplyScaleToBoundsSettings', {}, given, '$Scale')).toEqual([[1, -1, 1]])
  })

  it('PCGDuplicatePointSettings: copies stepped by direction times box size, source first', () => {
    const settings = { Iterations: 3, Direction: [0, 0, 1] }
    const made = over('PCGDuplicatePointSettings', settings, points(at(1, 2, 3, BOX)), '$Position')
    expect(made).toEqual([0, 1, 2, 3].map((n) => [1, 2, 3 + n * 80]))
  })

  it('PCGGetBoundsSettings: the smallest box around all points with their boxes, grown by what is not steep', () => {
    const bounds = (Steepness: number) => {
      const list = [0, 100].map((x) => at(x, 0, 0, { ...BOX, Steepness }))
      const made = page({ P: points(...list), N: ['PCGGetBoundsSettings'] }, ['P.Out > N.In'], 'N')
      return [column(made, 'BoundsMin')[0], column(made, 'BoundsMax')[0]]
    }
    expect(bounds(1)).toEqual([
      [-10, -20, -30],
      [130, 40, 50],
    ])
    // Half steep: one and a half times the half size, around the same centre (D1).
    expect(bounds(0.5)).toEqual([
      [10 - 30, 10 - 45, 10 - 60],
      [110 + 30, 10 + 45, 10 + 60],
    ])
  })
})

describe('one point of many', () => {
  it('PCGCombinePointsSettings: one point whose box holds all boxes, with its pivot in the middle', () => {
    const nodes: Nodes = { P: points(at(0, 0, 0, BOX), at(100, 50, 0, BOX)), N: ['PCGCombinePointsSettings'] }
    const made = page(nodes, ['P.Out > N.In'], 'N')
    // From (-10, -20, -30) to (130, 90, 50).
    expect(vectors(made)).toEqual([[60, 35, 10]])
    expect(column(made, '$BoundsMin')).toEqual([[-70, -55, -40]])
    expect(column(made, '$BoundsMax')).toEqual([[70, 55, 40]])
    const first = page({ ...nodes, N: ['PCGCombinePointsSettings', { bCenterPivot: false }] }, ['P.Out > N.In'], 'N')
    expect(vectors(first)).toEqual([[0, 0, 0]])
    expect(column(first, '$BoundsMax')).toEqual([[130, 90, 50]])
  })

  it('PCGClusterSettings: the nearest centroid for each point, each centroid the mean of its own', () => {
    const nodes: Nodes = {
      P: numbersAt(0, 10, 20, 1000, 1010),
      I: numbersAt(5, 900),
      N: [
        'PCGClusterSettings',
        {
          bOutputFinalCentroids: true,
          bOutputFinalCentroidElementCount: true,
          FinalCentroidElementCountAttribute: 'Size',
        },
      ],
    }
    const wires = ['P.Out > N.In', 'I.Out > N.Initial Centroids']
    expect(column(page(nodes, wires, 'N'), 'ClusterId')).toEqual([0, 0, 0, 1, 1])
    const centroids = page(nodes, wires, 'N', 'Final Centroids')
    expect(xs(vectors(centroids))).toEqual([10, 1005])
    expect(column(centroids, 'Size')).toEqual([3, 2])
  })

  it('PCGPointNeighborhoodSettings: means over the points in reach, the point itself among them', () => {
    const given = points(at(0, 0, 0, { Density: 0.5 }), at(10, 0, 0, { Density: 1 }), at(1000, 0, 0, { Density: 0.25 }))
    const of = (settings: Record<string, unknown>, name: string) =>
      over('PCGPointNeighborhoodSettings', { SearchDistance: 20, ...settings }, given, name)
    expect(of({ bSetDistanceToAttribute: true }, 'Distance')).toEqual([5, 5, 0])
    expect(xs(of({ bSetAveragePositionToAttribute: true }, 'AvgPosition'))).toEqual([5, 5, 1000])
    expect(of({ SetDensity: 'SetAverageDensity' }, '$Density')).toEqual([0.75, 0.75, 0.25])
    expect(of({ SetDensity: 'SetNormalizedDistanceToDensity' }, '$Density')).toEqual([0.25, 0.25, 0])
    expect(xs(of({ bSetAveragePosition: true }, '$Position'))).toEqual([5, 5, 1000])
    // A neighbour at 10 of 20 weighs a half.
    expect(xs(of({ bSetAveragePosition: true, bWeightedAverage: true }, '$Position'))[0]).toBeCloseTo(5 / 1.5, 9)
  })

  it.each([
    ['Center', 100],
    ['SphereBounds', 100 - 2 * 10 * Math.sqrt(3)],
    ['BoxBounds', 80],
  ])('PCGDistanceSettings %s: the gap between the shapes of the nearest pair', (shape, wanted) => {
    const box = { BoundsMin: [-10, -10, -10], BoundsMax: [10, 10, 10] }
    const nodes: Nodes = {
      S: points(at(0, 0, 0, box)),
      T: points(at(100, 0, 0, box), at(300, 0, 0, box)),
      N: ['PCGDistanceSettings', { SourceShape: shape, TargetShape: shape }],
    }
    const found = column(page(nodes, ['S.Out > N.Source', 'T.Out > N.Target'], 'N'), 'Distance')
    expect(found[0]).toBeCloseTo(wanted, 6)
  })

  it('PCGMergeSettings: all points of all inputs in the order of their edges', () => {
    const nodes: Nodes = { A: numbersAt(1, 2), B: numbersAt(3), N: ['PCGMergeSettings'] }
    expect(xs(vectors(page(nodes, ['B.Out > N.In', 'A.Out > N.In'], 'N')))).toEqual([3, 1, 2])
  })
})

describe('density', () => {
  it.each([
    ['Set', (_: number, v: number) => v],
    ['Minimum', Math.min],
    ['Maximum', Math.max],
    ['Add', (d: number, v: number) => d + v],
    ['Subtract', (d: number, v: number) => d - v],
    ['Multiply', (d: number, v: number) => d * v],
    ['Divide', (d: number, v: number) => d / v],
  ] as const)('PCGNormalToDensitySettings %s: the lean of the up axis to the power 1 / strength', (DensityMode, of) => {
    // Rolled by 60°, the up axis and Z meet at 60°.
    const given = points(at(0, 0, 0, { Density: 0.2, Transform: { rotation: [0, 0, 60] } }))
    const settings = { DensityMode, Offset: 0.14, Strength: 2 }
    const [found] = over('PCGNormalToDensitySettings', settings, given, '$Density')
    const wanted = of(0.2, Math.sqrt(Math.cos(Math.PI / 3) + 0.14))
    expect(found).toBeCloseTo(Math.min(1, Math.max(0, wanted)), 5)
  })

  it('PCGDensityRemapSettings: linear from range to range, clamped to 0..1, values outside kept when excluded', () => {
    const given = points(...[0, 0.2, 0.5, 1].map((Density) => at(0, 0, 0, { Density })))
    const range = { InRangeMin: 0.2, InRangeMax: 0.6, OutRangeMin: 0, OutRangeMax: 1 }
    const linear = [0, 0.2, 0.5, 1].map((d) => Math.min(1, Math.max(0, (d - 0.2) / 0.4)))
    const found = over('PCGDensityRemapSettings', range, given, '$Density') as number[]
    for (const [i, value] of found.entries()) expect(value).toBeCloseTo(linear[i] ?? 0, 5)
    const kept = over('PCGDensityRemapSettings', { ...range, bExcludeValuesOutsideInputRange: true }, given, '$Density')
    expect(kept[0]).toBe(0)
    expect(kept[3]).toBe(1)
  })

  it('PCGSpatialNoiseSettings: values in 0..1 that follow the place, steady in small steps', () => {
    const given = numbersAt(...Array.from({ length: 400 }, (_, i) => i))
    for (const Mode of ['Perlin2D', 'Caustic2D', 'Voronoi2D', 'FractionalBrownian2D', 'EdgeMask2D']) {
      const values = over('PCGSpatialNoiseSettings', { Mode, RandomOffset: [0, 0, 0] }, given, '$Density') as number[]
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...values)).toBeLessThanOrEqual(1)
      expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(0.02)
      for (const [i, value] of values.slice(1).entries()) expect(Math.abs(value - (values[i] ?? 0))).toBeLessThan(0.2)
    }
    const plain = over('PCGSpatialNoiseSettings', { Contrast: 0, Brightness: 0.25 }, given, '$Density')
    expect(new Set(plain)).toEqual(new Set([0.75]))
  })

  it('PCGAttributeNoiseSettings: one draw a number from the stream of the point; density is clamped', () => {
    const list = [at(0, 0, 0, { Seed: 1, Density: 0.5 }), at(0, 0, 0, { Seed: 2, Density: 0.9 })]
    const draw = (seed: number) => 0.2 + 0.6 * fraction(next(S2(NODE_SEED, seed)))
    for (const [Mode, of] of [
      ['Set', (_: number, n: number) => n],
      ['Minimum', Math.min],
      ['Maximum', Math.max],
      ['Add', (d: number, n: number) => d + n],
      ['Multiply', (d: number, n: number) => d * n],
    ] as const) {
      const settings = { InputSource: '$Density', OutputTarget: '$Density', Mode, NoiseMin: 0.2, NoiseMax: 0.8 }
      const found = over('PCGAttributeNoiseSettings', settings, points(...list), '$Density') as number[]
      const wanted = [of(0.5, draw(1)), of(0.9, draw(2))].map((value) => Math.min(1, value))
      for (const [i, value] of found.entries()) expect(value, Mode).toBeCloseTo(wanted[i] ?? 0, 5)
    }
  })
})

describe('neighbours', () => {
  it('PCGBlurSettings: the mean over the points in reach, weighted by the mode', () => {
    const settings = { InputSource: '$Position.X', OutputTarget: 'Mean', SearchDistance: 15 }
    const given = numbersAt(0, 10, 20, 100)
    expect(over('PCGBlurSettings', settings, given, 'Mean')).toEqual([5, 10, 15, 100])
    const linear = over('PCGBlurSettings', { ...settings, BlurMode: 'Linear' }, given, 'Mean') as number[]
    // Itself weighs 1, a neighbour at 10 of 15 weighs 1/3.
    expect(linear[0]).toBeCloseTo(10 / 3 / (4 / 3), 9)
    const gauss = over('PCGBlurSettings', { ...settings, BlurMode: 'Gaussian' }, given, 'Mean') as number[]
    const weight = Math.exp(-100 / (2 * 25))
    expect(gauss[0]).toBeCloseTo((10 * weight) / (1 + weight), 9)
  })

  const attract = (settings: Record<string, unknown>, name = '$Position') =>
    column(
      page(
        {
          S: points(at(0), at(100), at(5000)),
          T: points(at(10, 0, 0, { Density: 0.25 }), at(60, 0, 0, { Density: 0.75 })),
          N: ['PCGAttractSettings', { Distance: 100, ...settings }],
        },
        ['S.Out > N.Source', 'T.Out > N.Target'],
        'N',
      ),
      name,
    )
  it('PCGAttractSettings: moves towards the nearest, the extreme or the named target in reach', () => {
    expect(xs(attract({ Weight: 0.5 }))).toEqual([5, 80, 5000])
    expect(xs(attract({ Mode: 'MaxAttribute', TargetAttribute: '$Density' }))).toEqual([60, 60, 5000])
    expect(xs(attract({ Mode: 'MinAttribute', TargetAttribute: '$Density' }))).toEqual([10, 10, 5000])
    const all = { Mode: 'FromIndex', AttractorIndexAttribute: '$Index', bRemoveUnattractedPoints: true }
    expect(xs(attract(all))).toEqual([10, 60])
    expect(attract({ bOutputAttractIndex: true }, 'AttractIndex')).toEqual([0, 1, -1])
  })
  it('PCGAttractSettings: source and target weights share the way, alpha = wt / (ws + wt)', () => {
    const weights = { bUseSourceWeight: true, SourceWeightAttribute: '$Density' }
    const [first] = xs(attract({ ...weights, bUseTargetWeight: true, TargetWeightAttribute: '$Density' }))
    expect(first).toBeCloseTo(10 * (0.25 / 1.25), 9)
    const mapped = attract({ SourceAndTargetAttributeMapping: { $Density: '$Density' } }, '$Density')
    expect(mapped).toEqual([0.25, 0.75, 1])
  })

  it('PCGCollapsePointsSettings: the closest pairs become their middle, again until none is near', () => {
    const settings = { DistanceThreshold: 15 }
    expect(xs(over('PCGCollapsePointsSettings', settings, numbersAt(0, 10, 100), '$Position'))).toEqual([5, 100])
    // 0 and 8 give 4, which then meets 18 at a distance of 14: with weights 2 and 1 the mean of all three.
    expect(xs(over('PCGCollapsePointsSettings', settings, numbersAt(0, 8, 18), '$Position'))[0]).toBeCloseTo(26 / 3, 9)
  })
  it('PCGCollapsePointsSettings: weights pull the place, Center compares the middles of the boxes', () => {
    const weighted = { DistanceThreshold: 15, bUseMergeWeightAttribute: true, MergeWeightAttribute: '$Density' }
    const given = points(at(0, 0, 0, { Density: 1 }), at(10, 0, 0, { Density: 0.25 }))
    expect(xs(over('PCGCollapsePointsSettings', weighted, given, '$Position'))).toEqual([2])
    const apart = points(at(0, 0, 0, { BoundsMin: [0, 0, 0], BoundsMax: [200, 0, 0] }), at(110))
    const center = { DistanceThreshold: 15, ComparisonMode: 'Center' }
    expect(over('PCGCollapsePointsSettings', center, apart, '$Position')).toHaveLength(1)
    expect(over('PCGCollapsePointsSettings', { DistanceThreshold: 15 }, apart, '$Position')).toHaveLength(2)
  })

  it('PCGConvexHull2DSettings: exactly the corners, none of the points inside', () => {
    const square = [at(0, 0), at(100, 0), at(100, 100), at(0, 100)]
    const inner = Array.from({ length: 30 }, (_, i) => at(10 + ((i * 37) % 80), 10 + ((i * 53) % 80)))
    const made = over('PCGConvexHull2DSettings', {}, points(...inner, ...square), '$Position') as number[][]
    expect(made.map((place) => place.slice(0, 2).join(' ')).sort()).toEqual(['0 0', '0 100', '100 0', '100 100'])
  })
})

describe('shapes', () => {
  it('PCGIntersectionSettings: points of one input that the others cover', () => {
    const nodes: Nodes = {
      P: points(at(0, 0, 0, { Steepness: 1 }), at(5000, 0, 0, { Steepness: 1 })),
      V: ['PCGGetVolumeSettings'],
      N: ['PCGIntersectionSettings'],
    }
    expect(xs(vectors(page(nodes, ['P.Out > N.In', 'V.Out > N.In'], 'N')))).toEqual([0])
    const half: Nodes = {
      P: points(at(0, 0, 0, { Steepness: 1, Density: 0.5 })),
      Q: points(at(0, 0, 0, { Steepness: 1, Density: 0.25 })),
      N: ['PCGIntersectionSettings', { DensityFunction: 'Minimum' }],
    }
    expect(column(page(half, ['P.Out > N.In', 'Q.Out > N.In'], 'N'), '$Density')).toEqual([0.25])
  })

  it('PCGCollapseSettings and PCGMakeConcreteSettings: points stay, a shape becomes data of its own', () => {
    expect(xs(over('PCGCollapseSettings', {}, numbersAt(1, 2), '$Position'))).toEqual([1, 2])
    expect(xs(over('PCGMakeConcreteSettings', {}, numbersAt(1, 2), '$Position'))).toEqual([1, 2])
    const nodes: Nodes = { V: ['PCGGetVolumeSettings'], N: ['PCGCollapseSettings'], M: ['PCGMakeConcreteSettings'] }
    const wires = ['V.Out > N.In', 'V.Out > M.In']
    expect(page(nodes, wires, 'N').dataClass).toMatch(/Point/)
    expect(page(nodes, wires, 'N').rowCount).toBeGreaterThan(100)
    expect(page(nodes, wires, 'M').dataClass).toMatch(/Volume|Point/)
  })
})

describe('curves', () => {
  const line = (...list: readonly (readonly [number, number])[]): Nodes => ({
    P: points(...list.map(([x, y]) => at(x, y))),
    C: ['PCGCreateSplineSettings', { Mode: 'CreateDataOnly', bLinear: true }],
  })
  const controls = (
    list: readonly (readonly [number, number])[],
    settings: Record<string, unknown>,
    closed = false,
  ) => {
    const nodes: Nodes = {
      ...line(...list),
      C: ['PCGCreateSplineSettings', { Mode: 'CreateDataOnly', bLinear: true, bClosedLoop: closed }],
      N: ['PCGCleanSplineSettings', settings],
      K: ['PCGGetSplineControlPointsSettings'],
    }
    const made = page(nodes, ['P.Out > C.In', 'C.Out > N.In', 'N.Out > K.In'], 'K')
    return vectors(made).map(([x, y]) => [x, y])
  }

  it('PCGCleanSplineSettings: fuses points on one spot and leaves out those on a straight line', () => {
    const bent: [number, number][] = [
      [0, 0],
      [0, 0],
      [100, 0],
      [200, 1],
      [300, 0],
      [300, 300],
    ]
    expect(controls(bent, {})).toEqual([
      [0, 0],
      [300, 0],
      [300, 300],
    ])
    expect(controls(bent, { bRemoveCollinearControlPoints: false })).toHaveLength(5)
    expect(controls(bent, { bFuseColocatedControlPoints: false, bRemoveCollinearControlPoints: false })).toHaveLength(6)
  })
  it('PCGCleanSplineSettings: a closed curve loses an end that lies on its start', () => {
    const square: [number, number][] = [
      [0, 0],
      [100, 0],
      [100, 100],
      [0, 100],
      [0, 0],
    ]
    expect(controls(square, {}, true)).toEqual(square.slice(0, 4))
  })

  it('PCGCreateSurfaceFromSplineSettings: the inside of the outline, no point outside it', () => {
    const nodes: Nodes = {
      P: points(at(0, 0), at(1000, 0), at(0, 1000)),
      C: ['PCGCreateSplineSettings', { Mode: 'CreateDataOnly', bLinear: true, bClosedLoop: true }],
      N: ['PCGCreateSurfaceFromSplineSettings'],
      S: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 1 }],
    }
    const made = vectors(page(nodes, ['P.Out > C.In', 'C.Out > N.In', 'N.Out > S.Surface'], 'S'))
    expect(made.length).toBeGreaterThan(25)
    for (const [x, y] of made) expect(x >= -1e-6 && y >= -1e-6 && x + y <= 1000 + 1e-6).toBe(true)
  })

  it('PCGSpawnSplineMeshSettings: an instance a segment; PCGSpawnSplineSettings: a component a curve', () => {
    const nodes: Nodes = {
      ...line([0, 0], [100, 0], [100, 60]),
      M: ['PCGSpawnSplineMeshSettings', { SplineMeshDescriptor: { StaticMesh: '/Game/Rail' } }],
      S: ['PCGSpawnSplineSettings'],
    }
    const { spawned } = report(nodes, ['P.Out > C.In', 'C.Out > M.In', 'C.Out > S.In'], 'M')
    const counts = spawned.map(({ asset, instances }) => [asset, instances])
    expect(counts).toContainEqual(['/Game/Rail', 2])
    expect(counts).toContainEqual(['/Script/Engine.SplineComponent', 1])
  })
})

describe('actors', () => {
  it('PCGSpawnActorSettings and PCGSpawnInstancedActorsSettings: one actor a point, by class or attribute', () => {
    const nodes: Nodes = {
      P: numbersAt(1, 2, 3),
      A: ['PCGSpawnActorSettings', { TemplateActorClass: '/Game/BP_Hut' }],
      I: ['PCGSpawnInstancedActorsSettings', { ActorClass: '/Game/BP_Crate' }],
    }
    const { spawned } = report(nodes, ['P.Out > A.In', 'P.Out > I.In'], 'A')
    expect(Object.fromEntries(spawned.map(({ asset, instances }) => [asset, instances]))).toEqual({
      '/Game/BP_Crate': 3,
      '/Game/BP_Hut': 3,
    })
  })

  const tagged = (tag: string) => ({ ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: tag } })
  it('PCGDataFromActorSettings: shape, point or reference of the actor that the selector names', () => {
    const mode = (Mode: string) => page({ N: ['PCGDataFromActorSettings', { ...tagged('Rock'), Mode }] }, [], 'N')
    expect(mode('ParseActorComponents').dataClass).toMatch(/Primitive/)
    expect(vectors(mode('GetSinglePoint'))).toEqual([[600, 0, 100]])
    expect(column(mode('GetActorReference'), 'ActorReference')).toEqual(['Boulder_0'])
  })

  it('PCGGetPrimitiveSettings: the box of the actor, as a shape that covers points', () => {
    const nodes: Nodes = {
      R: ['PCGGetPrimitiveSettings', tagged('Rock')],
      P: points(
        at(600, 0, 100, { Steepness: 1 }),
        at(690, 90, 190, { Steepness: 1 }),
        at(720, 0, 100, { Steepness: 1 }),
      ),
      I: ['PCGInnerIntersectionSettings'],
    }
    expect(page(nodes, [], 'R').dataClass).toMatch(/Primitive/)
    expect(xs(vectors(page(nodes, ['P.Out > I.In', 'R.Out > I.In'], 'I')))).toEqual([600, 690])
  })

  it('PCGCreateTargetActor: one actor, and a reference to it', () => {
    const nodes: Nodes = { N: ['PCGCreateTargetActor', { TemplateActorClass: '/Game/BP_Folder' }] }
    expect(report(nodes, [], 'N').spawned).toMatchObject([{ asset: '/Game/BP_Folder', instances: 1 }])
    expect(column(page(nodes, [], 'N'), 'ActorReference')).toEqual(['/Game/BP_Folder'])
  })

  it('PCGGetActorPropertySettings: a property of the actor as an attribute', () => {
    const of = (PropertyName: string) =>
      column(page({ N: ['PCGGetActorPropertySettings', { ...tagged('Rock'), PropertyName }] }, [], 'N'), PropertyName)
    expect(of('Location')).toEqual([[600, 0, 100]])
    expect(of('Label')).toEqual(['Boulder'])
  })

  it('PCGWorldRayHitSettings: a surface of the ground; PCGWorldQuerySettings: the volume of what is solid', () => {
    const nodes: Nodes = {
      R: ['PCGWorldRayHitSettings'],
      S: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.1 }],
      Q: ['PCGWorldQuerySettings'],
      P: points(at(600, 0, 100, { Steepness: 1 }), at(-600, 0, 100, { Steepness: 1 })),
      I: ['PCGInnerIntersectionSettings'],
    }
    const wires = ['R.Out > S.Surface', 'P.Out > I.In', 'Q.Out > I.In']
    expect(vectors(page(nodes, wires, 'S')).length).toBeGreaterThan(10)
    // The boulder of the level stands at (600, 0, 100).
    expect(xs(vectors(page(nodes, wires, 'I')))).toEqual([600])
  })
})
