// Grammars, cuts, crossings, outlines and ways, against lengths and areas worked out by hand: no code of the engine.
import { describe, expect, it } from 'vitest'
import type { ActorDoc } from '../../../editor/document.ts'
import { column, type Nodes, vectors, volume } from '../graph.fixture.ts'
import { at, fraction, NODE_SEED, next, numbersAt, page, points, report, S2 } from '../semantics.fixture.ts'

type Settings = Readonly<Record<string, unknown>>
type Flat = readonly (readonly [number, number])[]
const close = (found: readonly unknown[], wanted: readonly (number | readonly number[])[], digits = 6) => {
  expect(found).toHaveLength(wanted.length)
  for (const [i, value] of wanted.entries())
    for (const [k, part] of [value].flat().entries())
      expect(([found[i]].flat() as number[])[k]).toBeCloseTo(part, digits)
}
const curve = (name: string, places: Flat, settings: Settings = {}): { nodes: Nodes; wire: string } => ({
  nodes: {
    [`${name}P`]: points(...places.map(([x, y]) => at(x, y))),
    [name]: ['PCGCreateSplineSettings', { bLinear: true, ...settings }],
  },
  wire: `${name}P.Out > ${name}.In`,
})
const LINE: Flat = [
  [0, 0],
  [1000, 0],
]
const SIZES = [
  { Symbol: 'A', Size: 100 },
  { Symbol: 'B', Size: 250 },
  { Symbol: 'S', Size: 100, bScalable: true },
]
const grammar = (GrammarString: string, more: Settings = {}) => ({
  ModulesInfo: SIZES,
  GrammarSelection: { GrammarString },
  bAcceptIncompleteSubdivision: true,
  ...more,
})

describe('grammars', () => {
  // A segment of 1000 along X that starts at 0, twice as large as its box says.
  const SEGMENT = points(
    at(500, 0, 0, {
      Transform: { location: [500, 0, 0], scale: [2, 1, 1] },
      BoundsMin: [-250, -20, -30],
      BoundsMax: [250, 20, 30],
      Seed: 7,
    }),
  )
  const along = (text: string, more: Settings = {}) =>
    page({ P: SEGMENT, N: ['PCGSubdivideSegmentSettings', grammar(text, more)] }, ['P.Out > N.In'], 'N')
  const symbols = (text: string, more: Settings = {}) => column(along(text, more), 'Symbol').join('')

  it.each([
    ['A, B', 'AB'],
    ['A*', 'AAAAAAAAAA'],
    ['B*', 'BBBB'],
    ['[A, B]2', 'ABAB'],
    ['[A, B]*', 'ABAB'],
    // Both repeat: one more of each in turn while one fits.
    ['A*, B, A*', 'AAAABAAA'],
    ['A+, B*', 'AAAAABB'],
    ['<B, A>*', 'BBBB'],
    ['A, <B, A>*', 'ABBBA'],
    ['[A*, B]2', 'AAABAAB'],
  ])('PCGSubdivideSegmentSettings %s fills 1000 with %s', (text, wanted) => {
    expect(symbols(text)).toBe(wanted)
  })
  it('PCGSubdivideSegmentSettings: an incomplete subdivision is empty unless it is accepted', () => {
    expect(symbols('[B]5')).toBe('')
    expect(symbols('B, B, B, A', { bAcceptIncompleteSubdivision: false })).toBe('')
    expect(symbols('B*', { bAcceptIncompleteSubdivision: false })).toBe('BBBB')
  })
  it('PCGSubdivideSegmentSettings: each module in its place, as long as itself; what is scalable takes the rest', () => {
    const found = along('A, S, S, B', { bOutputModuleIndexAttribute: true, bOutputExtremityAttributes: true })
    // 1000 - 100 - 250 is left for two: 325 each, 3.25 times their size.
    close(vectors(found), [
      [50, 0, 0],
      [262.5, 0, 0],
      [587.5, 0, 0],
      [875, 0, 0],
    ])
    close(vectors(found, '$Scale'), [
      [1, 1, 1],
      [3.25, 1, 1],
      [3.25, 1, 1],
      [1, 1, 1],
    ])
    close(vectors(found, '$BoundsMax'), [
      [50, 20, 30],
      [50, 20, 30],
      [50, 20, 30],
      [125, 20, 30],
    ])
    expect(column(found, 'Size')).toEqual([100, 100, 100, 250])
    expect(column(found, 'Scalable')).toEqual([false, true, true, false])
    expect(column(found, 'ModuleIndex')).toEqual([0, 1, 2, 3])
    expect(column(found, 'IsFirst')).toEqual([true, false, false, false])
    expect(column(found, 'IsFinal')).toEqual([false, false, false, true])
    close(vectors(along('A, B', { bShouldFlipAxis: true })), [
      [950, 0, 0],
      [775, 0, 0],
    ])
  })
  it('PCGSubdivideSegmentSettings {A:1, B:3}: the stream of the segment draws by weight', () => {
    let [state, left, wanted] = [S2(NODE_SEED, 7), 1000, '']
    for (;;) {
      state = next(state)
      const name = fraction(state) * 4 < 1 ? 'A' : 'B'
      const size = name === 'A' ? 100 : 250
      if (size > left) break
      left -= size
      wanted += name
    }
    expect(symbols('{A:1, B:3}*')).toBe(wanted)
    expect(wanted).toMatch(/A/)
  })
  it('PCGSubdivideSegmentSettings: modules from a set, the grammar from an attribute', () => {
    const nodes: Nodes = {
      P: SEGMENT,
      G: ['PCGAddAttributeSettings', { OutputTarget: 'Rule', AttributeTypes: { Type: 'String', StringValue: 'M*' } }],
      M: [
        'PCGCreateAttributeSetSettings',
        { OutputTarget: 'Symbol', AttributeTypes: { Type: 'Name', NameValue: 'M' } },
      ],
      S: ['PCGAddAttributeSettings', { OutputTarget: 'Size', AttributeTypes: { Type: 'Double', DoubleValue: 400 } }],
      N: [
        'PCGSubdivideSegmentSettings',
        {
          bModuleInfoAsInput: true,
          bAcceptIncompleteSubdivision: true,
          GrammarSelection: { bGrammarAsAttribute: true, GrammarAttribute: 'Rule' },
        },
      ],
    }
    const found = page(nodes, ['P.Out > G.In', 'G.Out > N.In', 'M.Out > S.In', 'S.Out > N.ModulesInfo'], 'N')
    expect(column(found, 'Symbol')).toEqual(['M', 'M'])
  })
  it('PCGSubdivideSplineSettings: along the curve, round its corner', () => {
    const bent = curve('C', [
      [0, 0],
      [300, 0],
      [300, 400],
    ])
    const found = page(
      { ...bent.nodes, N: ['PCGSubdivideSplineSettings', grammar('A*', { ModuleHeight: 60 })] },
      [bent.wire, 'C.Out > N.In'],
      'N',
    )
    close(
      vectors(found),
      [50, 150, 250, -50, -150, -250, -350].map((way) => (way > 0 ? [way, 0, 0] : [300, -way, 0])),
      4,
    )
    expect(vectors(found, '$BoundsMin')[0]).toEqual([-50, -1, -30])
    const [, , , turned] = column(found, '$Rotation') as number[][]
    // Half of 90 degrees about Z.
    expect(turned?.[2]).toBeCloseTo(Math.SQRT1_2, 6)
  })
  it('PCGDuplicateCrossSectionsSettings: a copy for each module along the vector, with tags', () => {
    const ring = curve(
      'C',
      [
        [0, 0],
        [100, 0],
        [0, 100],
      ],
      { bClosedLoop: true },
    )
    const settings = grammar('A, B, A*', { ExtrudeVector: [0, 0, 600] })
    const heights = [0, 1, 2, 3].map((index) => {
      const found = page(
        { ...ring.nodes, D: ['PCGDuplicateCrossSectionsSettings', settings], N: ['PCGGetSplineControlPointsSettings'] },
        [ring.wire, 'C.Out > D.In', 'D.Out > N.In'],
        'N',
        undefined,
        index,
      )
      expect(found.tags).toEqual([
        `Symbol:${index === 1 ? 'B' : 'A'}`,
        `Size:${index === 1 ? 250 : 100}`,
        'Scalable:false',
        'SplineIndex:0',
      ])
      return vectors(found)[0]?.[2]
    })
    expect(heights).toEqual([0, 100, 350, 450])
  })
  it.each(['LessThan', 'GreaterThanOrEqualTo', 'RangeInclusive', 'RangeExclusive', 'EqualTo'])(
    'PCGSelectGrammarSettings %s: the first criterion of the key that holds',
    (Comparator) => {
      const holds: Record<string, (x: number) => boolean> = {
        LessThan: (x) => x < 10,
        GreaterThanOrEqualTo: (x) => x >= 10,
        RangeInclusive: (x) => x >= 10 && x <= 20,
        RangeExclusive: (x) => x > 10 && x < 20,
        EqualTo: (x) => x === 10,
      }
      const xs = [5, 10, 15, 20, 25]
      const Criteria = [
        { Key: 'other', Comparator: 'Select', Grammar: 'never' },
        { Key: 'wall', Comparator, FirstValue: 10, SecondValue: 20, Grammar: 'A*' },
        { Key: 'wall', Comparator: 'EqualTo', FirstValue: 25, Grammar: 'B' },
      ]
      const settings = {
        bKeyAsAttribute: false,
        Key: 'wall',
        ComparedValueAttribute: '$Position.X',
        Criteria,
        OutputGrammarAttribute: 'Rule',
      }
      const found = page({ P: numbersAt(...xs), N: ['PCGSelectGrammarSettings', settings] }, ['P.Out > N.In'], 'N')
      expect(column(found, 'Rule')).toEqual(xs.map((x) => (holds[Comparator]?.(x) ? 'A*' : x === 25 ? 'B' : '')))
    },
  )
  it('PCGPrintGrammarSettings: as it is understood; a fault is an error of the node', () => {
    const printed = (Grammar: string) =>
      report({ P: numbersAt(1), N: ['PCGPrintGrammarSettings', { Grammar }] }, ['P.Out > N.In'], 'N')
    expect(printed('A,[B , C]* , {D:2,E}+').warnings).toEqual(['Print: [A, [B, C]*, {D:2, E:1}+]'])
    expect(printed('A, [B').errors).toEqual(['The grammar ends badly at its end'])
  })
})

describe('cutting curves', () => {
  const pieces = (settings: Settings, more: Settings = {}, places = LINE) => {
    const made = curve('C', places, more)
    const count =
      report({ ...made.nodes, N: ['PCGSplitSplinesSettings', settings] }, [made.wire, 'C.Out > N.In'], 'N').data ?? 0
    return Array.from({ length: count }, (_, index) =>
      vectors(
        page(
          { ...made.nodes, S: ['PCGSplitSplinesSettings', settings], N: ['PCGGetSplineControlPointsSettings'] },
          [made.wire, 'C.Out > S.In', 'S.Out > N.In'],
          'N',
          undefined,
          index,
        ),
      ).map(([x, y]) => [x, y]),
    )
  }
  it('PCGSplitSplinesSettings: by distance, by share and by key', () => {
    const halves = [
      [
        [0, 0],
        [250, 0],
      ],
      [
        [250, 0],
        [1000, 0],
      ],
    ]
    for (const [i, settings] of [
      { Mode: 'ByDistance', Constant: 250 },
      { Mode: 'ByAlpha', Constant: 0.25 },
      { Mode: 'ByKey', Constant: 0.25 },
    ].entries()) {
      const found = pieces(settings)
      expect(found, String(i)).toHaveLength(2)
      for (const [k, half] of halves.entries()) close(found[k] ?? [], half, 4)
    }
  })
  it('PCGSplitSplinesSettings: an uncut curve, the inner pieces, and a closed curve that is cut once', () => {
    expect(pieces({ Mode: 'ByDistance', Constant: 2000 })).toHaveLength(1)
    expect(pieces({ Mode: 'ByDistance', Constant: 2000, CutDataBehavior: 'KeepCutSplines' })).toHaveLength(0)
    expect(pieces({ Mode: 'ByDistance', Constant: 250, CutDataBehavior: 'KeepInteriorSplinesOnly' })).toHaveLength(0)
    const square: Flat = [
      [0, 0],
      [100, 0],
      [100, 100],
      [0, 100],
    ]
    const [only, ...others] = pieces({ Mode: 'ByKey', Constant: 0.5 }, { bClosedLoop: true }, square)
    expect(others).toEqual([])
    close(
      only ?? [],
      [
        [50, 0],
        [100, 0],
        [100, 100],
        [0, 100],
        [0, 0],
        [50, 0],
      ],
      4,
    )
  })
  it('PCGSplitSplinesSettings: a bent curve stays as it was: places half-way along agree', () => {
    const bent: Flat = [
      [0, 0],
      [400, 300],
      [800, -100],
    ]
    const made = curve('C', bent, { bLinear: false })
    const walked = (split: boolean, SampleParams: Settings, index: number) =>
      vectors(
        page(
          {
            ...made.nodes,
            S: split ? ['PCGSplitSplinesSettings', { Mode: 'ByKey', Constant: 0.5 }] : ['PCGGatherSettings'],
            N: ['PCGSplineSamplerSettings', { SamplerParams: SampleParams }],
          },
          [made.wire, 'C.Out > S.In', 'S.Out > N.Spline'],
          'N',
          undefined,
          index,
        ),
      )
    const every = { Mode: 'Distance', DistanceIncrement: 50 }
    const [whole, first] = [walked(false, every, 0), walked(true, every, 0)]
    expect(first.length).toBeGreaterThan(3)
    for (const [i, place] of first.slice(0, -1).entries()) close([place], [whole[i] ?? []], 3)
  })
})

describe('PCGSplineIntersectionSettings', () => {
  const [A, B] = [
    curve('A', [
      [-100, 0],
      [300, 0],
    ]),
    curve('B', [
      [100, -100],
      [100, 100],
      [200, 100],
      [200, -100],
    ]),
  ]
  const run = (settings: Settings, index = 0, last = 'I') =>
    page(
      {
        ...A.nodes,
        ...B.nodes,
        I: ['PCGSplineIntersectionSettings', settings],
        N: ['PCGGetSplineControlPointsSettings'],
      },
      [A.wire, B.wire, 'A.Out > I.In', 'B.Out > I.In', 'I.Out > N.In'],
      last,
      undefined,
      index,
    )
  it('PCGSplineIntersectionSettings: the two places where they cross, once each, with the curves', () => {
    const found = run({ bOutputSplineIndices: true })
    close(
      vectors(found),
      [
        [100, 0, 0],
        [200, 0, 0],
      ],
      3,
    )
    expect(column(found, 'OriginatingSplineIndex')).toEqual([0, 0])
    expect(column(found, 'IntersectingSplineIndex')).toEqual([1, 1])
  })
  it('PCGSplineIntersectionSettings: control points on the curves where they cross', () => {
    close(
      vectors(run({ Output: 'OriginalSplinesWithIntersections' }, 0, 'N')),
      [
        [-100, 0, 0],
        [100, 0, 0],
        [200, 0, 0],
        [300, 0, 0],
      ],
      3,
    )
  })
  it('PCGSplineIntersectionSettings: a curve with itself; ignores a gap wider than the threshold', () => {
    const eight = curve('C', [
      [0, 0],
      [200, 200],
      [200, 0],
      [0, 200],
    ])
    const found = page(
      { ...eight.nodes, N: ['PCGSplineIntersectionSettings', { Type: 'Self' }] },
      [eight.wire, 'C.Out > N.In'],
      'N',
    )
    close(vectors(found), [[100, 100, 0]], 3)
    const above: Nodes = {
      ...A.nodes,
      CP: points(at(0, -50, 30), at(0, 50, 30)),
      C: ['PCGCreateSplineSettings', { bLinear: true }],
    }
    const near = (DistanceThreshold: number) =>
      vectors(
        page(
          { ...above, N: ['PCGSplineIntersectionSettings', { DistanceThreshold }] },
          [A.wire, 'CP.Out > C.In', 'A.Out > N.In', 'C.Out > N.In'],
          'N',
        ),
      ).length
    expect([near(29), near(31)]).toEqual([0, 1])
  })
})

describe('PCGPrimitiveCrossSectionSettings', () => {
  const box = (yaw: number): ActorDoc => ({
    ...volume([100, 50, 200]),
    name: 'Box',
    class: 'StaticMeshActor',
    location: [0, 0, 300],
    rotation: [0, yaw, 0],
    tags: ['Box'],
  })
  const outline = (settings: Settings, yaw = 0) =>
    page(
      {
        B: ['PCGGetPrimitiveSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Box' } }],
        S: ['PCGPrimitiveCrossSectionSettings', settings],
        N: ['PCGGetSplineControlPointsSettings'],
      },
      ['B.Out > S.In', 'S.Out > N.In'],
      'N',
      undefined,
      0,
      { actors: [box(yaw)] },
    )
  const area = (ring: readonly (readonly number[])[]) =>
    Math.abs(
      ring.reduce((sum, [x = 0, y = 0], i) => {
        const [u = 0, v = 0] = ring[(i + 1) % ring.length] ?? []
        return sum + (x * v - u * y) / 2
      }, 0),
    )
  it.each([0, 30])(
    'PCGPrimitiveCrossSectionSettings: the foot of a box turned by %d degrees, with the way to its top',
    (yaw) => {
      const found = outline({}, yaw)
      const ring = vectors(found)
      expect(ring).toHaveLength(4)
      for (const [, , z] of ring) expect(z).toBeCloseTo(100, 6)
      expect(area(ring)).toBeCloseTo(200 * 100, 3)
      expect(found.tags).toContain('ExtrusionVector:0 0 400')
    },
  )
  it('PCGPrimitiveCrossSectionSettings: along another axis; small outlines are left out when asked', () => {
    expect(outline({ SliceDirection: [1, 0, 0] }).tags).toContain('ExtrusionVector:200 0 0')
    expect(outline({ bEnableMinAreaCulling: true, MinAreaCullingThreshold: 20_001 }).rowCount).toBe(0)
    expect(outline({ bEnableMinAreaCulling: true, MinAreaCullingThreshold: 19_999 }).rowCount).toBe(4)
  })
})

describe('PCGElevationIsolinesSettings', () => {
  // Ground that rises by one for each centimetre along X and stays along Y.
  const slope = (): ActorDoc => {
    const heights = new Float32Array(4)
    heights.set([-1000, 1000, -1000, 1000])
    return {
      ...volume([1000, 1000, 10]),
      name: 'Ground',
      class: 'Landscape',
      heightGrid: {
        min: [-1000, -1000],
        max: [1000, 1000],
        columns: 2,
        rows: 2,
        heights: Buffer.from(heights.buffer).toString('base64'),
      },
    }
  }
  const run = (settings: Settings, index = 0) =>
    page(
      {
        G: ['PCGGetLandscapeSettings'],
        N: [
          'PCGElevationIsolinesSettings',
          { ElevationStart: -250, ElevationEnd: 350, ElevationIncrement: 300, Resolution: 100, ...settings },
        ],
      },
      ['G.Out > N.In'],
      'N',
      undefined,
      index,
      { actors: [slope()], actor: volume([500, 500, 500]) },
    )
  it('PCGElevationIsolinesSettings: straight across the slope, where the ground is as high as asked', () => {
    for (const [index, height] of [-250, 50, 350].entries()) {
      const found = run({ bAddTagOnOutputForSameElevation: true }, index)
      // A row of the grid every metre from -500 to 500.
      expect(found.rowCount).toBe(11)
      for (const [x, , z] of vectors(found)) {
        expect(x).toBeCloseTo(height, 3)
        expect(z).toBeCloseTo(height, 6)
      }
      expect(
        vectors(found)
          .map(([, y]) => y)
          .sort((a, b) => a - b),
      ).toEqual(Array.from({ length: 11 }, (_, i) => i * 100 - 500))
      expect(found.tags).toContain(String(index))
    }
    expect(run({}).dataCount).toBe(3)
  })
  it('PCGElevationIsolinesSettings: as curves', () => {
    const found = run({ bOutputAsSpline: true, bLinearSpline: true })
    expect(found).toMatchObject({ dataCount: 3, dataClass: 'PCGSplineData' })
  })
})

describe('PCGPathfindingSettings', () => {
  // A ladder: a short way through the middle at Y 0, a long one around it at Y 150.
  const LADDER = [
    [100, 0],
    [200, 0],
    [300, 0],
    [100, 150],
    [200, 150],
    [300, 150],
  ] as const
  const run = (settings: Settings, cost: (x: number, y: number) => number = () => 1) =>
    page(
      {
        P: points(...LADDER.map(([x, y]) => at(x, y, 0, { Density: cost(x, y) }))),
        N: [
          'PCGPathfindingSettings',
          { Start: [0, 0, 0], Goal: [400, 0, 0], SearchDistance: 190, bOutputAsSpline: false, ...settings },
        ],
      },
      ['P.Out > N.In'],
      'N',
    )
  it('PCGPathfindingSettings: the shortest way', () => {
    close(vectors(run({ SearchDistance: 101 })), [
      [0, 0, 0],
      [100, 0, 0],
      [200, 0, 0],
      [300, 0, 0],
      [400, 0, 0],
    ])
    close(vectors(run({ SearchDistance: 500 })), [
      [0, 0, 0],
      [400, 0, 0],
    ])
  })
  it('PCGPathfindingSettings: around a point that costs more, when that is cheaper', () => {
    const expensive = (x: number, y: number) => (x === 200 && y === 0 ? 1 : 0.1)
    const settings = { CostFunctionMode: 'CostMultiplier', CostAttribute: '$Density', HeuristicWeight: 0 }
    const walked = vectors(run(settings, expensive))
    // Each way by hand: through the middle 10 + 100 + 10 + 100; around it every point costs a tenth.
    expect(walked.map(([x, y]) => `${x},${y}`)).not.toContain('200,0')
    const straight = vectors(
      run({ CostFunctionMode: 'FitnessScore', CostAttribute: '$Density', SearchDistance: 101 }, expensive),
    )
    expect(straight).toHaveLength(5)
  })
  it('PCGPathfindingSettings: without a whole way as near as it gets, or nothing; as a curve; as the points passed', () => {
    const far = { Goal: [900, 0, 0], SearchDistance: 101 }
    close(vectors(run(far)).slice(-1), [[300, 0, 0]])
    expect(run({ ...far, bAcceptPartialPath: false }).rowCount).toBe(0)
    expect(run({ bOutputAsSpline: true }).dataClass).toBe('PCGSplineData')
    close(vectors(run({ SearchDistance: 101, bCopyOriginatingPoints: true })), [
      [100, 0, 0],
      [200, 0, 0],
      [300, 0, 0],
    ])
  })
})
