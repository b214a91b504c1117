// Hierarchies, proxies, tags as attributes and the classes that newer ones replaced, against plain lists: no code of the engine.
import { describe, expect, it } from 'vitest'
import { column, type Nodes, vectors } from '../graph.fixture.ts'
import { at, fraction, NODE_SEED, next, numbersAt, over, page, points, report, S2 } from '../semantics.fixture.ts'

type Settings = Readonly<Record<string, unknown>>
const typed = (Type: string, value: unknown) => {
  const field = { Boolean: 'bBoolValue', Integer32: 'Int32Value' }[Type] ?? `${Type}Value`
  return { Type, [field]: value }
}
const set = (name: string, Type: string, value: unknown) =>
  ['PCGCreateAttributeSetSettings', { OutputTarget: name, AttributeTypes: typed(Type, value) }] as const
const add = (name: string, Type: string, value: unknown) =>
  ['PCGAddAttributeSettings', { OutputTarget: name, AttributeTypes: typed(Type, value) }] as const
const xs = (found: readonly unknown[]) => (found as readonly (readonly number[])[]).map(([x]) => x)
function close(found: readonly unknown[], wanted: readonly (readonly number[])[]): void {
  expect(found).toHaveLength(wanted.length)
  for (const [i, value] of wanted.entries())
    for (const [k, part] of value.entries()) expect((found[i] as number[])[k]).toBeCloseTo(part, 9)
}

describe('older names', () => {
  it('PCGSortPointsSettings: by a value, up or down', () => {
    const sorted = (SortMethod: string) =>
      xs(over('PCGSortPointsSettings', { InputSource: '$Position.X', SortMethod }, numbersAt(3, 1, 2), '$Position'))
    expect(sorted('Ascending')).toEqual([1, 2, 3])
    expect(sorted('Descending')).toEqual([3, 2, 1])
  })
  it('PCGPointFilterRangeSettings: inside with both ends, the others beside', () => {
    const end = (value: number, bInclusive = true) => ({ bInclusive, AttributeTypes: typed('Double', value) })
    const settings = { TargetAttribute: '$Position.X', MinThreshold: end(2), MaxThreshold: end(4, false) }
    const of = (pin: string) =>
      xs(over('PCGPointFilterRangeSettings', settings, numbersAt(1, 2, 3, 4), '$Position', pin))
    expect(of('InFilter')).toEqual([2, 3])
    expect(of('OutFilter')).toEqual([1, 4])
  })
  it('PCGCreateAttributeSettings: on every row of the input, on one row without', () => {
    const settings = { OutputTarget: 'K', AttributeTypes: typed('Double', 2.5) }
    expect(over('PCGCreateAttributeSettings', settings, numbersAt(1, 2), 'K')).toEqual([2.5, 2.5])
    expect(column(page({ N: ['PCGCreateAttributeSettings', settings] }, [], 'N'), 'K')).toEqual([2.5])
  })
  it('PCGMetadataOperationSettings: a property or an attribute under another name in the same data', () => {
    const settings = { InputSource: '$Position', OutputTarget: 'Was' }
    expect(over('PCGMetadataOperationSettings', settings, numbersAt(7, 8), 'Was')).toEqual([
      [7, 0, 0],
      [8, 0, 0],
    ])
  })
  it('PCGExtractAttributeSettings: the value of one element, counted from either end', () => {
    const of = (Index: number) =>
      over(
        'PCGExtractAttributeSettings',
        { InputSource: '$Position.X', Index, OutputAttributeName: 'V' },
        numbersAt(4, 5, 6),
        'V',
      )
    expect([of(0), of(2), of(-1)]).toEqual([[4], [6], [6]])
    const none = report(
      { P: numbersAt(1), N: ['PCGExtractAttributeSettings', { InputSource: '$Density', Index: 9 }] },
      ['P.Out > N.In'],
      'N',
    )
    expect(none).toMatchObject({ data: 0, warnings: ['There is no element 9'] })
  })
})

describe('PCGPointMatchAndSetSettings', () => {
  const seeded = points(...[11, 22, 33, 44, 55, 66].map((Seed, i) => at(i, 0, 0, { Seed })))
  const entry = (value: string, Weight: number, match?: number) => ({
    Value: typed('String', value),
    Weight,
    ...(match === undefined ? {} : { ValueToMatch: typed('Double', match) }),
  })
  const made = (MatchAndSetType: Settings, given: Nodes[string] = seeded) =>
    over('PCGPointMatchAndSetSettings', { SetTarget: 'Kind', SetTargetType: 'String', MatchAndSetType }, given, 'Kind')

  it('PCGPointMatchAndSetSettings by weight: the stream of the point falls into one share', () => {
    const wanted = [11, 22, 33, 44, 55, 66].map((seed) => {
      const place = fraction(next(S2(NODE_SEED, seed))) * 4
      return place < 1 ? 'oak' : 'fir'
    })
    expect(made({ Class: 'PCGMatchAndSetWeighted', Entries: [entry('oak', 1), entry('fir', 3)] })).toEqual(wanted)
    expect(new Set(wanted).size).toBe(2)
  })
  it('PCGPointMatchAndSetSettings by attribute: the value that equals, none for the others', () => {
    const rule = {
      Class: 'PCGMatchAndSetByAttribute',
      MatchSourceAttribute: '$Position.X',
      Entries: [entry('one', 1, 1), entry('three', 1, 3)],
    }
    expect(made(rule)).toEqual(['', 'one', '', 'three', '', ''])
  })
  it('PCGPointMatchAndSetSettings by category: drawn within it, within the default for the others', () => {
    const list = (value: number, name: string, bIsDefault = false) => ({
      CategoryValue: typed('Double', value),
      bIsDefault,
      WeightedEntries: [entry(name, 2)],
    })
    const rule = {
      Class: 'PCGMatchAndSetWeightedByCategory',
      CategoryAttribute: '$Position.X',
      Categories: [list(1, 'wet'), list(2, 'dry'), list(-1, 'other', true)],
    }
    expect(made(rule)).toEqual(['other', 'wet', 'dry', 'other', 'other', 'other'])
  })
})

describe('tags and attributes of a whole data', () => {
  const tagged = (...tags: string[]) => ['PCGAddTagSettings', { TagsToAdd: tags.join(',') }] as const
  it('PCGTagsToDataAttributesSettings: whole number, number, text, truth; under other names; tags left out when asked', () => {
    const nodes = (settings: Settings): Nodes => ({
      P: numbersAt(1, 2),
      T: tagged('Level:3', 'Ratio:0.5', 'Kind:oak', 'Wild'),
      N: ['PCGTagsToDataAttributesSettings', settings],
    })
    const wires = ['P.Out > T.In', 'T.Out > N.In']
    const all = page(nodes({}), wires, 'N')
    expect(['Level', 'Ratio', 'Kind', 'Wild'].map((name) => column(all, name))).toEqual([
      [3, 3],
      [0.5, 0.5],
      ['oak', 'oak'],
      [true, true],
    ])
    expect(all.tags).toHaveLength(4)
    const mapped = page(
      nodes({ AttributesTagsMapping: { Level: 'Rank', Kind: '@Source' }, bDeleteInputsAfterOperation: true }),
      wires,
      'N',
    )
    expect([column(mapped, 'Rank'), column(mapped, 'Kind')]).toEqual([
      [3, 3],
      ['oak', 'oak'],
    ])
    expect(column(mapped, 'Ratio')).toEqual([undefined, undefined])
    expect(mapped.tags).toEqual(['Ratio:0.5', 'Wild'])
  })
  it('PCGDataAttributesToTagsSettings: one value for all rows becomes a tag, a value for each row does not', () => {
    const nodes = (settings: Settings): Nodes => ({
      P: numbersAt(1, 2),
      A: add('Kind', 'String', 'oak'),
      B: add('Way', 'Vector', [1, 2, 3]),
      C: ['PCGMetadataOperationSettings', { InputSource: '$Position', OutputTarget: 'Each' }],
      N: ['PCGDataAttributesToTagsSettings', settings],
    })
    const wires = ['P.Out > A.In', 'A.Out > B.In', 'B.Out > C.In', 'C.Out > N.In']
    const tags = (settings: Settings) => page(nodes(settings), wires, 'N').tags
    expect(tags({})).toEqual(['Kind:oak'])
    expect(tags({ bDiscardNonParseableAttributeTypes: false })).toEqual(['Kind:oak', 'Way'])
    expect(tags({ bDiscardAttributeValue: true })).toEqual(['Kind'])
    expect(tags({ AttributesTagsMapping: { Kind: 'Tree' } })).toEqual(['Tree:oak'])
    const without = page(nodes({ bDeleteInputsAfterOperation: true }), wires, 'N')
    expect(column(without, 'Kind')).toEqual([undefined, undefined])
    expect(column(without, 'Each')).toHaveLength(2)
  })
})

describe('transforms', () => {
  const transform = (location: readonly number[], yaw: number, scale: number) => ({
    location,
    rotation: [0, yaw, 0],
    scale: [scale, scale, scale],
  })
  const [A, B] = [transform([100, 0, 0], 90, 2), transform([0, 50, 10], 90, 3)]
  const made = (settings: Settings) => {
    const found = page(
      {
        A: set('T', 'Transform', A),
        B: set('T', 'Transform', B),
        R: set('R', 'Double', 0.25),
        N: ['PCGMetadataTransformSettings', { OutputTarget: 'Out', ...settings }],
        L: ['PCGMetadataBreakTransformSettings', { OutputTarget: 'V' }],
      },
      ['A.Out > N.InA', 'B.Out > N.InB', 'R.Out > N.Ratio', 'N.Out > L.In'],
      'L',
      'Translation',
    )
    return (column(found, 'V')[0] ?? []) as number[]
  }
  const part = (settings: Settings, pin: string) =>
    (column(
      page(
        {
          A: set('T', 'Transform', A),
          B: set('T', 'Transform', B),
          R: set('R', 'Double', 0.25),
          N: ['PCGMetadataTransformSettings', { OutputTarget: 'Out', ...settings }],
          L: ['PCGMetadataBreakTransformSettings', { OutputTarget: 'V' }],
        },
        ['A.Out > N.InA', 'B.Out > N.InB', 'R.Out > N.Ratio', 'N.Out > L.In'],
        'L',
        pin,
      ),
      'V',
    )[0] ?? []) as number[]

  it('PCGMetadataTransformSettings Compose: the first, then the second', () => {
    // (100, 0, 0) three times as far, turned by 90 degrees: (0, 300, 0), then moved.
    close([made({ Operation: 'Compose' })], [[0, 350, 10]])
    close([part({ Operation: 'Compose' }, 'Scale')], [[6, 6, 6]])
    // 180 degrees about Z.
    const turned = part({ Operation: 'Compose' }, 'Rotation')
    expect(Math.abs(turned[2] ?? 0)).toBeCloseTo(1, 9)
    expect(turned[3]).toBeCloseTo(0, 9)
  })
  it('PCGMetadataTransformSettings Invert: back to where it came from', () => {
    // A takes the origin to (100, 0, 0): half of (0, 100, 0), found by turning back by 90 degrees.
    close([made({ Operation: 'Invert' })], [[0, 50, 0]])
    close([part({ Operation: 'Invert' }, 'Scale')], [[0.5, 0.5, 0.5]])
  })
  it.each(['QuatInterp', 'EulerInterp'])(
    'PCGMetadataTransformSettings Lerp %s: a quarter of the way',
    (TransformLerpMode) => {
      const settings = { Operation: 'Lerp', TransformLerpMode }
      close([made(settings)], [[75, 12.5, 2.5]])
      close([part(settings, 'Scale')], [[2.25, 2.25, 2.25]])
    },
  )
})

describe('PCGApplyHierarchySettings', () => {
  const relative = (location: readonly number[], yaw = 0, scale = 1) => ({
    location,
    rotation: [0, yaw, 0],
    scale: [scale, scale, scale],
  })
  /** Points one by one, each with its key, its parent, its depth and its place below the parent. */
  const tree = (list: readonly { key: number; parent: number; depth: number; local: Settings; opt?: Settings }[]) => {
    const nodes: Record<string, Nodes[string]> = { M: ['PCGMergeSettings'] }
    const wires: string[] = []
    for (const { key, parent, depth, local, opt } of list) {
      const chain: [string, Nodes[string]][] = [
        [
          `P${key}`,
          points(
            at(1000 * (key + 1), 0, 0, {
              Transform: { location: [1000, 0, 0], rotation: [0, 90, 0], scale: [2, 2, 2] },
            }),
          ),
        ],
        [`K${key}`, add('ActorIndex', 'Integer32', key)],
        [`A${key}`, add('ParentIndex', 'Integer32', parent)],
        [`D${key}`, add('HierarchyDepth', 'Integer32', depth)],
        [`R${key}`, add('RelativeTransform', 'Transform', local)],
        ...Object.entries(opt ?? {}).map(([name, value], i): [string, Nodes[string]] => [
          `O${key}${i}`,
          add(name, 'Boolean', value),
        ]),
      ]
      for (const [i, [name, node]] of chain.entries()) {
        nodes[name] = node
        if (i > 0) wires.push(`${chain[i - 1]?.[0]}.Out > ${name}.In`)
      }
      wires.push(`${chain.at(-1)?.[0]}.Out > M.In`)
    }
    return { nodes, wires: [...wires, 'M.Out > N.In'] }
  }
  const run = (list: Parameters<typeof tree>[0], settings: Settings = {}) => {
    const { nodes, wires } = tree(list)
    return page({ ...nodes, N: ['PCGApplyHierarchySettings', settings] }, wires, 'N')
  }
  // A root at (1000, 0, 0), turned by 90 degrees and twice as large; a child; a child of the child, listed first.
  const ROOT = { key: 0, parent: -1, depth: 0, local: relative([5, 5, 5]) }
  const FAMILY = [
    { key: 2, parent: 1, depth: 2, local: relative([0, 10, 0]) },
    ROOT,
    { key: 1, parent: 0, depth: 1, local: relative([100, 0, 7], 90, 3) },
  ]
  it('PCGApplyHierarchySettings: below the parent, in any order of the points; the root stays', () => {
    // Child: twice (100, 0, 7), turned by 90 degrees. Grandchild: six times (0, 10, 0), turned by 180 degrees.
    close(vectors(run(FAMILY)), [
      [1000, 140, 14],
      [1000, 0, 0],
      [1000, 200, 14],
    ])
    close(vectors(run(FAMILY), '$Scale'), [
      [6, 6, 6],
      [2, 2, 2],
      [6, 6, 6],
    ])
  })
  it('PCGApplyHierarchySettings: without the turn or the size of the parent, or not at all, by setting or by attribute', () => {
    const child = (settings: Settings, opt: Settings = {}) =>
      vectors(run([ROOT, { key: 1, parent: 0, depth: 1, local: relative([100, 0, 7]), opt }], settings))[1]
    close([child({ ApplyParentRotation: 'Never' })], [[1200, 0, 14]])
    close([child({ ApplyParentScale: 'Never' })], [[1000, 100, 7]])
    close([child({ ApplyHierarchy: 'Never' })], [[1000, 0, 0]])
    close([child({}, { IgnoreParentRotation: true })], [[1200, 0, 14]])
    close(
      [child({ ApplyHierarchy: 'OptInByAttribute', ApplyHierarchyAttribute: 'Yes' }, { Yes: true })],
      [[1000, 200, 14]],
    )
    close([child({ ApplyHierarchy: 'OptInByAttribute', ApplyHierarchyAttribute: 'Yes' })], [[1000, 0, 0]])
  })
})

describe('PCGIndirectionSettings', () => {
  it('PCGIndirectionSettings: runs as the class of its settings, over the pins of that class', () => {
    const given = {
      Class: 'PCGAttributeFilteringRangeSettings',
      TargetAttribute: '$Position.X',
      MinThreshold: { AttributeTypes: typed('Double', 2) },
      MaxThreshold: { AttributeTypes: typed('Double', 9) },
    }
    const inside = over('PCGIndirectionSettings', { Settings: given }, numbersAt(1, 2, 3), '$Position', 'InsideFilter')
    expect(xs(inside)).toEqual([2, 3])
  })
  it('PCGIndirectionSettings by class alone: with the defaults of that class', () => {
    const found = over(
      'PCGIndirectionSettings',
      { ProxyInterfaceMode: 'ByNativeElement', SettingsClass: '/Script/PCG.PCGDensityFilterSettings' },
      points(at(1, 0, 0, { Density: 0.4 }), at(2, 0, 0, { Density: 0.6 })),
      '$Position',
    )
    expect(xs(found)).toEqual([2])
  })
  it('PCGIndirectionSettings: without a class, or for one that runs graphs, it is an error of the node', () => {
    const errors = (Class: string) =>
      report({ P: numbersAt(1), N: ['PCGIndirectionSettings', { Settings: { Class } }] }, ['P.Out > N.In'], 'N').errors
    expect(errors('')).toEqual(['No class is set: see Settings'])
    expect(errors('PCGLoopSettings')).toEqual(['PCGLoopSettings cannot be run by proxy'])
  })
})
