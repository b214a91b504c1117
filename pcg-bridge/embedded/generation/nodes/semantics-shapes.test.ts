// Polygons and meshes, against areas and volumes worked out by hand: no code of the engine.
import { describe, expect, it } from 'vitest'
import type { ActorDoc } from '../../../editor/document.ts'
import { column, type Nodes, vectors, volume } from '../graph.fixture.ts'
import { at, numbersAt, page, points, report } from '../semantics.fixture.ts'

type Settings = Readonly<Record<string, unknown>>
type Flat = readonly (readonly [number, number])[]
type Made = { readonly nodes: Nodes; readonly wires: readonly string[] }

/** A polygon node over points; its name is the node that holds it. */
function polygon(name: string, places: Flat, settings: Settings = {}): Made {
  return {
    nodes: {
      [`${name}P`]: points(...places.map(([x, y]) => at(x, y))),
      [name]: ['PCGCreatePolygon2DSettings', settings],
    },
    wires: [`${name}P.Out > ${name}.In`],
  }
}
const square = (x: number, y: number, size: number): Flat => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
]
/** The number of places of a metre grid, moved by half, that lie inside: its area in square metres. */
function areaOf({ nodes, wires }: Made, node: string, index = 0, span = 2000): number {
  const half = span / 2
  const grid: Nodes = {
    G: ['PCGCreatePointsGridSettings', { GridExtents: [half, half, 50], CellSize: [20, 20, 100] }],
    F: ['PCGFilterByIndexSettings', { SelectedIndices: String(index) }],
    I: ['PCGPointFilterSettings'],
  }
  const found = page(
    { ...nodes, ...grid },
    [...wires, `${node}.Out > F.In`, 'G.Out > I.In', 'F.InsideFilter > I.Filter'],
    'I',
    'InFilter',
  )
  return found.rowCount * 20 * 20
}
const dataOf = ({ nodes, wires }: Made, node: string, index = 0) => page(nodes, wires, node, undefined, index)
const join = (...made: readonly Made[]): Made => ({
  nodes: Object.assign({}, ...made.map((one) => one.nodes)),
  wires: made.flatMap((one) => one.wires),
})
const two = (a: Flat, b: Flat, settings: Settings): Made =>
  join(polygon('A', a), polygon('B', b), {
    nodes: { N: ['PCGPolygon2DOperationSettings', settings] },
    wires:
      settings['Operation'] === 'Union' || settings['Operation'] === 'InnerIntersection'
        ? ['A.Out > N.In', 'B.Out > N.In']
        : ['A.Out > N.In', 'B.Out > N.Clip'],
  })

describe('polygons', () => {
  it('PCGCreatePolygon2DSettings: the area of its points, whichever way round', () => {
    expect(areaOf(polygon('A', square(-300, -300, 600)), 'A')).toBe(600 * 600)
    expect(areaOf(polygon('A', [...square(-300, -300, 600)].reverse()), 'A')).toBe(600 * 600)
    expect(dataOf(polygon('A', square(0, 0, 100)), 'A').dataClass).toBe('PCGPolygon2DData')
  })
  it('PCGCreatePolygon2DSettings: holes by attribute, and a line as wide as asked', () => {
    const outer = square(-400, -400, 800)
    const inner = square(-100, -100, 200)
    const ringed: Made = {
      nodes: {
        O: points(...outer.map(([x, y]) => at(x, y))),
        OA: [
          'PCGAddAttributeSettings',
          { OutputTarget: 'Hole', AttributeTypes: { Type: 'Integer32', Int32Value: -1 } },
        ],
        H: points(...inner.map(([x, y]) => at(x, y))),
        HA: ['PCGAddAttributeSettings', { OutputTarget: 'Hole', AttributeTypes: { Type: 'Integer32', Int32Value: 0 } }],
        M: ['PCGMergeSettings'],
        A: ['PCGCreatePolygon2DSettings', { bUseHoleAttribute: true, HoleIndexAttribute: 'Hole' }],
      },
      wires: ['O.Out > OA.In', 'H.Out > HA.In', 'OA.Out > M.In', 'HA.Out > M.In', 'M.Out > A.In'],
    }
    expect(areaOf(ringed, 'A')).toBe(800 * 800 - 200 * 200)
    const line = polygon(
      'A',
      [
        [-400, 0],
        [400, 0],
      ],
      { InputType: 'ForceOpen', PolygonWidth: 200 },
    )
    expect(areaOf(line, 'A')).toBe(800 * 200)
  })
  const [A, B] = [square(-400, -400, 600), square(-100, -100, 600)]
  // They share a square of 300.
  it.each([
    ['Union', 2 * 600 * 600 - 300 * 300],
    ['Intersection', 300 * 300],
    ['InnerIntersection', 300 * 300],
    ['PairwiseIntersection', 300 * 300],
    ['Difference', 600 * 600 - 300 * 300],
    ['ExclusiveOr', 600 * 600 - 300 * 300],
  ])('PCGPolygon2DOperationSettings %s of two squares', (Operation, wanted) => {
    const made = two(A, B, { Operation })
    // Exclusive or is two areas that touch in two corners: each is measured.
    const parts = Array.from({ length: dataOf(made, 'N').dataCount }, (_, index) => areaOf(made, 'N', index))
    const whole = parts.reduce((sum, area) => sum + area, 0)
    expect(whole).toBe(Operation === 'ExclusiveOr' ? 2 * wanted : wanted)
  })
  it('PCGPolygon2DOperationSettings: with sides in common, inside each other, apart, and a ring', () => {
    const area = (a: Flat, b: Flat, Operation: string) => {
      const made = two(a, b, { Operation })
      return Array.from({ length: dataOf(made, 'N').dataCount }, (_, index) => areaOf(made, 'N', index))
    }
    const [left, right] = [square(-400, -200, 400), square(0, -200, 400)]
    expect(area(left, right, 'Union')).toEqual([800 * 400])
    expect(area(left, right, 'Intersection')).toEqual([0].slice(1))
    expect(area(left, left, 'Union')).toEqual([400 * 400])
    expect(area(square(-400, -400, 800), square(-100, -100, 200), 'Difference')).toEqual([800 * 800 - 200 * 200])
    expect(area(square(-500, 0, 200), square(300, 0, 200), 'Union')).toEqual([200 * 200, 200 * 200])
  })
  const grown = (places: Flat, settings: Settings) =>
    join(polygon('A', places), { nodes: { N: ['PCGOffsetPolygon2DSettings', settings] }, wires: ['A.Out > N.In'] })
  it('PCGOffsetPolygon2DSettings: mitred a square stays one; smaller too; too small it is gone', () => {
    expect(areaOf(grown(square(-200, -200, 400), { Offset: 100, JoinType: 'Miter' }), 'N')).toBe(600 * 600)
    expect(areaOf(grown(square(-200, -200, 400), { Offset: -100 }), 'N')).toBe(200 * 200)
    expect(dataOf(grown(square(-200, -200, 400), { Offset: -201 }), 'N').dataCount).toBe(0)
  })
  it('PCGOffsetPolygon2DSettings: round and square joins cut the corners', () => {
    const area = (JoinType: string) => areaOf(grown(square(-200, -200, 400), { Offset: 200, JoinType }), 'N')
    const sides = 400 * 400 + 4 * 400 * 200
    // Four quarters of a disc of 200; square: each corner loses the triangle beyond a line 200 away from it.
    expect(Math.abs(area('Round') - (sides + Math.PI * 200 * 200)) / (Math.PI * 200 * 200)).toBeLessThan(0.03)
    const lost = (200 * Math.SQRT2 - 200) ** 2
    expect(Math.abs(area('Square') - (sides + 4 * (200 * 200 - lost))) / (200 * 200)).toBeLessThan(0.1)
  })
  it('PCGOffsetPolygon2DSettings Open drops a thin arm, Close fills a thin gap', () => {
    const armed: Flat = [
      [-200, -200],
      [200, -200],
      [200, -20],
      [500, -20],
      [500, 20],
      [200, 20],
      [200, 200],
      [-200, 200],
    ]
    expect(areaOf(grown(armed, { Operation: 'Open', Offset: 40, JoinType: 'Miter' }), 'N')).toBe(400 * 400)
    const gapped: Flat = [
      [-200, -200],
      [200, -200],
      [200, -20],
      [0, -20],
      [0, 20],
      [200, 20],
      [200, 200],
      [-200, 200],
    ]
    expect(areaOf(grown(gapped, { Operation: 'Close', Offset: 40, JoinType: 'Miter' }), 'N')).toBe(400 * 400)
  })
  it('PCGClipPathsSettings: the parts of a line inside, or outside', () => {
    const line = (Operation: string): number[][] => {
      const made = join(polygon('A', square(-100, -100, 200)), {
        nodes: { L: numbersAt(-300, 300), N: ['PCGClipPathsSettings', { Operation }] },
        wires: ['L.Out > N.In', 'A.Out > N.Clip'],
      })
      return Array.from({ length: dataOf(made, 'N').dataCount }, (_, index) =>
        vectors(dataOf(made, 'N', index)).map(([x]) => Math.round(x)),
      )
    }
    expect(line('Intersection')).toEqual([[-100, 100]])
    expect(line('Difference')).toEqual([
      [-300, -100],
      [100, 300],
    ])
  })
})

describe('meshes', () => {
  const CUBE = ['PCGStaticMeshToDynamicMeshSettings', { StaticMesh: '/Engine/Cube' }] as const
  const moved = (location: readonly number[], scale: readonly number[] = [1, 1, 1], yaw = 0) =>
    ['PCGDynamicMeshTransformSettings', { Transform: { location, rotation: [0, yaw, 0], scale } }] as const
  /** Places of a grid that lie inside, each for a cube of 25; moved a little, so that none lies on an edge. */
  const volumeOf = (nodes: Nodes, wires: readonly string[], node: string) =>
    page(
      {
        ...nodes,
        G: ['PCGCreatePointsGridSettings', { GridExtents: [300, 300, 300], CellSize: [25, 25, 25] }],
        T: ['PCGTransformPointsSettings', { OffsetMin: [3, 1, 2], OffsetMax: [3, 1, 2] }],
        I: ['PCGPointFilterSettings'],
      },
      [...wires, 'G.Out > T.In', 'T.Out > I.In', `${node}.Out > I.Filter`],
      'I',
      'InFilter',
    ).rowCount *
    25 ** 3
  const corners = (nodes: Nodes, wires: readonly string[], node: string) =>
    vectors(page({ ...nodes, V: ['PCGCollapseSettings'] }, [...wires, `${node}.Out > V.In`], 'V'))

  it('PCGStaticMeshToDynamicMeshSettings and PCGCreateEmptyDynamicMeshSettings: a cube of one metre, and nothing', () => {
    expect(volumeOf({ N: CUBE }, [], 'N')).toBe(100 ** 3)
    const eight = corners({ N: CUBE }, [], 'N')
    expect(new Set(eight.map(String)).size).toBe(8)
    for (const place of eight) expect(place.map(Math.abs)).toEqual([50, 50, 50])
    expect(corners({ N: ['PCGCreateEmptyDynamicMeshSettings'] }, [], 'N')).toEqual([])
    expect(report({ N: ['PCGStaticMeshToDynamicMeshSettings'] }, [], 'N').warnings).toContain(
      'There is no mesh: set StaticMesh',
    )
  })
  it('PCGDynamicMeshTransformSettings: larger, turned, then moved', () => {
    const places = corners({ C: CUBE, N: moved([100, 0, 0], [2, 1, 1], 90) }, ['C.Out > N.In'], 'N')
    const range = (k: 0 | 1 | 2) =>
      [Math.min(...places.map((place) => place[k])), Math.max(...places.map((place) => place[k]))].map(Math.round)
    expect([range(0), range(1), range(2)]).toEqual([
      [50, 150],
      [-100, 100],
      [-50, 50],
    ])
  })
  it('PCGMergeDynamicMeshesSettings and PCGAppendMeshesFromPointsSettings: meshes side by side in one', () => {
    const merged = { A: CUBE, B: CUBE, M: moved([200, 0, 0]), N: ['PCGMergeDynamicMeshesSettings'] } as const
    const wires = ['B.Out > M.In', 'A.Out > N.In', 'M.Out > N.In']
    expect(volumeOf(merged, wires, 'N')).toBe(2 * 100 ** 3)
    expect(page(merged, wires, 'N').dataCount).toBe(1)
    const appended: Nodes = {
      E: ['PCGCreateEmptyDynamicMeshSettings'],
      P: points(at(-200), at(200, 0, 0, { Transform: { location: [200, 0, 0], scale: [1, 1, 2] } })),
      N: ['PCGAppendMeshesFromPointsSettings', { StaticMesh: '/Engine/Cube' }],
    }
    expect(volumeOf(appended, ['E.Out > N.Dynamic Mesh', 'P.Out > N.Points'], 'N')).toBe(3 * 100 ** 3)
  })
  // Two cubes of one metre, of which half of each lies in the other.
  it.each([
    ['Union', 1.5],
    ['Intersection', 0.5],
    ['Subtract', 0.5],
  ])('PCGBooleanOperationSettings %s: %d cubes', (BooleanOperation, wanted) => {
    const nodes: Nodes = {
      A: CUBE,
      C: CUBE,
      B: moved([0, 0, 50]),
      N: ['PCGBooleanOperationSettings', { BooleanOperation }],
    }
    const wires = ['C.Out > B.In', 'A.Out > N.A', 'B.Out > N.B']
    expect(volumeOf(nodes, wires, 'N') / 100 ** 3).toBe(wanted)
  })
  it('PCGBooleanOperationSettings: a hole through a body, and each with every other', () => {
    const nodes: Nodes = {
      C: CUBE,
      A: moved([0, 0, 0], [4, 4, 1]),
      D: CUBE,
      B: moved([0, 0, 0], [1, 1, 3]),
      N: ['PCGBooleanOperationSettings', { BooleanOperation: 'Subtract' }],
    }
    const wires = ['C.Out > A.In', 'D.Out > B.In', 'A.Out > N.A', 'B.Out > N.B']
    expect(volumeOf(nodes, wires, 'N')).toBe(15 * 100 ** 3)
    const every: Nodes = {
      ...nodes,
      N: ['PCGBooleanOperationSettings', { BooleanOperation: 'Intersection', Mode: 'EachAWithEveryB' }],
    }
    expect(page(every, [...wires, 'C.Out > N.B'], 'N').dataCount).toBe(2)
  })
  it('PCGSpawnDynamicMeshSettings: a component for each mesh', () => {
    const { spawned } = report(
      { A: CUBE, B: CUBE, N: ['PCGSpawnDynamicMeshSettings'] },
      ['A.Out > N.In', 'B.Out > N.In'],
      'N',
    )
    expect(spawned).toEqual([{ component: 'DynamicMeshComponent', asset: 'DynamicMesh', instances: 2 }])
  })
  it('PCGGetDynamicMeshDataSettings: the box of an actor that holds one', () => {
    const actor: ActorDoc = { ...volume([100, 100, 50]), name: 'Built', class: 'DynamicMeshActor', tags: ['Built'] }
    const nodes: Nodes = {
      N: ['PCGGetDynamicMeshDataSettings', { ActorSelector: { ActorFilter: 'AllWorldActors' } }],
      V: ['PCGCollapseSettings'],
    }
    const places = vectors(page(nodes, ['N.Out > V.In'], 'V', undefined, 0, { actors: [actor] }))
    expect(places.map((place) => place.map(Math.abs).join())).toEqual(Array.from({ length: 8 }, () => '100,100,50'))
  })
  const shaped = (places: Flat, settings: Settings, closed = true): readonly [Nodes, readonly string[]] => [
    {
      P: points(...places.map(([x, y]) => at(x, y))),
      C: ['PCGCreateSplineSettings', { bLinear: true, bClosedLoop: closed }],
      N: ['PCGSplineToMeshSettings', settings],
    },
    ['P.Out > C.In', 'C.Out > N.In'],
  ]
  it('PCGSplineToMeshSettings: a body over the inside of the curve, hollow corners too', () => {
    const hook: Flat = [
      [-200, -200],
      [200, -200],
      [200, 0],
      [0, 0],
      [0, 200],
      [-200, 200],
    ]
    expect(volumeOf(...shaped(hook, { Thickness: 200 }), 'N')).toBe((400 * 400 - 200 * 200) * 200)
    expect(corners(...shaped(hook, {}), 'N')).toHaveLength(6)
    expect(page(...shaped(hook, { OpenCurves: 'Skip' }, false), 'N').dataCount).toBe(0)
  })
  const sampled = (settings: Settings) =>
    page({ N: ['PCGMeshSamplerSettings', { StaticMesh: '/Engine/Cube', ...settings }] }, [], 'N')
  it('PCGMeshSamplerSettings: corners, middles of triangles, scattered places of a cube', () => {
    expect(
      vectors(sampled({ SamplingMethod: 'OnePointPerVertex' })).map((place) => place.map(Math.abs).join()),
    ).toEqual(Array.from({ length: 8 }, () => '50,50,50'))
    const middles = sampled({ bOutputTriangleIds: true })
    // A right triangle with legs of 100: a third of each leg away from its right angle, on one side of the cube.
    for (const place of vectors(middles))
      expect(place.map((value) => Math.round(Math.abs(value) * 3)).sort((a, b) => a - b)).toEqual([50, 50, 150])
    expect(column(middles, 'TriangleId')).toEqual(Array.from({ length: 12 }, (_, i) => i))
    const places = vectors(sampled({ SamplingMethod: 'PoissonSampling', SamplingOptions: { SamplingRadius: 15 } }))
    expect(places.length).toBeGreaterThan(20)
    for (const [i, a] of places.entries()) {
      expect(Math.max(...a.map(Math.abs))).toBeCloseTo(50, 6)
      for (const b of places.slice(i + 1))
        expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])).toBeGreaterThanOrEqual(30)
    }
  })
  it('PCGBoundsFromMeshSettings: the box of the mesh; without the attribute it is an error of the node', () => {
    const nodes = (MeshAttribute: string): Nodes => ({
      P: numbersAt(1),
      A: [
        'PCGAddAttributeSettings',
        { OutputTarget: 'Mesh', AttributeTypes: { Type: 'SoftObjectPath', SoftObjectPathValue: '/Engine/Cube' } },
      ],
      N: ['PCGBoundsFromMeshSettings', { MeshAttribute }],
    })
    const wires = ['P.Out > A.In', 'A.Out > N.In']
    expect(column(page(nodes('Mesh'), wires, 'N'), '$BoundsMax')).toEqual([[50, 50, 50]])
    expect(report(nodes('Nope'), wires, 'N').errors).toHaveLength(1)
  })
  it('PCGCreateCollisionDataSettings: the bodies at the points as one volume', () => {
    const nodes: Nodes = {
      P: points(at(-200), at(200, 0, 0, { Transform: { location: [200, 0, 0], scale: [1, 1, 3] } })),
      A: [
        'PCGAddAttributeSettings',
        { OutputTarget: 'Mesh', AttributeTypes: { Type: 'SoftObjectPath', SoftObjectPathValue: '/Engine/Cube' } },
      ],
      N: ['PCGCreateCollisionDataSettings', { CollisionAttribute: 'Mesh' }],
    }
    expect(volumeOf(nodes, ['P.Out > A.In', 'A.Out > N.In'], 'N')).toBe(4 * 100 ** 3)
  })
  it('PCGGetStaticMeshResourceDataSettings: one data for each mesh', () => {
    const found = page(
      { N: ['PCGGetStaticMeshResourceDataSettings', { StaticMeshes: ['/Game/A', '', '/Game/B'] }] },
      [],
      'N',
      undefined,
      1,
    )
    expect(found.dataCount).toBe(2)
    expect(column(found, 'StaticMesh')).toEqual(['/Game/B'])
  })
})
