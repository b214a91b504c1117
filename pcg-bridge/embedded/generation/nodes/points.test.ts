// What the nodes that make, move, filter and combine points do, in numbers.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { column, graphOf, held, type Nodes, planOf, vectors, volume } from '../graph.fixture.ts'
import { fractionOf, next, seed1, seed2, seed3, seedFromPosition } from '../random.ts'

const SAMPLED: Nodes = { S: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.25 }] }
const FROM = ['Input.In > S.Surface']
/** A node between a sampler and nothing: what it holds. */
function after(className: string, properties: Record<string, unknown> = {}, pin?: string) {
  return held(planOf(graphOf({ ...SAMPLED, N: [className, properties] }, [...FROM, 'S.Out > N.In'])), 'N', pin)
}
const sampled = () => held(planOf(graphOf(SAMPLED, FROM)), 'S')

describe('seeds', () => {
  it('are the integers of the formulas, and wrap', () => {
    expect([seed1(0), seed1(1), seed1(-1)]).toEqual([907633515, 1103947680, 711319350])
    expect(seed2(42, 42)).toBe(seed1(42) ^ ((42 * 73148459 + 453816763) | 0))
    expect(seed3(1, 2, 3)).toBe(seed2(1, 2) ^ (3 * 34731343 + 453816743))
    expect(seedFromPosition(1.9, -1.9, 0)).toBe(seed3(1, -1, 0))
  })

  it('fractions stay in [0, 1) and are exact in single precision', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2147483648, max: 2147483647 }), (seed) => {
        const fraction = fractionOf(next(seed))
        expect(fraction).toBeGreaterThanOrEqual(0)
        expect(fraction).toBeLessThan(1)
        expect(Math.fround(fraction)).toBe(fraction)
      }),
    )
  })
})

describe('surface sampler', () => {
  it('gives nothing for extents or densities that are not above zero', () => {
    for (const properties of [{ PointsPerSquaredMeter: 0 }, { PointExtents: [0, 50, 50] }])
      expect(held(planOf(graphOf({ S: ['PCGSurfaceSamplerSettings', properties] }, FROM)), 'S').rowCount).toBe(0)
  })

  it('stays inside the actor, apart by the extents, as many as the area asks for [pcg.general.bounds]', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 1500 }),
        fc.integer({ min: -5000, max: 5000 }),
        fc.double({ min: 0.05, max: 0.9, noNaN: true }),
        fc.integer(),
        (half, x, density, seed) => {
          const actor = volume([half, half, 500], { location: [x, 0, 0] })
          const graph = graphOf({ S: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: density }] }, FROM)
          const places = vectors(held(planOf(graph, { actor, seed }), 'S'))
          for (const [px, py, pz] of places) {
            expect(Math.abs(px - x)).toBeLessThanOrEqual(half)
            expect(Math.abs(py)).toBeLessThanOrEqual(half)
            expect(Math.abs(pz)).toBeLessThanOrEqual(500)
          }
          const wanted = ((2 * half) / 100) ** 2 * density
          const edge = 4 * Math.sqrt(wanted) + 4
          expect(Math.abs(places.length - wanted)).toBeLessThanOrEqual(edge)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('is anchored in the world: a moved volume keeps the points that both cover', () => {
    const graph = graphOf(SAMPLED, FROM)
    const at = (x: number) =>
      vectors(held(planOf(graph, { actor: volume([1000, 1000, 500], { location: [x, 0, 0] }) }), 'S'))
    const [here, there] = [at(0), at(400)]
    const common = (list: [number, number, number][]) => list.filter(([x]) => x >= -600 && x <= 1000).map(String)
    expect(common(there)).toEqual(common(here))
  })

  it('stands on the ground, turned with it', () => {
    const graph = graphOf({ G: ['PCGGetLandscapeSettings'], ...SAMPLED }, ['G.Out > S.Surface'])
    const page = held(planOf(graph), 'S')
    expect(new Set(vectors(page).map((place) => place[2])).size).toBeGreaterThan(90)
    expect(new Set(column(page, '$Rotation').map(String)).size).toBeGreaterThan(90)
  })
})

describe('grids and lattices', () => {
  it('a grid counts cells or corners, X first, and is of the size asked for', () => {
    const grid = (properties: Record<string, unknown>) =>
      vectors(held(planOf(graphOf({ G: ['PCGCreatePointsGridSettings', properties] }, [])), 'G'))
    expect(grid({})).toHaveLength(100)
    expect(grid({ GridExtents: [100, 100, 50], PointPosition: 'CellCorners' })).toHaveLength(18)
    expect(grid({ GridExtents: [100, 100, 50] })).toEqual([
      [-50, -50, 0],
      [50, -50, 0],
      [-50, 50, 0],
      [50, 50, 0],
    ])
    expect(grid({ CellSize: [0, 100, 100] })).toEqual([])
  })

  it('in the frame of the actor it moves and turns with it', () => {
    const graph = graphOf(
      { G: ['PCGCreatePointsGridSettings', { GridExtents: [100, 50, 50], CoordinateSpace: 'LocalComponent' }] },
      [],
    )
    const places = vectors(
      held(planOf(graph, { actor: volume([1000, 1000, 1000], { location: [10, 0, 0], rotation: [0, 90, 0] }) }), 'G'),
    )
    expect(places.map((place) => place.map(Math.round))).toEqual([
      [10, -50, 0],
      [10, 50, 0],
    ])
  })

  it('a Poisson sphere keeps its points apart, and endless attempts are refused rather than made', () => {
    const made = (properties: Record<string, unknown>) =>
      held(
        planOf(graphOf({ N: ['PCGCreatePointsSphereSettings', { SphereGeneration: 'Poisson', ...properties }] }, [])),
        'N',
      )
    const places = vectors(made({ Radius: 500, PoissonDistance: 100 }))
    expect(places.length).toBeGreaterThan(50)
    for (const [i, a] of places.entries())
      for (const b of places.slice(i + 1)) expect(Math.hypot(...a.map((v, k) => v - (b[k] ?? 0)))).toBeGreaterThan(99.9)
    expect(() => made({ Radius: 500, PoissonDistance: 100, PoissonMaxAttempts: 1e9 })).toThrow(
      'lower PoissonMaxAttempts (1000000000)',
    )
  })

  it('a volume is filled by one point per voxel', () => {
    const graph = graphOf({ V: ['PCGVolumeSamplerSettings', { VoxelSize: [100, 100, 100] }] }, ['Input.In > V.Volume'])
    const page = held(planOf(graph, { actor: volume([150, 150, 150]) }), 'V')
    expect(page.rowCount).toBe(27)
    expect(column(page, '$BoundsMax')[0]).toEqual([50, 50, 50])
  })
})

describe('changing points', () => {
  it('transform stays in its ranges; neutral ranges change nothing', () => {
    expect(after('PCGTransformPointsSettings').rows).toEqual(sampled().rows)
    const before = vectors(sampled())
    const page = after('PCGTransformPointsSettings', {
      OffsetMin: [-10, 0, 5],
      OffsetMax: [10, 0, 6],
      ScaleMin: [2, 2, 2],
      ScaleMax: [3, 3, 3],
    })
    vectors(page).forEach(([x, y, z], i) => {
      const [bx = 0, by = 0, bz = 0] = before[i] ?? []
      expect(Math.abs(x - bx)).toBeLessThanOrEqual(10)
      expect(y).toBeCloseTo(by)
      expect(z - bz).toBeGreaterThanOrEqual(5)
    })
    for (const [x, y, z] of vectors(page, '$Scale')) {
      expect(x).toBeGreaterThanOrEqual(2)
      expect([y, z]).toEqual([x, x])
    }
  })

  it('density noise is within its range, and the filter keeps what is inside the bounds', () => {
    const noise: Nodes = { ...SAMPLED, D: ['PCGDensityNoiseSettings', { DensityNoiseMin: 0.2, DensityNoiseMax: 0.8 }] }
    const edges = [...FROM, 'S.Out > D.In', 'D.Out > F.In']
    const densities = (properties: Record<string, unknown>) =>
      column(
        held(planOf(graphOf({ ...noise, F: ['PCGDensityFilterSettings', properties] }, edges)), 'F'),
        '$Density',
      ).map(Number)
    const [inside, outside] = [
      densities({ LowerBound: 0.4, UpperBound: 0.6 }),
      densities({ LowerBound: 0.4, UpperBound: 0.6, bInvertFilter: true }),
    ]
    expect(inside.length).toBeGreaterThan(0)
    expect(inside.every((d) => d >= 0.4 && d <= Math.fround(0.6))).toBe(true)
    expect(outside.every((d) => d < 0.4 || d > 0.6)).toBe(true)
    expect(outside.every((d) => d >= Math.fround(0.2) - 1e-6 && d <= 0.81)).toBe(true)
    expect(inside.length + outside.length).toBe(sampled().rowCount)
  })

  it('after self pruning no two boxes overlap, and none that was free is gone', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('LargeToSmall', 'SmallToLarge', 'AllEqual'), (seed, PruningType) => {
        const graph = graphOf(
          {
            S: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 1 }],
            T: [
              'PCGTransformPointsSettings',
              {
                OffsetMin: [-80, -80, 0],
                OffsetMax: [80, 80, 0],
                ScaleMin: [0.3, 0.3, 0.3],
                ScaleMax: [1.5, 1.5, 1.5],
              },
            ],
            P: ['PCGSelfPruningSettings', { Parameters: { PruningType } }],
          },
          [...FROM, 'S.Out > T.In', 'T.Out > P.In'],
        )
        const plan = planOf(graph, { seed, actor: volume([600, 600, 500]) })
        const boxes = (node: string) => {
          const page = held(plan, node)
          return vectors(page).map(([x, y], i) => ({ x, y, half: 50 * 1.5 * (vectors(page, '$Scale')[i]?.[0] ?? 1) }))
        }
        const overlap = (a: { x: number; y: number; half: number }, b: typeof a) =>
          Math.abs(a.x - b.x) < a.half + b.half && Math.abs(a.y - b.y) < a.half + b.half
        const [all, kept] = [boxes('T'), boxes('P')]
        kept.forEach((a, i) => kept.slice(i + 1).forEach((b) => expect(overlap(a, b)).toBe(false)))
        for (const box of all) expect(kept.some((other) => overlap(box, other))).toBe(true)
      }),
      { numRuns: 12 },
    )
  })

  it('copies are source-major, and carry transforms, attributes and tags of both', () => {
    const graph = graphOf(
      {
        A: ['PCGCreatePointsGridSettings', { GridExtents: [100, 50, 50] }],
        B: ['PCGCreatePointsGridSettings', { GridExtents: [50, 100, 50] }],
        TA: ['PCGAddTagSettings', { TagsToAdd: 'a' }],
        TB: ['PCGAddTagSettings', { TagsToAdd: 'b' }],
        W: [
          'PCGAddAttributeSettings',
          { OutputTarget: 'Kind', AttributeTypes: { Type: 'String', StringValue: 'oak' } },
        ],
        C: ['PCGCopyPointsSettings'],
      },
      ['A.Out > TA.In', 'TA.Out > W.In', 'W.Out > C.Source', 'B.Out > TB.In', 'TB.Out > C.Target'],
    )
    const page = held(planOf(graph), 'C')
    expect(vectors(page)).toEqual([
      [-50, -50, 0],
      [-50, 50, 0],
      [50, -50, 0],
      [50, 50, 0],
    ])
    expect(page.tags).toEqual(['a', 'b'])
    expect(column(page, 'Kind')).toEqual(['oak', 'oak', 'oak', 'oak'])
    expect(new Set(column(page, '$Seed')).size).toBe(4)
  })

  it('bounds: set, scaled into, split, centre moved without moving the box', () => {
    const box = { BoundsMin: [-10, -20, 0], BoundsMax: [10, 20, 40], Mode: 'Set' }
    const page = after('PCGBoundsModifierSettings', box)
    expect([column(page, '$BoundsMin')[0], column(page, '$BoundsMax')[0]]).toEqual([
      [-10, -20, 0],
      [10, 20, 40],
    ])
    const graph = graphOf(
      {
        ...SAMPLED,
        B: ['PCGBoundsModifierSettings', box],
        N: ['PCGResetPointCenterSettings'],
        H: ['PCGSplitPointsSettings', { SplitPosition: 0.25 }],
      },
      [...FROM, 'S.Out > B.In', 'B.Out > N.In', 'B.Out > H.In'],
    )
    const moved = held(planOf(graph), 'N')
    expect(column(moved, '$BoundsMin')[0]).toEqual([-10, -20, -20])
    expect((vectors(moved)[0]?.[2] ?? 0) - (vectors(sampled())[0]?.[2] ?? 0)).toBe(20)
    expect(column(held(planOf(graph), 'H', 'Before Split'), '$BoundsMax')[0]).toEqual([10, 20, 10])
    expect(column(held(planOf(graph), 'H', 'After Split'), '$BoundsMin')[0]).toEqual([-10, -20, 10])
  })
})

describe('sets', () => {
  const nodes: Nodes = {
    Big: ['PCGCreatePointsGridSettings', { GridExtents: [300, 300, 50], PointSteepness: 1 }],
    Small: ['PCGCreatePointsGridSettings', { GridExtents: [100, 100, 50], PointSteepness: 1 }],
  }
  const counted = (className: string, edges: readonly string[], properties: Record<string, unknown> = {}) =>
    held(planOf(graphOf({ ...nodes, N: [className, properties] }, edges)), 'N').rowCount

  it('difference takes the points away that the other covers', () => {
    expect(counted('PCGDifferenceSettings', ['Big.Out > N.Source', 'Small.Out > N.Differences'])).toBe(32)
    expect(counted('PCGDifferenceSettings', ['Big.Out > N.Source'])).toBe(36)
    expect(
      counted('PCGDifferenceSettings', ['Big.Out > N.Source', 'Small.Out > N.Differences'], {
        bKeepZeroDensityPoints: true,
      }),
    ).toBe(36)
  })

  it('intersection keeps those, union all once, keep-all both', () => {
    const both = ['Big.Out > N.In', 'Small.Out > N.In']
    expect(counted('PCGInnerIntersectionSettings', both)).toBe(4)
    expect(counted('PCGUnionSettings', both)).toBe(36)
    expect(counted('PCGUnionSettings', both, { Type: 'KeepAll' })).toBe(40)
    expect(counted('PCGMergeSettings', both)).toBe(40)
    expect(counted('PCGOuterIntersectionSettings', ['Big.Out > N.Primary Source', 'Small.Out > N.Source 1'])).toBe(4)
  })

  it('projection puts points on the ground; what has none below is dropped', () => {
    const graph = graphOf(
      {
        ...nodes,
        L: ['PCGGetLandscapeSettings'],
        N: ['PCGProjectionSettings'],
        F: ['PCGCreatePointsSettings', { PointsToCreate: [{ Transform: { location: [1e6, 0, 0] } }] }],
        M: ['PCGMergeSettings'],
      },
      ['Big.Out > M.In', 'F.Out > M.In', 'M.Out > N.In', 'L.Out > N.Projection Target'],
    )
    const page = held(planOf(graph), 'N')
    expect(page.rowCount).toBe(36)
    expect(new Set(vectors(page).map((place) => place[2])).size).toBe(36)
  })
})

describe('curves', () => {
  const path: Nodes = {
    L: ['PCGGetSplineSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Path' } }],
  }
  const clearing: Nodes = {
    L: ['PCGGetSplineSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Clearing' } }],
  }
  const sample = (nodes: Nodes, SamplerParams: Record<string, unknown>) =>
    held(planOf(graphOf({ ...nodes, S: ['PCGSplineSamplerSettings', { SamplerParams }] }, ['L.Out > S.Spline'])), 'S')

  it('are walked by distance: even steps, by number, or between control points', () => {
    const places = vectors(sample(path, { Mode: 'Distance', DistanceIncrement: 100 }))
    const gaps = places
      .slice(1)
      .map((place, i) => Math.hypot(...place.map((value, k) => value - (places[i]?.[k] ?? 0))))
    for (const gap of gaps) expect(gap).toBeGreaterThan(90)
    for (const gap of gaps) expect(gap).toBeLessThan(101)
    expect(sample(path, { Mode: 'NumberOfSamples', NumSamples: 7 }).rowCount).toBe(7)
    expect(
      vectors(sample(path, { Mode: 'Subdivision', SubdivisionsPerSegment: 0 })).map((place) => place.map(Math.round)),
    ).toEqual([
      [-1500, -200, 0],
      [-500, 300, 0],
      [500, -300, 0],
      [1500, 400, 0],
    ])
  })

  it('a closed one is filled, an open one is not, with a warning', () => {
    const inside = vectors(sample(clearing, { Dimension: 'OnInterior', InteriorSampleSpacing: 200 }))
    expect(inside).toHaveLength(49 + 15)
    for (const [x, y] of inside) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(800)
    expect(sample(path, { Dimension: 'OnInterior' }).rowCount).toBe(0)
  })

  it('made of points and taken apart, the control points are the points', () => {
    const graph = graphOf(
      {
        G: ['PCGCreatePointsGridSettings', { GridExtents: [200, 50, 50] }],
        C: ['PCGCreateSplineSettings', { bLinear: true }],
        R: ['PCGReverseSplineSettings'],
        P: ['PCGGetSplineControlPointsSettings'],
      },
      ['G.Out > C.In', 'C.Out > R.In', 'R.Out > P.In'],
    )
    expect(vectors(held(planOf(graph), 'P')).map((place) => place[0])).toEqual([150, 50, -50, -150])
  })
})
