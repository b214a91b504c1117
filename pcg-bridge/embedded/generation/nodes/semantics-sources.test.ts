// Tables, pictures and objects of the level, against their own contents: no code of the engine.
import { describe, expect, it } from 'vitest'
import { type ActorDoc, firstLevel } from '../../../editor/document.ts'
import { column, type Nodes, vectors, volume } from '../graph.fixture.ts'
import { at, fraction, NODE_SEED, next, numbersAt, page, points, report, S2 } from '../semantics.fixture.ts'

type Settings = Readonly<Record<string, unknown>>
const TREES = [
  { name: 'Oak', cells: { Place: { X: 100, Y: 200, Z: 0 }, Size: 2.5, Kind: 'oak', Wild: true } },
  { name: 'Fir', cells: { Place: { X: -50, Y: 0, Z: 10 }, Size: 1, Kind: 'fir', Wild: false } },
  { name: 'Odd', cells: { Place: 'none', Size: 'large', Kind: 'odd' } },
]
/** Two pixels by two: alpha 0, 85 above 170, 255; red marks the first column. */
const PIXELS = Uint8Array.from([255, 0, 0, 0, 0, 0, 0, 85, 255, 0, 0, 170, 0, 0, 0, 255])
const more = {
  sources: {
    '/game/trees': { digest: '1', data: { kind: 'table', rows: TREES } },
    '/game/map': { digest: '2', data: { kind: 'picture', width: 2, height: 2, pixels: PIXELS } },
  },
} as const

describe('tables', () => {
  const loaded = (settings: Settings) =>
    page({ N: ['PCGLoadDataTableSettings', { DataTable: '/Game/Trees', ...settings }] }, [], 'N', undefined, 0, more)
  it('PCGLoadDataTableSettings: rows as points where a column is mapped, other columns under their names', () => {
    const found = loaded({ AttributeMapping: { Place: '$Position', Size: 'Scale', Kind: 'Kind' } })
    expect(vectors(found)).toEqual([
      [100, 200, 0],
      [-50, 0, 10],
      [0, 0, 0],
    ])
    expect(column(found, 'Scale')).toEqual([2.5, 1, 0])
    expect(column(found, 'Kind')).toEqual(['oak', 'fir', 'odd'])
    expect(column(found, 'Wild')).toEqual([undefined, undefined, undefined])
  })
  it('PCGLoadDataTableSettings: all columns as a set; warns about a missing table', () => {
    const found = loaded({ OutputType: 'Param' })
    expect(found.dataClass).toBe('PCGParamData')
    expect(column(found, 'Place')).toEqual([
      [100, 200, 0],
      [-50, 0, 10],
      [0, 0, 0],
    ])
    expect(column(found, 'Wild')).toEqual([true, false, false])
    const none = report({ N: ['PCGLoadDataTableSettings', { DataTable: '/Game/None' }] }, [], 'N', more)
    expect(none).toMatchObject({ data: 0, warnings: [expect.stringContaining('There is no table /Game/None')] })
  })
  it('PCGDataTableRowToParamDataSettings: the row by its name, in any case', () => {
    const row = (RowName: string) =>
      page(
        { N: ['PCGDataTableRowToParamDataSettings', { DataTable: "DataTable'/Game/Trees.Trees'", RowName }] },
        [],
        'N',
        undefined,
        0,
        more,
      )
    expect([column(row('fir'), 'Kind'), column(row('fir'), 'Size')]).toEqual([['fir'], [1]])
    expect(row('Ash').dataCount).toBe(0)
  })
})

describe('pictures', () => {
  const texture = (settings: Settings = {}) =>
    ['PCGTextureSamplerSettings', { Texture: '/Game/Map', ...settings }] as const
  const actor = volume([100, 100, 100])
  const sampled = (places: readonly (readonly [number, number])[], settings: Settings, laid: Settings = {}) =>
    page(
      {
        P: points(...places.map(([x, y]) => at(x, y, 0, { Density: 0.5 }))),
        T: texture(laid),
        N: ['PCGSampleTextureSettings', settings],
      },
      ['P.Out > N.Point', 'T.Out > N.BaseTexture'],
      'N',
      undefined,
      0,
      { ...more, actor },
    )
  const MIDDLES = [
    [-50, -50],
    [50, -50],
    [-50, 50],
    [50, 50],
  ] as const
  const near = (found: readonly unknown[], wanted: readonly number[]) => {
    expect(found).toHaveLength(wanted.length)
    for (const [i, value] of wanted.entries()) expect(found[i]).toBeCloseTo(value, 6)
  }
  it('PCGSampleTextureSettings: the pixel above each point over the bounds of the actor', () => {
    const found = sampled(MIDDLES, {})
    near(column(found, '$Density'), [0, 1 / 3, 2 / 3, 1])
    expect(column(found, '$Color').map((color) => (color as number[])[0])).toEqual([1, 0, 1, 0])
    // Half-way between all four.
    near(column(sampled([[0, 0]], {}), '$Density'), [0.5])
    near(column(sampled([[-1, -1]], {}, { Filter: 'Point' }), '$Density'), [0])
  })
  it.each([
    ['Ignore', (own: number) => own],
    ['Minimum', Math.min],
    ['Maximum', Math.max],
    ['Add', (own: number, found: number) => Math.min(1, own + found)],
    ['Subtract', (own: number, found: number) => Math.max(0, own - found)],
    ['Multiply', (own: number, found: number) => own * found],
  ] as const)('PCGSampleTextureSettings %s: merged with the density of the point', (DensityMergeFunction, merge) => {
    near(
      column(sampled(MIDDLES, { DensityMergeFunction }), '$Density'),
      [0, 1 / 3, 2 / 3, 1].map((value) => merge(0.5, value)),
    )
  })
  it('PCGSampleTextureSettings: by coordinates of the point; beyond the picture it repeats or ends', () => {
    const by = (u: number, v: number, TilingMode: string) =>
      column(
        page(
          {
            P: numbersAt(0),
            A: [
              'PCGAddAttributeSettings',
              { OutputTarget: 'UV', AttributeTypes: { Type: 'Vector2', Vector2Value: [u, v] } },
            ],
            T: texture(),
            N: [
              'PCGSampleTextureSettings',
              { TextureMappingMethod: 'UvCoordinates', UVCoordinatesAttribute: 'UV', TilingMode },
            ],
          },
          ['P.Out > A.In', 'A.Out > N.Point', 'T.Out > N.BaseTexture'],
          'N',
          undefined,
          0,
          more,
        ),
        '$Density',
      )
    near(by(0.75, 0.25, 'Wrap'), [1 / 3])
    near(by(1.75, -0.75, 'Wrap'), [1 / 3])
    near(by(1.75, -0.75, 'Clamp'), [1 / 3])
  })
  it('PCGTextureSamplerSettings: density from a channel, over the actor or where the transform says, zero beside it', () => {
    const inside = (settings: Settings) => {
      const nodes: Nodes = {
        P: points(...MIDDLES.map(([x, y]) => at(x, y))),
        T: texture(settings),
        N: ['PCGPointFilterSettings'],
      }
      return page(nodes, ['P.Out > N.In', 'T.Out > N.Filter'], 'N', 'InFilter', 0, { ...more, actor }).rowCount
    }
    expect(inside({ Filter: 'Point' })).toBe(3)
    expect(inside({ Filter: 'Point', ColorChannel: 'Red' })).toBe(2)
    expect(inside({ bUseDensitySourceChannel: false })).toBe(4)
    const half = { bUseAbsoluteTransform: true, Transform: { location: [50, 0, 0], scale: [40, 100, 1] } }
    expect(inside({ ...half, bUseDensitySourceChannel: false })).toBe(2)
    expect(report({ T: texture({ Texture: '/Game/None' }) }, [], 'T', more).warnings?.[0]).toContain(
      'There is no picture /Game/None',
    )
  })
})

describe('objects of the level', () => {
  const path = (text: string) =>
    [
      'PCGCreateAttributeSetSettings',
      { OutputTarget: 'Path', AttributeTypes: { Type: 'SoftObjectPath', SoftObjectPathValue: text } },
    ] as const
  it('PCGGetPropertyFromObjectPathSettings: the property of the actor at the path, from the list or from the input', () => {
    const boulder = firstLevel().actors.find((one) => one.name === 'Boulder_0')
    const listed = {
      ObjectPathsToExtract: ['/Game/Maps/Main.Main:PersistentLevel.Boulder_0'],
      PropertyName: 'Location',
    }
    expect(column(page({ N: ['PCGGetPropertyFromObjectPathSettings', listed] }, [], 'N'), 'Location')).toEqual([
      boulder?.location,
    ])
    const wired = page(
      {
        S: path('Boulder_0'),
        N: ['PCGGetPropertyFromObjectPathSettings', { PropertyName: 'Label', OutputAttributeName: 'L' }],
      },
      ['S.Out > N.In'],
      'N',
    )
    expect(column(wired, 'L')).toEqual(['Boulder'])
    const none = report(
      { S: path('Missing'), N: ['PCGGetPropertyFromObjectPathSettings', { PropertyName: 'Label' }] },
      ['S.Out > N.In'],
      'N',
    )
    expect(none).toMatchObject({ data: 0, warnings: ["There is no object 'Missing'"] })
  })
  it('PCGAddComponentSettings: a component for each point, and its reference', () => {
    const settings = { TemplateComponentClass: 'PointLightComponent', ComponentReferenceAttribute: 'Light' }
    const nodes: Nodes = { P: numbersAt(1, 2, 3), N: ['PCGAddComponentSettings', settings] }
    expect(report(nodes, ['P.Out > N.In'], 'N').spawned).toEqual([
      { component: 'PointLightComponent', asset: 'PointLightComponent', instances: 3 },
    ])
    expect(new Set(column(page(nodes, ['P.Out > N.In'], 'N'), 'Light')).size).toBe(3)
  })
  it('PCGSkinnedMeshSpawnerSettings: an instance for each point, drawn by weight', () => {
    const seeds = [3, 14, 15, 92, 65, 35, 89, 79]
    const entry = (SkinnedAsset: string, Weight: number) => ({ Descriptor: { SkinnedAsset }, Weight })
    const MeshSelectorParameters = { MeshEntries: [entry('deer', 1), entry('hare', 2)] }
    const wanted = seeds.map((seed) => (fraction(next(S2(NODE_SEED, seed))) * 3 < 1 ? 'deer' : 'hare'))
    const nodes: Nodes = {
      P: points(...seeds.map((Seed, i) => at(i, 0, 0, { Seed }))),
      N: ['PCGSkinnedMeshSpawnerSettings', { MeshSelectorParameters, OutAttributeName: 'Mesh' }],
    }
    expect(column(page(nodes, ['P.Out > N.In'], 'N'), 'Mesh')).toEqual(wanted)
    const { spawned } = report(nodes, ['P.Out > N.In'], 'N')
    for (const asset of new Set(wanted))
      expect(spawned).toContainEqual({
        component: 'InstancedSkinnedMeshComponent',
        asset,
        instances: wanted.filter((name) => name === asset).length,
      })
  })
  it('PCGGetWaterSplineSettings: the curve of a river, of no other actor', () => {
    const spline = {
      points: [
        [0, 0, 0],
        [100, 0, 0],
      ] as [number, number, number][],
      closed: false,
      linear: true,
    }
    const river: ActorDoc = { ...volume([50, 50, 50]), name: 'River', class: 'WaterBodyRiver', spline }
    const nodes: Nodes = {
      N: ['PCGGetWaterSplineSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', bSelectMultiple: true } }],
      C: ['PCGGetSplineControlPointsSettings'],
    }
    const found = page(nodes, ['N.Out > C.In'], 'C', undefined, 0, { actors: [...firstLevel().actors, river] })
    expect(found.dataCount).toBe(1)
    expect(vectors(found)).toEqual(spline.points)
  })
})
