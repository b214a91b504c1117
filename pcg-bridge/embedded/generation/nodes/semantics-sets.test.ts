// Sets, copies, boxes and density class by class, against arithmetic written from the reference: no code of the engine.
import { describe, expect, it } from 'vitest'
import { column, type Nodes, vectors } from '../graph.fixture.ts'
import { at, fraction, NODE_SEED, next, numbersAt, over, page, points, S2 } from '../semantics.fixture.ts'

const xs = (found: readonly unknown[]) => (found as readonly (readonly number[])[]).map(([x]) => x)
const HARD = { Steepness: 1, BoundsMin: [-10, -10, -10], BoundsMax: [10, 10, 10] }

/** D3: how dense a point is at a place, as a fraction of its density. */
function reach(gaps: readonly number[], half: number, steepness: number): number {
  return gaps.reduce((product, gap) => {
    const ratio = Math.max(0, Math.abs(gap) / half - steepness) / Math.max(2 - 2 * steepness, 1e-4)
    return product * Math.max(0, 1 - ratio)
  }, 1)
}

describe('union', () => {
  it.each([
    ['Maximum', (a: number, b: number) => Math.max(a, b)],
    ['ClampedAddition', (a: number, b: number) => Math.min(1, a + b)],
    ['Binary', (a: number, b: number) => (a > 0 || b > 0 ? 1 : 0)],
  ] as const)(
    'PCGUnionSettings %s: each place once, its density that of both lists together',
    (DensityFunction, of) => {
      const nodes: Nodes = {
        A: points(at(0, 0, 0, { ...HARD, Density: 0.25 }), at(100, 0, 0, { ...HARD, Density: 0.5 })),
        B: points(at(0, 0, 0, { ...HARD, Density: 0.375 }), at(200, 0, 0, { ...HARD, Density: 0.75 })),
        N: ['PCGUnionSettings', { DensityFunction }],
      }
      const found = page(nodes, ['A.Out > N.In', 'B.Out > N.In'], 'N')
      expect(xs(vectors(found))).toEqual([0, 100, 200])
      expect(column(found, '$Density')).toEqual([of(0.25, 0.375), of(0.5, 0), of(0.75, 0)])
    },
  )

  it('PCGUnionSettings: a soft neighbour of the other list weighs by its distance', () => {
    const box = { BoundsMin: [-10, -10, -10], BoundsMax: [10, 10, 10], Steepness: 0.5 }
    const nodes: Nodes = {
      A: points(at(0, 0, 0, { ...box, Density: 0.25 })),
      B: points(at(9, 0, 0, { ...box, Density: 0.5 })),
      N: ['PCGUnionSettings', { DensityFunction: 'ClampedAddition' }],
    }
    const found = column(page(nodes, ['A.Out > N.In', 'B.Out > N.In'], 'N'), '$Density') as number[]
    expect(found[0]).toBeCloseTo(0.25 + 0.5 * reach([9, 0, 0], 10, 0.5), 6)
    expect(found[1]).toBeCloseTo(0.5 + 0.25 * reach([9, 0, 0], 10, 0.5), 6)
  })

  it('PCGUnionSettings: the order decides whose attributes stay; KeepAll repeats places', () => {
    const of = (Type: string) => {
      const nodes: Nodes = {
        A: points(at(0, 0, 0, { Seed: 1 })),
        B: points(at(0, 0, 0, { Seed: 2 }), at(5, 0, 0, { Seed: 3 })),
        N: ['PCGUnionSettings', { Type }],
      }
      return column(page(nodes, ['A.Out > N.In', 'B.Out > N.In'], 'N'), '$Seed')
    }
    expect(of('LeftToRightPriority')).toEqual([1, 3])
    expect(of('RightToLeftPriority')).toEqual([2, 3])
    expect(of('KeepAll')).toEqual([1, 2, 3])
  })
})

describe('difference and intersection', () => {
  const soft = { BoundsMin: [-10, -10, -10], BoundsMax: [10, 10, 10], Steepness: 0.5 }
  const two = (node: Nodes[string], pins: readonly [string, string]) => {
    const nodes: Nodes = {
      S: points(...[0, 8, 12, 40].map((x) => at(x, 0, 0, { ...soft, Density: 0.75 }))),
      T: points(at(0, 0, 0, { ...soft, Density: 0.5 })),
      N: node,
    }
    const found = page(nodes, [`S.Out > N.${pins[0]}`, `T.Out > N.${pins[1]}`], 'N')
    return new Map(xs(vectors(found)).map((x, i) => [x, column(found, '$Density')[i]]))
  }
  const there = (x: number) => 0.5 * reach([x, 0, 0], 10, 0.5)

  it.each([
    ['ClampedSubstraction', (a: number, b: number) => Math.max(0, a - b)],
    ['Binary', (a: number, b: number) => (b > 0 ? 0 : a)],
    ['Minimum', (a: number, b: number) => Math.min(a, 1 - b)],
  ] as const)(
    'PCGDifferenceSettings %s: density less that of the others; nothing left is dropped',
    (DensityFunction, of) => {
      const found = two(['PCGDifferenceSettings', { DensityFunction }], ['Source', 'Differences'])
      for (const x of [0, 8, 12, 40]) {
        const wanted = of(0.75, there(x))
        if (wanted === 0) expect(found.has(x)).toBe(false)
        else expect(found.get(x)).toBeCloseTo(wanted, 6)
      }
    },
  )

  it.each([
    ['Multiply', (a: number, b: number) => a * b],
    ['Minimum', (a: number, b: number) => Math.min(a, b)],
  ] as const)(
    'PCGInnerIntersectionSettings and PCGOuterIntersectionSettings %s: where both are, by the product or the less',
    (DensityFunction, of) => {
      for (const [name, pins] of [
        ['PCGInnerIntersectionSettings', ['In', 'In']],
        ['PCGOuterIntersectionSettings', ['Primary Source', 'Source 1']],
      ] as const) {
        const found = two([name, { DensityFunction }], pins)
        for (const x of [0, 8, 12]) expect(found.get(x)).toBeCloseTo(of(0.75, there(x)), 6)
        expect(found.has(40)).toBe(false)
      }
    },
  )

  it('PCGOuterIntersectionSettings: an empty secondary pin leaves nothing, unless it is ignored', () => {
    const of = (bIgnorePinsWithNoInput: boolean) =>
      page(
        {
          S: numbersAt(1),
          E: ['PCGCreatePointsSettings', { PointsToCreate: [] }],
          F: ['PCGRemoveEmptyDataSettings'],
          N: ['PCGOuterIntersectionSettings', { bIgnorePinsWithNoInput }],
        },
        ['S.Out > N.Primary Source', 'E.Out > F.In', 'F.Out > N.Source 1'],
        'N',
      ).dataCount
    expect([of(false), of(true)]).toEqual([0, 1])
  })
})

describe('projection', () => {
  it('PCGProjectionSettings: straight onto the top of the target; what misses it is dropped, or kept without density', () => {
    const of = (settings: Record<string, unknown>) =>
      page(
        {
          P: points(at(600, 0, 900), at(650, 50, -500), at(5000, 0, 0)),
          R: [
            'PCGGetPrimitiveSettings',
            { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Rock' } },
          ],
          N: ['PCGProjectionSettings', settings],
        },
        ['P.Out > N.In', 'R.Out > N.Projection Target'],
        'N',
      )
    // The boulder stands at (600, 0, 100) and reaches 100 each way: its top is at 200.
    expect(vectors(of({}))).toEqual([
      [600, 0, 200],
      [650, 50, 200],
    ])
    const kept = of({ bKeepZeroDensityPoints: true })
    expect(column(kept, '$Density')).toEqual([1, 1, 0])
    const flat = of({ ProjectionParams: { bProjectPositions: false } })
    expect(vectors(flat)).toEqual([
      [600, 0, 900],
      [650, 50, -500],
    ])
  })
})

describe('copies', () => {
  const turned = { Transform: { rotation: [0, 90, 0], scale: [2, 3, 4] } }
  const nodes = (settings: Record<string, unknown>): Nodes => ({
    S: points(at(1, 2, 3, { Seed: 11, Color: [0.5, 1, 1, 1] }), at(-4, 0, 0, { Seed: 12 })),
    T: points(
      at(100, 0, 0, { ...turned, Transform: { ...turned.Transform }, Seed: 21, Color: [0.5, 0.5, 1, 1] }),
      at(0, 50, 0, { Seed: 22 }),
    ),
    N: ['PCGCopyPointsSettings', settings],
  })
  const of = (settings: Record<string, unknown>, name = '$Position') =>
    column(page(nodes(settings), ['S.Out > N.Source', 'T.Out > N.Target'], 'N'), name)

  it('PCGCopyPointsSettings: each source in the frame of each target, source first', () => {
    // Scaled by (2, 3, 4), then (x, y) → (-y, x), then moved.
    const wanted = [
      [100 - 6, 2, 12],
      [1, 52, 3],
      [100, -8, 0],
      [-4, 50, 0],
    ]
    for (const [i, place] of (of({}) as number[][]).entries())
      for (const [k, value] of place.entries()) expect(value).toBeCloseTo(wanted[i]?.[k] ?? 0, 9)
    const plain = of({ bApplyTargetRotationToPositions: false, bApplyTargetScaleToPositions: false })
    expect(plain).toEqual([
      [101, 2, 3],
      [1, 52, 3],
      [96, 0, 0],
      [-4, 50, 0],
    ])
  })

  it('PCGCopyPointsSettings: seeds, colours and scales are mixed, or those of one side', () => {
    expect(of({}, '$Seed')).toEqual([S2(11, 21), S2(11, 22), S2(12, 21), S2(12, 22)])
    expect(of({ SeedInheritance: 'Source' }, '$Seed')).toEqual([11, 11, 12, 12])
    expect(of({ SeedInheritance: 'Target' }, '$Seed')).toEqual([21, 22, 21, 22])
    expect((of({}, '$Color') as number[][])[0]).toEqual([0.25, 0.5, 1, 1])
    expect(of({ ScaleInheritance: 'Source' }, '$Scale')).toEqual(Array.from({ length: 4 }, () => [1, 1, 1]))
    expect((of({ ScaleInheritance: 'Target' }, '$Scale') as number[][])[0]).toEqual([2, 3, 4])
  })
})

describe('boxes', () => {
  const BOX = { BoundsMin: [-10, -20, -30], BoundsMax: [30, 40, 50], Steepness: 0.5 }
  it.each([
    ['Set', (_: number, by: number) => by, (_: number, by: number) => by, 0.75],
    ['Intersect', Math.max, Math.min, 0.5],
    ['Include', Math.min, Math.max, 0.75],
    ['Translate', (a: number, by: number) => a + by, (a: number, by: number) => a + by, 1],
    ['Scale', (a: number, by: number) => a * by, (a: number, by: number) => a * by, 0.375],
  ] as const)('PCGBoundsModifierSettings %s: both corners, and the steepness when asked', (Mode, low, high, steep) => {
    const [BoundsMin, BoundsMax] = [
      [-15, -5, 2],
      [10, 60, 3],
    ]
    const settings = { Mode, BoundsMin, BoundsMax, bAffectSteepness: true, Steepness: 0.75 }
    const of = (name: string) => over('PCGBoundsModifierSettings', settings, points(at(0, 0, 0, BOX)), name)[0]
    expect(of('$BoundsMin')).toEqual(BOX.BoundsMin.map((value, k) => low(value, BoundsMin[k] ?? 0)))
    expect(of('$BoundsMax')).toEqual(BOX.BoundsMax.map((value, k) => high(value, BoundsMax[k] ?? 0)))
    expect(of('$Steepness')).toBe(steep)
  })

  it('PCGResetPointCenterSettings: the pivot moves to the place in the box, the box stays in the world', () => {
    const given = points(
      at(100, 0, 0, { ...BOX, Transform: { location: [100, 0, 0], rotation: [0, 90, 0], scale: [2, 1, 1] } }),
    )
    const settings = { PointCenterLocation: [1, 0.5, 0] }
    const of = (name: string) => over('PCGResetPointCenterSettings', settings, given, name)[0] as number[]
    // The pivot in the box is (30, 10, -30), scaled (60, 10, -30), turned to (-10, 60, -30).
    for (const [k, value] of of('$Position').entries()) expect(value).toBeCloseTo([90, 60, -30][k] ?? 0, 9)
    expect(of('$BoundsMin')).toEqual([-40, -30, 0])
    expect(of('$BoundsMax')).toEqual([0, 30, 80])
  })

  it.each(['X', 'Y', 'Z'])('PCGSplitPointsSettings %s: two boxes that meet at the plane', (SplitAxis) => {
    const k = 'XYZ'.indexOf(SplitAxis)
    const of = (pin: string, name: string) =>
      over('PCGSplitPointsSettings', { SplitAxis, SplitPosition: 0.25 }, points(at(0, 0, 0, BOX)), name, pin)[0]
    const cut = (BOX.BoundsMin[k] ?? 0) + 0.25 * ((BOX.BoundsMax[k] ?? 0) - (BOX.BoundsMin[k] ?? 0))
    const replaced = (list: readonly number[]) => list.map((value, i) => (i === k ? cut : value))
    expect(of('Before Split', '$BoundsMin')).toEqual(BOX.BoundsMin)
    expect(of('Before Split', '$BoundsMax')).toEqual(replaced(BOX.BoundsMax))
    expect(of('After Split', '$BoundsMin')).toEqual(replaced(BOX.BoundsMin))
    expect(of('After Split', '$BoundsMax')).toEqual(BOX.BoundsMax)
  })
})

describe('density', () => {
  it.each([
    ['Set', (_: number, n: number) => n],
    ['Minimum', Math.min],
    ['Maximum', Math.max],
    ['Add', (d: number, n: number) => Math.min(1, d + n)],
    ['Multiply', (d: number, n: number) => d * n],
  ] as const)('PCGDensityNoiseSettings %s: a draw of the stream of the point and the density', (DensityMode, of) => {
    const list = [3, 4, 5].map((Seed) => at(Seed, 0, 0, { Seed, Density: 0.75 }))
    for (const bInvertSourceDensity of [false, true]) {
      const settings = { DensityMode, DensityNoiseMin: 0.25, DensityNoiseMax: 0.75, bInvertSourceDensity }
      const found = over('PCGDensityNoiseSettings', settings, points(...list), '$Density')
      for (const [i, seed] of [3, 4, 5].entries()) {
        const noise = 0.25 + 0.5 * fraction(next(S2(NODE_SEED, seed)))
        expect(found[i]).toBeCloseTo(of(bInvertSourceDensity ? 0.25 : 0.75, noise), 6)
      }
    }
  })

  it('PCGDensityFilterSettings: both bounds included; zero is dropped unless kept', () => {
    const densities = [0, 0.25, 0.5, 0.75, 1]
    const given = points(...densities.map((Density, x) => at(x, 0, 0, { Density })))
    const of = (settings: Record<string, unknown>) => over('PCGDensityFilterSettings', settings, given, '$Density')
    expect(of({ LowerBound: 0.25, UpperBound: 0.75 })).toEqual([0.25, 0.5, 0.75])
    expect(of({ LowerBound: 0.25, UpperBound: 0.75, bInvertFilter: true })).toEqual([0, 1])
    expect(of({ LowerBound: 0, UpperBound: 0.25 })).toEqual([0.25])
    expect(of({ LowerBound: 0, UpperBound: 0.25, bKeepZeroDensityPoints: true })).toEqual([0, 0.25])
  })
})

describe('transform', () => {
  const RANGES = {
    OffsetMin: [-10, 0, 5],
    OffsetMax: [10, 20, 6],
    RotationMin: [0, -45, 0],
    RotationMax: [0, 45, 0],
    ScaleMin: [0.5, 1, 2],
    ScaleMax: [1.5, 3, 2],
  }
  /** Nine draws: offset, pitch, yaw, roll, scale (D5). */
  const draws = (seed: number) => {
    const states = [next(S2(NODE_SEED, seed))]
    while (states.length < 9) states.push(next(states.at(-1) ?? 0))
    const all = [RANGES.OffsetMin, RANGES.RotationMin, RANGES.ScaleMin].flat()
    const most = [RANGES.OffsetMax, RANGES.RotationMax, RANGES.ScaleMax].flat()
    return states.map((state, i) => (all[i] ?? 0) + ((most[i] ?? 0) - (all[i] ?? 0)) * fraction(state))
  }
  const close = (found: unknown, wanted: readonly number[]) => {
    for (const [k, value] of (found as number[]).entries()) expect(value).toBeCloseTo(wanted[k] ?? 0, 6)
  }
  const yaw = (degrees: number) => [0, 0, Math.sin((degrees * Math.PI) / 360), Math.cos((degrees * Math.PI) / 360)]

  it('PCGTransformPointsSettings: offset along the axes of the point, turn on top of its turn, scale times its scale', () => {
    const given = points(
      ...[7, 8].map((Seed) =>
        at(0, 0, 0, { Seed, Transform: { location: [100, 0, 0], rotation: [0, 90, 0], scale: [2, 2, 2] } }),
      ),
    )
    const of = (name: string, more = {}) =>
      over('PCGTransformPointsSettings', { ...RANGES, bUniformScale: false, ...more }, given, name)
    for (const [i, seed] of [7, 8].entries()) {
      const [x = 0, y = 0, z = 0, , turn = 0, , a = 0, b = 0, c = 0] = draws(seed)
      close(of('$Position')[i], [100 - y, x, z])
      close(of('$Position', { bAbsoluteOffset: true })[i], [100 + x, y, z])
      close(of('$Rotation')[i], yaw(90 + turn))
      close(of('$Rotation', { bAbsoluteRotation: true })[i], yaw(turn))
      close(of('$Scale')[i], [2 * a, 2 * b, 2 * c])
      close(of('$Scale', { bAbsoluteScale: true })[i], [a, b, c])
      close(of('$Scale', { bUniformScale: true })[i], [2 * a, 2 * a, 2 * a])
    }
  })

  it('PCGTransformPointsSettings: of an attribute, the point stays', () => {
    const nodes: Nodes = {
      P: points(at(1, 2, 3, { Seed: 7 })),
      A: [
        'PCGAddAttributeSettings',
        {
          OutputTarget: 'Door',
          AttributeTypes: { Type: 'Transform', TransformValue: { location: [50, 0, 0], rotation: [0, 90, 0] } },
        },
      ],
      N: ['PCGTransformPointsSettings', { ...RANGES, bApplyToAttribute: true, AttributeName: 'Door' }],
      B: ['PCGMetadataBreakTransformSettings', { InputSource: 'Door', OutputTarget: 'R' }],
    }
    const wires = ['P.Out > A.In', 'A.Out > N.In', 'N.Out > B.In']
    const [x = 0, y = 0, z = 0] = draws(7)
    expect(vectors(page(nodes, wires, 'N'))).toEqual([[1, 2, 3]])
    close(column(page(nodes, wires, 'B', 'Translation'), 'R')[0], [50 - y, x, z])
  })
})
