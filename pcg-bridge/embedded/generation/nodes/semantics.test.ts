// What nodes compute, against plain loops written from the reference: no code of the engine but its random stream.
import { describe, expect, it } from 'vitest'
import { type ActorDoc, firstLevel } from '../../../editor/document.ts'
import { column, graphOf, held, type Nodes, planOf, runPlan, vectors, volume } from '../graph.fixture.ts'
import { heightAt } from '../height-field.ts'

const at = (nodes: Nodes, wires: readonly string[], more: Parameters<typeof planOf>[1] = {}) =>
  planOf(graphOf(nodes, wires), more)
const length = (...parts: readonly number[]): number => Math.sqrt(parts.reduce((sum, part) => sum + part * part, 0))

/** The stream of the reference, D2. */
const next = (state: number): number => (Math.imul(state, 196314165) + 907633515) | 0
const fraction = (state: number): number => (state >>> 9) / 2 ** 23
const S1 = (a: number): number => (Math.imul(a, 196314165) + 907633515) | 0
const S2 = (a: number, b: number): number => S1(a) ^ (Math.imul(b, 73148459) + 453816763)
const S3 = (a: number, b: number, c: number): number => S2(a, b) ^ (Math.imul(c, 34731343) + 453816743)

describe('PCGSurfaceSamplerSettings (D4)', () => {
  it.each([
    [0.01, 20],
    [0.1, 225],
    [0.5, 1225],
    [1, 2601],
  ])('%d points a square metre on 50 m × 50 m are %d points, at the places of the reference', (perMeter, count) => {
    const plan = at(
      {
        Ground: ['PCGGetLandscapeSettings'],
        Sample: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: perMeter }],
      },
      ['Ground.Out > Sample.Surface'],
      { actor: volume([2500, 2500, 2000]) },
    )
    const cell = Math.max(100, Math.sqrt(10_000 / perMeter))
    const seed = S2(42, 42)
    const places: [number, number][] = []
    for (let iy = Math.ceil(-2500 / cell); iy <= Math.floor(2500 / cell); iy++)
      for (let ix = Math.ceil(-2500 / cell); ix <= Math.floor(2500 / cell); ix++) {
        const draws = [next(S3(seed, ix, iy))]
        for (let i = 0; i < 2; i++) draws.push(next(draws.at(-1) ?? 0))
        // Looseness 1: anywhere in what the extents of 50 leave of the cell.
        const [x, y] = [1, 2].map((i) => (i === 1 ? ix : iy) * cell + fraction(draws[i] ?? 0) * (cell - 100))
        if (Math.abs(x ?? 0) <= 2500 && Math.abs(y ?? 0) <= 2500) places.push([x ?? 0, y ?? 0])
      }
    expect(places).toHaveLength(count)
    const made = vectors(held(plan, 'Sample'))
    expect(made).toHaveLength(count)
    for (const [i, [x, y]] of places.entries()) {
      expect(made[i]?.[0]).toBeCloseTo(x, 6)
      expect(made[i]?.[1]).toBeCloseTo(y, 6)
    }
  })
})

describe('PCGVolumeSamplerSettings (V2: a lattice through the origin of the world, both borders included)', () => {
  it('gives every whole multiple of the voxel inside the volume', () => {
    const plan = at(
      {
        Volume: ['PCGGetVolumeSettings'],
        Sample: ['PCGVolumeSamplerSettings', { VoxelSize: [100, 100, 100] }],
      },
      ['Volume.Out > Sample.Volume'],
      { actor: volume([450, 500, 200], { location: [50, 0, 0] }) },
    )
    const wanted: string[] = []
    for (let z = -2; z <= 2; z++)
      for (let y = -5; y <= 5; y++) for (let x = -4; x <= 5; x++) wanted.push(`${x * 100} ${y * 100} ${z * 100}`)
    expect(vectors(held(plan, 'Sample')).map((place) => place.map((part) => part + 0).join(' '))).toEqual(wanted)
  })
})

describe('PCGSelfPruningSettings (D5)', () => {
  const scattered = (type: string, parameters: Record<string, unknown> = {}) =>
    at(
      {
        Ground: ['PCGGetLandscapeSettings'],
        Sample: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 1, PointSteepness: 1 }],
        Vary: ['PCGTransformPointsSettings', { ScaleMin: [0.3, 0.3, 0.3], ScaleMax: [3, 3, 3], bUniformScale: true }],
        Apart: ['PCGSelfPruningSettings', { Parameters: { PruningType: type, ...parameters } }],
      },
      ['Ground.Out > Sample.Surface', 'Sample.Out > Vary.In', 'Vary.Out > Apart.In'],
      { actor: volume([1500, 1500, 2000]) },
    )
  type Point = { readonly place: readonly number[]; readonly scale: number }
  const pointsOf = (plan: ReturnType<typeof at>, node: string): Point[] => {
    const page = held(plan, node)
    const scales = vectors(page, '$Scale')
    return vectors(page).map((place, i) => ({ place, scale: scales[i]?.[0] ?? 0 }))
  }
  const keyOf = ({ place }: Point): string => place.join(' ')

  it.each(['LargeToSmall', 'SmallToLarge'])(
    '%s: nothing yields to a point outranked by more than the factor',
    (type) => {
      const all = pointsOf(scattered(type), 'Vary')
      const kept = pointsOf(scattered(type), 'Apart')
      const stays = new Set(kept.map(keyOf))
      const turn = type === 'LargeToSmall' ? 1 : -1
      // The bounds lean with the ground, so a neighbour is a point whose box touches.
      const near = (a: Point, b: Point): boolean =>
        length(...a.place.map((part, k) => part - (b.place[k] ?? 0))) < 100 * (a.scale + b.scale)
      expect(kept.length).toBeLessThan(all.length / 2)
      for (const gone of all.filter((point) => !stays.has(keyOf(point)))) {
        const rivals = kept.filter((point) => near(point, gone))
        // Squared sizes within 25 % count as equal.
        expect(rivals.some((point) => turn * (point.scale ** 2 - gone.scale ** 2) >= 0 || similar(point, gone))).toBe(
          true,
        )
      }
    },
  )
  const similar = (a: Point, b: Point): boolean => {
    const [small, large] = [a.scale, b.scale].sort((x, y) => x - y)
    return (large ?? 0) ** 2 <= 1.2500001 * (small ?? 0) ** 2
  }

  it('keeps different points by size order, and the largest of all', () => {
    const [large, small] = [pointsOf(scattered('LargeToSmall'), 'Apart'), pointsOf(scattered('SmallToLarge'), 'Apart')]
    expect(large.length).toBeLessThan(small.length)
    const exact = pointsOf(scattered('LargeToSmall', { RadiusSimilarityFactor: 0 }), 'Apart')
    const most = Math.max(...pointsOf(scattered('LargeToSmall'), 'Vary').map(({ scale }) => scale))
    expect(Math.max(...exact.map(({ scale }) => scale))).toBe(most)
  })
})

describe('PCGSplineSamplerSettings (D4)', () => {
  const spline = (points: readonly (readonly [number, number, number])[], closed: boolean): ActorDoc => ({
    ...volume(null, { name: 'Curve', class: 'SplineActor', tags: ['Curve'] }),
    spline: { points: points.map(([x, y, z]) => [x, y, z]), closed, linear: false },
  })
  const sampled = (curve: ActorDoc, parameters: Record<string, unknown>) =>
    held(
      at(
        {
          Curve: [
            'PCGGetSplineSettings',
            { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Curve' } },
          ],
          Posts: [
            'PCGSplineSamplerSettings',
            { SamplerParams: { Mode: 'Distance', bComputeDistance: true, ...parameters } },
          ],
        },
        ['Curve.Out > Posts.Spline'],
        { actors: [...firstLevel().actors, curve] },
      ),
      'Posts',
    )
  const BENT = [
    [0, 0, 0],
    [1000, 900, 100],
    [2000, -800, 0],
    [3200, 300, -200],
  ] as const

  /** Catmull-Rom through the places, walked in steps so small that chords are arcs. */
  function walked(points: readonly (readonly number[])[], closed: boolean, steps = 20_000): { total: number } {
    const n = points.length
    const point = (i: number) => points[closed ? (i + n) % n : Math.min(n - 1, Math.max(0, i))] ?? []
    const tangent = (i: number) => [0, 1, 2].map((k) => ((point(i + 1)[k] ?? 0) - (point(i - 1)[k] ?? 0)) / 2)
    let total = 0
    for (let segment = 0; segment < (closed ? n : n - 1); segment++) {
      const [a, b, ta, tb] = [point(segment), point(segment + 1), tangent(segment), tangent(segment + 1)]
      let before = a
      for (let i = 1; i <= steps; i++) {
        const t = i / steps
        const place = [0, 1, 2].map(
          (k) =>
            (2 * t ** 3 - 3 * t ** 2 + 1) * (a[k] ?? 0) +
            (t ** 3 - 2 * t ** 2 + t) * (ta[k] ?? 0) +
            (-2 * t ** 3 + 3 * t ** 2) * (b[k] ?? 0) +
            (t ** 3 - t ** 2) * (tb[k] ?? 0),
        )
        total += length(...place.map((part, k) => part - (before[k] ?? 0)))
        before = place
      }
    }
    return { total }
  }

  it('steps by arc length: distances are multiples of the increment to a thousandth', () => {
    const page = sampled(spline(BENT, false), { DistanceIncrement: 100 })
    const { total } = walked(BENT, false)
    expect(page.rowCount).toBe(Math.floor(total / 100) + 1)
    for (const [i, distance] of column(page, 'Distance').entries()) expect(Number(distance)).toBeCloseTo(i * 100, 3)
    const places = vectors(page)
    for (const [i, place] of places.slice(1).entries())
      expect(length(...place.map((part, k) => part - (places[i]?.[k] ?? 0)))).toBeLessThanOrEqual(100 + 1e-6)
  })

  it.each([
    ['by distance', { DistanceIncrement: 100 }],
    ['fitted', { DistanceIncrement: 130, bFitToCurve: true }],
    ['by number', { Mode: 'NumberOfSamples', NumSamples: 24 }],
  ])('gives a closed curve no doubled point, %s', (_mode, parameters) => {
    const square = [
      [-800, -800, 0],
      [800, -800, 0],
      [800, 800, 0],
      [-800, 800, 0],
    ] as const
    const curve: ActorDoc = {
      ...spline(square, true),
      spline: { points: square.map((p) => [...p]), closed: true, linear: true },
    }
    const page = sampled(curve, parameters)
    const places = vectors(page)
    const count = 'NumSamples' in parameters ? 24 : 'bFitToCurve' in parameters ? 49 : 64
    expect(places).toHaveLength(count)
    const gap = 6400 / count
    for (const [i, distance] of column(page, 'Distance').entries()) expect(Number(distance)).toBeCloseTo(i * gap, 6)
    expect(length(...(places.at(-1) ?? []).map((part, k) => part - (places[0]?.[k] ?? 0)))).toBeGreaterThan(gap / 2)
  })
})

describe('PCGCreatePointsSettings', () => {
  it('applies Color, white where a point names none', () => {
    const plan = at(
      {
        Points: [
          'PCGCreatePointsSettings',
          { PointsToCreate: [{ Color: { R: 1, G: 0.5, B: 0.25, A: 0 } }, { Color: [0, 0, 1, 1] }, {}] },
        ],
      },
      [],
    )
    expect(column(held(plan, 'Points'), '$Color')).toEqual([
      [1, 0.5, 0.25, 0],
      [0, 0, 1, 1],
      [1, 1, 1, 1],
    ])
  })
})

describe('PCGWorldRaycastElementSettings', () => {
  const field = firstLevel().actors.find((actor) => actor.heightField)?.heightField
  const ground = (x: number, y: number): number => {
    if (!field) throw new Error('The level has no landscape')
    return heightAt(field, x, y)
  }
  const cast = (location: readonly number[], settings: Record<string, unknown>) =>
    vectors(
      held(
        at(
          {
            From: ['PCGCreatePointsSettings', { PointsToCreate: [{ Transform: { location } }] }],
            Ray: ['PCGWorldRaycastElementSettings', settings],
          },
          ['From.Out > Ray.Origins'],
        ),
        'Ray',
      ),
    )

  it('follows RayDirection: down onto the ground, up into nothing', () => {
    const [hit] = cast([2500, -1800, 900], { RayDirection: [0, 0, -1] })
    expect(hit?.[2]).toBeCloseTo(ground(2500, -1800), 6)
    expect(cast([2500, -1800, 900], { RayDirection: [0, 0, 1] })).toEqual([])
    expect(cast([2500, -1800, 900], { RayDirection: [0, 0, 1], bKeepOriginalPointOnMiss: true })).toEqual([
      [2500, -1800, 900],
    ])
  })

  it('meets the side of a box and the slope of a hill', () => {
    // The boulder of the level stands at x 600 and reaches 100 each way.
    expect(cast([0, 50, 120], { RayDirection: [1, 0, 0] })[0]).toEqual([500, 50, 120])
    const [hit] = cast([3000, 3000, 600], { RayDirection: [1, 0.4, -0.3] })
    expect(hit).toBeDefined()
    const [x = 0, y = 0, z = 0] = hit ?? []
    expect(z).toBeCloseTo(ground(x, y), 3)
    // On the ray, and above the ground all the way.
    const t = (x - 3000) / 1
    expect(y).toBeCloseTo(3000 + 0.4 * t, 6)
    for (let s = 0; s < t - 1; s += 5) expect(600 - 0.3 * s).toBeGreaterThan(ground(3000 + s, 3000 + 0.4 * s) - 1)
  })

  it.each([
    ['ScaledVector', { RaycastMode: 'ScaledVector', RayDirection: [0, 0, -100] }, false],
    ['ScaledVector', { RaycastMode: 'ScaledVector', RayDirection: [0, 0, -5000] }, true],
    ['NormalizedWithLength', { RaycastMode: 'NormalizedWithLength', RayDirection: [0, 0, -1], RayLength: 100 }, false],
    ['NormalizedWithLength', { RaycastMode: 'NormalizedWithLength', RayDirection: [0, 0, -7], RayLength: 5000 }, true],
  ])('%s bounds the reach: %j', (_mode, settings, hits) => {
    expect(cast([0, -3000, 1500], settings)).toHaveLength(hits ? 1 : 0)
  })
})

it('PCGSanityCheckPointDataSettings reports an error on its node and the rest of the graph runs', () => {
  const plan = at(
    {
      Grid: ['PCGCreatePointsGridSettings'],
      Check: ['PCGSanityCheckPointDataSettings', { MinPointCount: 1_000_000, MaxPointCount: 2_000_000 }],
      Other: ['PCGRerouteSettings'],
    },
    ['Grid.Out > Check.In', 'Grid.Out > Other.In', 'Other.Out > Output.Out'],
  )
  const { reports, output } = runPlan(plan)
  expect(reports.find(({ node }) => node === 'Check')).toMatchObject({
    filled: [],
    errors: [expect.stringMatching(/points: not between/)],
  })
  expect(output[0]?.rows).toBeGreaterThan(0)
})
