// Points out of nothing, curves, clusters and data of actors, against geometry written by hand: no code of the engine.
import { describe, expect, it } from 'vitest'
import { type ActorDoc, firstLevel } from '../../../editor/document.ts'
import { column, type Nodes, vectors, volume } from '../graph.fixture.ts'
import { heightAt } from '../height-field.ts'
import { at, numbersAt, page, points, S3 } from '../semantics.fixture.ts'

type Settings = Readonly<Record<string, unknown>>
type Vec = readonly number[]
const xs = (found: readonly unknown[]) => (found as readonly Vec[]).map(([x]) => x)
const length = (a: Vec) => Math.sqrt(a.reduce((sum, value) => sum + value * value, 0))
const apart = (a: Vec, b: Vec) => length(a.map((value, k) => value - (b[k] ?? 0)))
function close(found: readonly unknown[], wanted: readonly (number | Vec)[], digits = 6): void {
  expect(found).toHaveLength(wanted.length)
  for (const [i, value] of wanted.entries()) {
    const [own, other] = [[found[i]].flat() as number[], [value].flat()]
    for (const [k, part] of other.entries()) expect(own[k]).toBeCloseTo(part, digits)
  }
}

describe('grids', () => {
  const made = (settings: Settings) => page({ N: ['PCGCreatePointsGridSettings', settings] }, [], 'N')
  it.each([
    ['CellCenter', [250, 150, 100], [100, 100, 100]],
    ['CellCorners', [250, 150, 100], [100, 100, 100]],
    ['CellCenter', [130, 130, 50], [100, 60, 100]],
  ] as const)(
    'PCGCreatePointsGridSettings %s in %j by %j: X first, then Y, then Z, seeds of their places',
    (PointPosition, GridExtents, CellSize) => {
      const corners = PointPosition === 'CellCorners'
      const wanted: number[][] = []
      const line = (k: 0 | 1 | 2) => {
        const cells = Math.floor((2 * GridExtents[k]) / CellSize[k])
        // Centres: the whole cells lie around zero. Corners: they start at the low end.
        return Array.from({ length: corners ? cells + 1 : cells }, (_, i) =>
          corners ? CellSize[k] * i - GridExtents[k] : CellSize[k] * (i + 0.5) - (cells * CellSize[k]) / 2,
        )
      }
      for (const z of line(2)) for (const y of line(1)) for (const x of line(0)) wanted.push([x, y, z])
      const found = made({ GridExtents, CellSize, PointPosition })
      close(vectors(found), wanted)
      const whole = (value: number) => Math.trunc(value)
      expect(column(found, '$Seed')).toEqual(wanted.map(([x = 0, y = 0, z = 0]) => S3(whole(x), whole(y), whole(z))))
      expect(column(found, '$BoundsMax')[0]).toEqual(CellSize.map((size) => size / 2))
    },
  )
  it('PCGCreatePointsGridSettings: drops what stands outside the volume when asked', () => {
    const settings = { GridExtents: [200, 50, 50], bCullPointsOutsideVolume: true }
    const found = page({ N: ['PCGCreatePointsGridSettings', settings] }, [], 'N', undefined, 0, {
      actor: volume([100, 100, 100]),
    })
    expect(xs(vectors(found))).toEqual([-50, 50])
  })
})

describe('spheres', () => {
  const made = (settings: Settings) =>
    vectors(
      page({ N: ['PCGCreatePointsSphereSettings', { Radius: 200, Origin: [10, 20, 30], ...settings }] }, [], 'N'),
    ).map(([x, y, z]) => [x - 10, y - 20, z - 30])
  const onSphere = (list: readonly Vec[]) => {
    for (const place of list) expect(length(place)).toBeCloseTo(200, 6)
  }

  it('PCGCreatePointsSphereSettings Geodesic: an icosahedron whose edges are halved', () => {
    const corners = made({ GeodesicSubdivisions: 0 })
    expect(corners).toHaveLength(12)
    onSphere(corners)
    const edge = 200 * 1.0514622242382672
    for (const a of corners) expect(corners.filter((b) => Math.abs(apart(a, b) - edge) < 1e-6)).toHaveLength(5)
    const halved = made({ GeodesicSubdivisions: 1 })
    expect(halved).toHaveLength(42)
    onSphere(halved)
    for (const [i, a] of corners.entries())
      for (const b of corners.slice(i + 1)) {
        if (apart(a, b) > edge + 1) continue
        const sum = a.map((value, k) => value + (b[k] ?? 0))
        const middle = sum.map((value) => (value * 200) / length(sum))
        expect(halved.some((place) => apart(place, middle) < 1e-6)).toBe(true)
      }
    expect(made({ GeodesicSubdivisions: 3 })).toHaveLength(642)
  })

  const lattice = (latitudes: Vec, longitudes: Vec) =>
    latitudes.flatMap((latitude) =>
      longitudes.map((longitude) => {
        const [up, round] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
        return [Math.cos(up) * Math.cos(round), Math.cos(up) * Math.sin(round), Math.sin(up)].map((v) => v * 200)
      }),
    )
  it('PCGCreatePointsSphereSettings Segments and Angle: rows of latitude, each around', () => {
    const segments = { SphereGeneration: 'Segments', LatitudinalSegments: 4, LongitudinalSegments: 3 }
    close(made(segments), lattice([-90, -45, 0, 45, 90], [-180, -60, 60]))
    close(made({ SphereGeneration: 'Angle', Theta: 60, Phi: 90 }), lattice([-90, -30, 30, 90], [-180, -90, 0, 90]))
  })
  it('PCGCreatePointsSphereSettings Random and Poisson: on the sphere, as many or as far apart as asked', () => {
    const random = made({ SphereGeneration: 'Random', SampleCount: 400 })
    expect(random).toHaveLength(400)
    onSphere(random)
    // Even over the sphere: the height is even too (Archimedes), so half of it is in the middle half.
    const middle = random.filter(([, , z = 0]) => Math.abs(z) < 100).length
    expect(Math.abs(middle - 200)).toBeLessThan(60)
    const poisson = made({ SphereGeneration: 'Poisson', PoissonDistance: 80 })
    onSphere(poisson)
    for (const [i, a] of poisson.entries())
      for (const b of poisson.slice(i + 1)) expect(apart(a, b)).toBeGreaterThan(79.9)
  })
})

const BENT = [
  [0, 0],
  [100, 0],
  [100, 60],
] as const
const SQUARE = [
  [0, 0],
  [200, 0],
  [200, 200],
  [0, 200],
] as const
const curve = (places: readonly (readonly [number, number])[], settings: Settings = {}): Nodes => ({
  P: points(...places.map(([x, y]) => at(x, y))),
  C: ['PCGCreateSplineSettings', { bLinear: true, ...settings }],
})
const FROM_CURVE = ['P.Out > C.In', 'C.Out > N.In']

describe('curves', () => {
  const controls = (nodes: Nodes, name = '$Position', wires: readonly string[] = FROM_CURVE) =>
    column(page({ ...nodes, N: ['PCGGetSplineControlPointsSettings'] }, wires, 'N'), name) as number[][]

  it('PCGCreateSplineSettings and PCGGetSplineControlPointsSettings: straight pieces, their tangents the way to the next', () => {
    expect(controls(curve(BENT))).toEqual(BENT.map(([x, y]) => [x, y, 0]))
    close(controls(curve(BENT), 'LeaveTangent').slice(0, 2), [
      [100, 0, 0],
      [0, 60, 0],
    ])
    close(controls(curve(BENT), 'ArriveTangent').slice(1), [
      [100, 0, 0],
      [0, 60, 0],
    ])
  })
  it('PCGCreateSplineSettings: bent through its points, half of the way from the last to the next', () => {
    const tangents = controls(curve(BENT, { bLinear: false }), 'LeaveTangent')
    close(tangents.slice(1, 2), [[50, 30, 0]])
    const closed = controls(curve(SQUARE, { bLinear: false, bClosedLoop: true }), 'LeaveTangent')
    close(closed, [
      [100, -100, 0],
      [100, 100, 0],
      [-100, 100, 0],
      [-100, -100, 0],
    ])
  })
  it('PCGCreateSplineSettings: tangents from attributes', () => {
    const nodes: Nodes = {
      P: points(at(0, 0, 0, { BoundsMin: [7, 8, 9] }), at(100, 0, 0, { BoundsMin: [1, 2, 3] })),
      C: [
        'PCGCreateSplineSettings',
        { bApplyCustomTangents: true, ArriveTangentAttribute: '$BoundsMin', LeaveTangentAttribute: '$BoundsMin' },
      ],
    }
    close(controls(nodes, 'ArriveTangent'), [
      [7, 8, 9],
      [1, 2, 3],
    ])
  })

  it.each([
    ['Reverse', true, true],
    // The square is given counter-clockwise, seen from above with X to the right and Y up.
    ['ForceClockwise', true, false],
    ['ForceCounterClockwise', false, true],
  ])(
    'PCGReverseSplineSettings %s: turns a counter-clockwise curve %s and a clockwise one %s',
    (Operation, one, other) => {
      const turned = (places: readonly (readonly [number, number])[]) => {
        const nodes: Nodes = { ...curve(places, { bClosedLoop: true }), R: ['PCGReverseSplineSettings', { Operation }] }
        const found = controls(nodes, '$Position', ['P.Out > C.In', 'C.Out > R.In', 'R.Out > N.In'])
        const back = [...places].reverse().map(([x, y]) => `${x} ${y}`)
        return found.map(([x, y]) => `${x} ${y}`).join() === back.join()
      }
      expect([turned(SQUARE), turned([...SQUARE].reverse())]).toEqual([one, other])
    },
  )

  const segments = (places: readonly (readonly [number, number])[], closed: boolean, settings: Settings = {}) =>
    page({ ...curve(places, { bClosedLoop: closed }), N: ['PCGSplineToSegmentSettings', settings] }, FROM_CURVE, 'N')
  it('PCGSplineToSegmentSettings: in the middle of two control points, half of their difference each way, turned along', () => {
    const found = segments(BENT, false)
    expect(vectors(found)).toEqual([
      [50, 0, 0],
      [100, 30, 0],
    ])
    expect(xs(column(found, '$BoundsMin'))).toEqual([-50, -30])
    expect(xs(column(found, '$BoundsMax'))).toEqual([50, 30])
    close(column(found, '$Rotation'), [
      [0, 0, 0, 1],
      [0, 0, Math.SQRT1_2, Math.SQRT1_2],
    ])
  })
  it('PCGSplineToSegmentSettings: angles, neighbours and tangents; the ends of an open curve have none', () => {
    const open = segments(BENT, false, { bExtractTangents: true })
    close(column(open, 'PreviousAngle'), [0, 90])
    close(column(open, 'NextAngle'), [90, 0])
    expect([column(open, 'PreviousIndex'), column(open, 'NextIndex')]).toEqual([
      [-1, 0],
      [1, -1],
    ])
    close(column(open, 'NextTangent').slice(0, 1), [[0, 60, 0]])
    expect(open.rows[0]).not.toHaveProperty('Clockwise')
    const round = segments(SQUARE, true)
    close(column(round, 'PreviousAngle'), [90, 90, 90, 90])
    expect(column(round, 'PreviousIndex')).toEqual([3, 0, 1, 2])
    expect(column(round, 'NextIndex')).toEqual([1, 2, 3, 0])
    expect(column(round, 'Clockwise')[0]).toBe(false)
    expect(column(segments([...SQUARE].reverse(), true), 'Clockwise')[0]).toBe(true)
    const bare = segments(BENT, false, { bExtractAngles: false, bExtractConnectivityInfo: false })
    expect(Object.keys(bare.rows[0] ?? {}).filter((name) => !name.startsWith('$'))).toEqual(['SegmentIndex'])
  })
})

describe('clusters', () => {
  /** Round clouds of different widths: their middle places are nearer to the wide one. */
  const cloud = (cx: number, width: number, count: number) =>
    Array.from({ length: count }, (_, i) => [
      cx + width * Math.sin(i * 2.4) * Math.sqrt((i + 0.5) / count),
      width * Math.cos(i * 2.4) * Math.sqrt((i + 0.5) / count),
      0,
    ])
  const PLACES = [...cloud(0, 100, 60), ...cloud(160, 12, 40)]
  const START = [
    [-50, 0, 0],
    [170, 0, 0],
  ]
  const found = (settings: Settings) => {
    const nodes: Nodes = {
      P: points(...PLACES.map(([x = 0, y]) => at(x, y))),
      I: points(...START.map(([x = 0, y]) => at(x, y))),
      N: ['PCGClusterSettings', { bOutputFinalCentroids: true, ...settings }],
    }
    const wires = ['P.Out > N.In', 'I.Out > N.Initial Centroids']
    return {
      ids: column(page(nodes, wires, 'N'), 'ClusterId'),
      centers: vectors(page(nodes, wires, 'N', 'Final Centroids')),
    }
  }

  it('PCGClusterSettings KMeans: each point with the nearest centroid, each centroid the mean of its own', () => {
    const { ids, centers } = found({ Algorithm: 'KMeans' })
    for (const [i, place] of PLACES.entries()) {
      const gaps = centers.map((center) => apart(center, place))
      expect(ids[i]).toBe(gaps.indexOf(Math.min(...gaps)))
    }
    for (const [c, center] of centers.entries()) {
      const own = PLACES.filter((_, i) => ids[i] === c)
      close([center], [[0, 1, 2].map((k) => own.reduce((sum, place) => sum + (place[k] ?? 0), 0) / own.length)], 3)
    }
  })

  it('PCGClusterSettings Em: normal distributions, each as wide as its points, by the textbook formulas', () => {
    let means = START.map((mean) => [...mean])
    const middle = [0, 1, 2].map((k) => PLACES.reduce((sum, place) => sum + (place[k] ?? 0), 0) / PLACES.length)
    const whole = PLACES.reduce((sum, place) => sum + apart(place, middle) ** 2, 0) / PLACES.length / 3
    let [widths, shares] = [
      [whole, whole],
      [0.5, 0.5],
    ]
    let belongs: number[][] = []
    for (let n = 0; n < 100; n++) {
      belongs = PLACES.map((place) => {
        const odds = means.map(
          (mean, c) =>
            (shares[c] ?? 0) * (widths[c] ?? 1) ** -1.5 * Math.exp(-(apart(place, mean) ** 2) / (2 * (widths[c] ?? 1))),
        )
        const total = odds.reduce((sum, one) => sum + one, 0)
        return odds.map((one) => one / total)
      })
      const sums = means.map((_, c) => belongs.reduce((sum, odds) => sum + (odds[c] ?? 0), 0))
      const weighted = (c: number, of: (place: Vec) => number) =>
        PLACES.reduce((sum, place, i) => sum + (belongs[i]?.[c] ?? 0) * of(place), 0) / (sums[c] ?? 1)
      const before = means
      means = before.map((_, c) => [0, 1, 2].map((k) => weighted(c, (place) => place[k] ?? 0)))
      widths = means.map((mean, c) => weighted(c, (place) => apart(place, mean) ** 2) / 3)
      shares = sums.map((sum) => sum / PLACES.length)
      if (Math.max(...means.map((mean, c) => apart(mean, before[c] ?? []))) < 1e-4) break
    }
    const { ids, centers } = found({ Algorithm: 'Em' })
    close(centers, means, 2)
    expect(ids).toEqual(belongs.map(([a = 0, b = 0]) => (a >= b ? 0 : 1)))
    // The two ways differ: the wide cloud reaches around the narrow one.
    expect(ids).not.toEqual(found({ Algorithm: 'KMeans' }).ids)
    expect(ids.slice(60)).toEqual(Array.from({ length: 40 }, () => 1))
  })
})

describe('data of actors', () => {
  const actor = (more: Partial<ActorDoc>): ActorDoc => ({
    ...volume([100, 50, 20]),
    name: 'Mine',
    tags: ['Mine'],
    ...more,
  })
  const tagged = { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Mine' } }
  const inLevel = (mine: ActorDoc) => ({ actors: [...firstLevel().actors, mine] })

  it('PCGGetSplineSettings: the curve of the actor, in the place, turn and size of the actor', () => {
    const mine = actor({
      class: 'SplineActor',
      halfSize: null,
      location: [1000, 0, 50],
      rotation: [0, 90, 0],
      scale: [2, 1, 1],
      spline: {
        points: [
          [0, 0, 0],
          [100, 10, 0],
        ],
        closed: false,
        linear: true,
      },
    })
    const nodes: Nodes = { S: ['PCGGetSplineSettings', tagged], N: ['PCGGetSplineControlPointsSettings'] }
    close(vectors(page(nodes, ['S.Out > N.In'], 'N', undefined, 0, inLevel(mine))), [
      [1000, 0, 50],
      [1000 - 10, 200, 50],
    ])
  })

  it('PCGGetVolumeSettings: the box of the actor, turned with it', () => {
    const mine = actor({ class: 'PCGVolume', location: [1000, 0, 0], rotation: [0, 90, 0] })
    const nodes: Nodes = {
      V: ['PCGGetVolumeSettings', tagged],
      P: points(at(1000, 99), at(1000, 101), at(1049, 0), at(1051, 0), at(1000, 0, 21)),
      N: ['PCGInnerIntersectionSettings'],
    }
    const found = vectors(page(nodes, ['P.Out > N.In', 'V.Out > N.In'], 'N', undefined, 0, inLevel(mine)))
    expect(found).toEqual([
      [1000, 99, 0],
      [1049, 0, 0],
    ])
  })

  it('PCGDataFromActorSettings GetSinglePoint: the actor as a point, its box turned and sized once', () => {
    const mine = actor({ location: [10, 20, 30], rotation: [0, 90, 0], scale: [2, 3, 1] })
    const nodes: Nodes = { N: ['PCGDataFromActorSettings', { ...tagged, Mode: 'GetSinglePoint' }] }
    const found = page(nodes, [], 'N', undefined, 0, inLevel(mine))
    expect([column(found, '$Position'), column(found, '$Scale')]).toEqual([[[10, 20, 30]], [[2, 3, 1]]])
    close(column(found, '$Rotation'), [[0, 0, Math.SQRT1_2, Math.SQRT1_2]])
    expect(column(found, '$BoundsMax')).toEqual([[100, 50, 20]])
  })

  it('PCGGetLandscapeSettings: the ground, at its own height and leaning with it', () => {
    const field = firstLevel().actors.find((each) => each.heightField)?.heightField
    if (!field) throw new Error('The level has no landscape')
    const nodes: Nodes = {
      G: ['PCGGetLandscapeSettings'],
      P: numbersAt(-1200, 300, 1700),
      N: ['PCGProjectionSettings'],
      D: ['PCGNormalToDensitySettings'],
    }
    const wires = ['P.Out > N.In', 'G.Out > N.Projection Target', 'N.Out > D.In']
    close(
      vectors(page(nodes, wires, 'N')),
      [-1200, 300, 1700].map((x) => [x, 0, heightAt(field, x, 0)]),
    )
    // The cosine of the slope of the ground, from heights a centimetre apart.
    const leans = [-1200, 300, 1700].map((x) => {
      const rise = heightAt(field, x + 0.5, 0) - heightAt(field, x - 0.5, 0)
      const side = heightAt(field, x, 0.5) - heightAt(field, x, -0.5)
      return 1 / Math.sqrt(1 + rise * rise + side * side)
    })
    close(column(page(nodes, wires, 'D'), '$Density'), leans, 3)
  })
})

it('PCGCreatePointsSettings: every field of a point as given, or its default', () => {
  const given = { Density: 0.5, Steepness: 0.25, Seed: 4, BoundsMin: [-1, -2, -3], BoundsMax: [4, 5, 6] }
  const of = (name: string) => column(page({ N: points(at(10.9, -2.9, 3, given), at(10.9, -2.9, 3)) }, [], 'N'), name)
  expect(of('$Density')).toEqual([0.5, 1])
  expect(of('$Steepness')).toEqual([0.25, 0.5])
  expect(of('$Seed')).toEqual([4, S3(10, -2, 3)])
  expect(of('$BoundsMin')).toEqual([
    [-1, -2, -3],
    [-1, -1, -1],
  ])
  expect(of('$BoundsMax')).toEqual([
    [4, 5, 6],
    [1, 1, 1],
  ])
})
