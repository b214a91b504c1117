// Tables class by class: attributes made, copied, sorted, split and matched, against plain lists: no code of the engine.
import { describe, expect, it } from 'vitest'
import { column, type Nodes, vectors } from '../graph.fixture.ts'
import { at, fraction, NODE_SEED, next, numbersAt, over, page, points, S2 } from '../semantics.fixture.ts'

type Settings = Readonly<Record<string, unknown>>
const constant = (name: string, Type: string, value: unknown) => {
  const field = { Boolean: 'bBoolValue', Integer32: 'Int32Value', Integer64: 'IntValue' }[Type] ?? `${Type}Value`
  return ['PCGCreateAttributeSetSettings', { OutputTarget: name, AttributeTypes: { Type, [field]: value } }] as const
}
const xs = (found: readonly unknown[]) => (found as readonly (readonly number[])[]).map(([x]) => x)
/** A set with one row for each value under these names, made of constants joined. */
function rows(name: string, list: readonly Readonly<Record<string, readonly [type: string, value: unknown]>>[]) {
  const nodes: Record<string, Nodes[string]> = { [name]: ['PCGMergeAttributesSettings'] }
  const wires: string[] = []
  for (const [i, row] of list.entries()) {
    let last = ''
    for (const [key, [Type, value]] of Object.entries(row)) {
      const made = `${name}${i}${key}`
      const [, settings] = constant(key, Type, value)
      nodes[made] = last === '' ? constant(key, Type, value) : ['PCGAddAttributeSettings', settings]
      if (last !== '') wires.push(`${last}.Out > ${made}.In`)
      last = made
    }
    wires.push(`${last}.Out > ${name}.In`)
  }
  return { nodes, wires }
}

describe('making attributes', () => {
  it.each([
    ['Double', 2.75, 2.75],
    ['Float', 0.1, Math.fround(0.1)],
    ['Integer32', 7.9, 7],
    ['Integer64', 2 ** 40, 2 ** 40],
    ['Boolean', true, true],
    ['String', 'oak', 'oak'],
    ['Vector', [1, 2, 3], [1, 2, 3]],
    ['Vector2', [1, 2], [1, 2]],
    ['Vector4', [1, 2, 3, 4], [1, 2, 3, 4]],
    ['Rotator', [10, 20, 30], [10, 20, 30]],
  ])(
    'PCGCreateAttributeSetSettings and PCGAddAttributeSettings %s: the constant, on one row or on every row',
    (type, value, stored) => {
      const [, settings] = constant('K', type, value)
      expect(column(page({ N: constant('K', type, value) }, [], 'N'), 'K')).toEqual([stored])
      expect(over('PCGAddAttributeSettings', settings, numbersAt(1, 2), 'K')).toEqual([stored, stored])
    },
  )

  it('PCGAddAttributeSettings: the attributes of a set, one or all, its single row for every row', () => {
    const { nodes, wires } = rows('S', [{ Kind: ['String', 'oak'], Size: ['Double', 3] }])
    const of = (settings: Settings, name: string) =>
      column(
        page(
          { ...nodes, P: numbersAt(1, 2), N: ['PCGAddAttributeSettings', settings] },
          [...wires, 'P.Out > N.In', 'S.Out > N.Attributes'],
          'N',
        ),
        name,
      )
    expect(of({ InputSource: 'Kind', OutputTarget: 'Tree' }, 'Tree')).toEqual(['oak', 'oak'])
    expect(of({ InputSource: 'Kind', OutputTarget: 'Tree' }, 'Size')).toEqual([undefined, undefined])
    expect([of({ bCopyAllAttributes: true }, 'Kind'), of({ bCopyAllAttributes: true }, 'Size')]).toEqual([
      ['oak', 'oak'],
      [3, 3],
    ])
  })

  it('PCGCopyAttributesSettings: each to its own, all merged on all, or each on every', () => {
    const of = (Operation: string, index: number) =>
      page(
        {
          A: numbersAt(1, 2),
          B: numbersAt(3, 4),
          S: constant('U', 'Double', 10),
          T: constant('V', 'Double', 20),
          N: ['PCGCopyAttributesSettings', { Operation, bCopyAllAttributes: true }],
        },
        ['A.Out > N.Target', 'B.Out > N.Target', 'S.Out > N.Source', 'T.Out > N.Source'],
        'N',
        undefined,
        index,
      )
    const shown = (how: string, index: number) => {
      const found = of(how, index)
      return [found.dataCount, xs(vectors(found)), column(found, 'U')[0], column(found, 'V')[0]]
    }
    expect(shown('CopyEachSourceToEachTargetRespectively', 0)).toEqual([2, [1, 2], 10, undefined])
    expect(shown('CopyEachSourceToEachTargetRespectively', 1)).toEqual([2, [3, 4], undefined, 20])
    expect(shown('MergeSourcesAndCopyToAllTargets', 1)).toEqual([2, [3, 4], 10, 20])
    expect(shown('CopyEachSourceOnEveryTarget', 1)).toEqual([4, [1, 2], undefined, 20])
    expect(shown('CopyEachSourceOnEveryTarget', 2)).toEqual([4, [3, 4], 10, undefined])
  })

  const named = () => rows('S', [{ Low: ['Double', 1], Lower: ['Double', 2], High: ['Double', 3] }])
  const names = (node: Nodes[string]) => {
    const { nodes, wires } = named()
    return Object.keys(page({ ...nodes, N: node }, [...wires, 'S.Out > N.In'], 'N').rows[0] ?? {}).filter(
      (n) => !n.startsWith('$'),
    )
  }
  it('PCGMetadataRenameSettings: the attribute under another name, the others as they are', () => {
    const settings = { AttributeToRename: 'Lower', NewAttributeName: 'Under' }
    expect(names(['PCGMetadataRenameSettings', settings]).sort()).toEqual(['High', 'Low', 'Under'])
  })
  it.each([
    ['DeleteSelectedAttributes', 'Equal', 'Low', ['High', 'Lower']],
    ['DeleteSelectedAttributes', 'Substring', 'Low', ['High']],
    ['DeleteSelectedAttributes', 'Matches', 'L*r', ['High', 'Low']],
    ['KeepSelectedAttributes', 'Equal', 'Low,High', ['High', 'Low']],
  ])('PCGDeleteAttributesSettings %s %s', (Operation, Operator, SelectedAttributes, wanted) => {
    expect(names(['PCGDeleteAttributesSettings', { Operation, Operator, SelectedAttributes }]).sort()).toEqual(wanted)
  })

  it.each([
    ['Integer32', -2.75, -2],
    ['Boolean', 0.5, true],
    ['Boolean', 0, false],
    ['Float', 0.1, Math.fround(0.1)],
    ['Vector', 2, [2, 2, 2]],
    ['String', 2.5, '2.5'],
  ])('PCGAttributeCastSettings to %s: %j is %j', (OutputType, value, wanted) => {
    const nodes: Nodes = {
      A: constant('K', 'Double', value),
      N: ['PCGAttributeCastSettings', { InputSource: 'K', OutputTarget: 'R', OutputType }],
    }
    expect(column(page(nodes, ['A.Out > N.In'], 'N'), 'R')).toEqual([wanted])
  })
})

describe('order and parts', () => {
  const mixed = points(at(3, 1), at(1, 2), at(2, 3), at(1, 4), at(3, 5))
  it.each([
    ['Ascending', [2, 4, 3, 1, 5]],
    ['Descending', [1, 5, 3, 2, 4]],
  ])('PCGSortAttributesSettings %s: equal values keep their order', (SortMethod, wanted) => {
    const found = over('PCGSortAttributesSettings', { InputSource: '$Position.X', SortMethod }, mixed, '$Position')
    expect((found as number[][]).map(([, y]) => y)).toEqual(wanted)
  })

  it('PCGMetadataPartitionSettings: one data for each value, or each pair of values, in order of appearance', () => {
    const of = (names: string, index: number) =>
      page(
        {
          P: mixed,
          N: ['PCGMetadataPartitionSettings', { PartitionAttributeNames: names, bAssignIndexPartition: true }],
        },
        ['P.Out > N.In'],
        'N',
        undefined,
        index,
      )
    const parts = [0, 1, 2].map((index) => (vectors(of('$Position.X', index)) as number[][]).map(([, y]) => y))
    expect(parts).toEqual([[1, 5], [2, 4], [3]])
    expect([0, 1, 2].map((index) => column(of('$Position.X', index), 'PartitionIndex')[0])).toEqual([0, 1, 2])
    expect(of('$Position.X, $Position.Y', 0).dataCount).toBe(5)
  })

  it.each([
    ['Average', [3.5, -1, 2]],
    ['Max', [9, 2, 5]],
    ['Min', [1, -4, 0]],
    ['Sum', [14, -4, 8]],
  ] as const)('PCGAttributeReduceSettings %s: number by number over all rows', (Operation, wanted) => {
    const given = points(at(1, 2, 0), at(9, -4, 5), at(2, -4, 2), at(2, 2, 1))
    const settings = { InputSource: '$Position', OutputAttributeName: 'R', Operation }
    expect(over('PCGAttributeReduceSettings', settings, given, 'R')).toEqual([wanted])
  })
  it('PCGAttributeReduceSettings Join: the texts in a row', () => {
    const { nodes, wires } = rows('S', [{ K: ['String', 'a'] }, { K: ['String', 'b'] }, { K: ['String', 'c'] }])
    const settings = { InputSource: 'K', OutputAttributeName: 'R', Operation: 'Join', JoinDelimiter: '-' }
    const found = page({ ...nodes, N: ['PCGAttributeReduceSettings', settings] }, [...wires, 'S.Out > N.In'], 'N')
    expect(column(found, 'R')).toEqual(['a-b-c'])
  })

  it.each([
    ['Min', 'X', [1, 9, 0]],
    ['Max', 'Y', [1, 9, 0]],
    ['Median', 'X', [5, 2, 0]],
    ['Max', 'CustomAxis', [8, 4, 0]],
  ] as const)(
    'PCGAttributeSelectSettings %s along %s: that entry, as attribute and as point',
    (Operation, Axis, wanted) => {
      const given = points(at(8, 4), at(1, 9), at(5, 2))
      const settings = { InputSource: '$Position', OutputAttributeName: 'R', Operation, Axis, CustomAxis: [1, 1, 0, 0] }
      expect(over('PCGAttributeSelectSettings', settings, given, 'R', 'Attribute')).toEqual([wanted])
      expect(over('PCGAttributeSelectSettings', settings, given, '$Position', 'Point')).toEqual([wanted])
    },
  )

  it('PCGMergeAttributesSettings: the rows of all sets under the attributes of all, blank where one has none', () => {
    const { nodes, wires } = rows('S', [
      { K: ['String', 'a'], N: ['Double', 1] },
      { K: ['String', 'b'] },
      { N: ['Double', 3] },
    ])
    const found = page(nodes, wires, 'S')
    expect(column(found, 'K')).toEqual(['a', 'b', ''])
    expect(column(found, 'N')).toEqual([1, 0, 3])
  })

  it('PCGMetadataBreakVectorSettings: the numbers of a vector, one on each pin', () => {
    const settings = { InputSource: '$Position', OutputTarget: 'R' }
    const given = points(at(1, 2, 3), at(4, 5, 6))
    const of = (pin: string) => over('PCGMetadataBreakVectorSettings', settings, given, 'R', pin)
    expect([of('X'), of('Y'), of('Z')]).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ])
  })
})

describe('points and sets', () => {
  const POINT = {
    Density: 0.5,
    Steepness: 0.25,
    Seed: 9,
    Color: [0, 0.5, 1, 1],
    BoundsMin: [-1, -2, -3],
    BoundsMax: [4, 5, 6],
  }
  const given = points(at(1, 2, 3, { ...POINT, Transform: { rotation: [0, 90, 0], scale: [2, 3, 4] } }))
  const WANTED: Readonly<Record<string, unknown>> = {
    Position: [1, 2, 3],
    Scale: [2, 3, 4],
    Density: 0.5,
    Steepness: 0.25,
    Seed: 9,
    Color: [0, 0.5, 1, 1],
    BoundsMin: [-1, -2, -3],
    BoundsMax: [4, 5, 6],
  }
  it('PCGConvertToAttributeSetSettings and PCGConvertToPointDataSettings: properties as attributes, and back', () => {
    const nodes: Nodes = { P: given, S: ['PCGConvertToAttributeSetSettings'], N: ['PCGConvertToPointDataSettings'] }
    const wires = ['P.Out > S.In', 'S.Out > N.In']
    const [set, back] = [page(nodes, wires, 'S'), page(nodes, wires, 'N')]
    expect(set.dataClass).toMatch(/Param/)
    expect(back.dataClass).toMatch(/Point/)
    for (const [name, value] of Object.entries(WANTED)) {
      expect(column(set, name), name).toEqual([value])
      expect(column(back, `$${name}`), name).toEqual([value])
      expect(back.rows[0]).not.toHaveProperty(name)
    }
    const [turn] = column(back, '$Rotation') as number[][]
    for (const [k, value] of [0, 0, Math.SQRT1_2, Math.SQRT1_2].entries()) expect(turn?.[k]).toBeCloseTo(value, 9)
  })
})

describe('filters', () => {
  const VALUES = [-2, -1, 0, 1, 2]
  const given = numbersAt(...VALUES)
  const limit = (value: number) => ({
    bUseConstantThreshold: true,
    AttributeTypes: { Type: 'Double', DoubleValue: value },
  })
  it.each([
    ['Greater', (a: number) => a > 1],
    ['GreaterOrEqual', (a: number) => a >= 1],
    ['Lesser', (a: number) => a < 1],
    ['LesserOrEqual', (a: number) => a <= 1],
    ['Equal', (a: number) => a === 1],
    ['NotEqual', (a: number) => a !== 1],
  ] as const)('PCGAttributeFilteringSettings %s: rows that pass inside, the rest outside', (Operator, passes) => {
    const settings = { TargetAttribute: '$Position.X', Operator, ...limit(1) }
    const of = (pin: string) => xs(over('PCGAttributeFilteringSettings', settings, given, '$Position', pin))
    expect(of('InsideFilter')).toEqual(VALUES.filter(passes))
    expect(of('OutsideFilter')).toEqual(VALUES.filter((a) => !passes(a)))
  })
  it.each([
    ['Substring', 'ak', ['oak']],
    ['Matches', '?l*', ['elm', 'alder']],
  ])('PCGAttributeFilteringSettings %s: of texts', (Operator, text, wanted) => {
    const { nodes, wires } = rows(
      'S',
      ['oak', 'elm', 'alder'].map((kind) => ({ K: ['String', kind] as const })),
    )
    const settings = {
      TargetAttribute: 'K',
      Operator,
      bUseConstantThreshold: true,
      AttributeTypes: { Type: 'String', StringValue: text },
    }
    const found = page(
      { ...nodes, N: ['PCGAttributeFilteringSettings', settings] },
      [...wires, 'S.Out > N.In'],
      'N',
      'InsideFilter',
    )
    expect(column(found, 'K')).toEqual(wanted)
  })
  it('PCGAttributeFilteringSettings: a threshold from other data, row by row or in space', () => {
    const settings = { TargetAttribute: '$Position.X', Operator: 'Greater', ThresholdAttribute: '$Position.Y' }
    const rowwise: Nodes = {
      P: given,
      T: points(...VALUES.map((_, i) => at(0, i - 1))),
      N: ['PCGAttributeFilteringSettings', settings],
    }
    const found = page(rowwise, ['P.Out > N.In', 'T.Out > N.Filter'], 'N', 'InsideFilter')
    expect(xs(vectors(found))).toEqual(VALUES.filter((a, i) => a > i - 1))
    const space: Nodes = {
      P: numbersAt(0, 5000),
      V: ['PCGGetVolumeSettings'],
      N: ['PCGAttributeFilteringSettings', { TargetAttribute: '$Density', Operator: 'LesserOrEqual' }],
    }
    expect(xs(vectors(page(space, ['P.Out > N.In', 'V.Out > N.Filter'], 'N', 'InsideFilter')))).toEqual([0])
  })

  it.each([
    [true, true, (a: number) => a >= -1 && a <= 1],
    [false, true, (a: number) => a > -1 && a <= 1],
    [true, false, (a: number) => a >= -1 && a < 1],
  ] as const)('PCGAttributeFilteringRangeSettings: low end closed %s, high end closed %s', (low, high, passes) => {
    const settings = {
      TargetAttribute: '$Position.X',
      MinThreshold: { ...limit(-1), bInclusive: low },
      MaxThreshold: { ...limit(1), bInclusive: high },
    }
    const of = (pin: string) => xs(over('PCGAttributeFilteringRangeSettings', settings, given, '$Position', pin))
    expect(of('InsideFilter')).toEqual(VALUES.filter(passes))
    expect(of('OutsideFilter')).toEqual(VALUES.filter((a) => !passes(a)))
  })

  it('PCGAddTagSettings and PCGFilterByTagSettings: tags added once, and data by tag, key and pattern', () => {
    const nodes = (SelectedTags: string, more: Settings = {}): Nodes => ({
      P: numbersAt(1),
      Q: numbersAt(2),
      A: ['PCGAddTagSettings', { TagsToAdd: 'Kind:Oak, Old, Old', Prefix: '', Suffix: '' }],
      N: ['PCGFilterByTagSettings', { SelectedTags, ...more }],
    })
    const wires = ['P.Out > A.In', 'A.Out > N.In', 'Q.Out > N.In']
    const kept = (tags: string, more?: Settings, pin = 'InsideFilter') => {
      const found = page(nodes(tags, more), wires, 'N', pin)
      return found.dataCount === 0 ? [] : xs(vectors(found))
    }
    expect(page(nodes(''), wires, 'A').tags).toEqual(['Kind:Oak', 'Old'])
    expect([kept('Old'), kept('Kind'), kept('Kind:Oak'), kept('Elm')]).toEqual([[1], [1], [1], []])
    expect(kept('Old', {}, 'OutsideFilter')).toEqual([2])
    expect(kept('K*k', { Operator: 'Matches' })).toEqual([1])
    expect(kept('Old', { Operation: 'RemoveTagged' })).toEqual([2])
  })

  it.each([
    ['a fixed number', { FixedNumber: 4 }, 4],
    ['more than there are', { FixedNumber: 99 }, 20],
    ['a share, rounded', { bFixedMode: false, Ratio: 0.33 }, 7],
  ])('PCGRandomChoiceSettings %s: the rows with the least draws, in their order', (_how, settings, count) => {
    const list = Array.from({ length: 20 }, (_, x) => x)
    const drawn = list.map((x) => fraction(next(S2(NODE_SEED, x + 1))))
    const bound = [...drawn].sort((a, b) => a - b)[count - 1] ?? 0
    const wanted = list.filter((x) => (drawn[x] ?? 0) <= bound)
    const of = (pin: string) => xs(over('PCGRandomChoiceSettings', settings, numbersAt(...list), '$Position', pin))
    expect(of('Chosen')).toEqual(wanted)
    expect(of('Discarded')).toEqual(list.filter((x) => !wanted.includes(x)))
  })
})

describe('match and set', () => {
  const table = rows('S', [
    { Key: ['Double', 1], Kind: ['String', 'oak'], Weight: ['Double', 1] },
    { Key: ['Double', 5], Kind: ['String', 'elm'], Weight: ['Double', 3] },
    { Key: ['Double', 9], Kind: ['String', 'fir'], Weight: ['Double', 0] },
  ])
  const of = (settings: Settings, given: Nodes[string], name = 'Kind') =>
    column(
      page(
        { ...table.nodes, P: given, N: ['PCGMatchAndSetAttributesSettings', settings] },
        [...table.wires, 'P.Out > N.In', 'S.Out > N.Match Data'],
        'N',
      ),
      name,
    )
  const byKey = { bMatchAttributes: true, InputAttribute: '$Position.X', MatchAttribute: 'Key' }

  it('PCGMatchAndSetAttributesSettings: the row of an equal value; without one a row keeps nothing, or is dropped', () => {
    expect(of(byKey, numbersAt(5, 1, 2))).toEqual(['elm', 'oak', ''])
    expect(of(byKey, numbersAt(5, 1, 2), 'Weight')).toEqual([3, 1, 0])
    expect(of({ ...byKey, bKeepUnmatched: false }, numbersAt(5, 1, 2))).toEqual(['elm', 'oak'])
  })
  it('PCGMatchAndSetAttributesSettings: the nearest value, as far as the distance permits', () => {
    const near = { ...byKey, bFindNearest: true }
    expect(of(near, numbersAt(4, 8, 100))).toEqual(['elm', 'fir', 'fir'])
    const most = {
      MaxDistanceMode: 'UseConstantMaxDistance',
      MaxDistanceForNearestMatch: { Type: 'Double', DoubleValue: 1.5 },
    }
    expect(of({ ...near, ...most }, numbersAt(4, 7, 100))).toEqual(['elm', '', ''])
    const own = { MaxDistanceMode: 'AttributeMaxDistance', MaxDistanceInputAttribute: '$Position.Y' }
    expect(of({ ...near, ...own }, points(at(4, 1), at(7, 1), at(7, 2)))).toEqual(['elm', '', 'elm'])
  })
  it('PCGMatchAndSetAttributesSettings: a draw by weight from the stream of the point', () => {
    const list = Array.from({ length: 40 }, (_, i) => at(i, 0, 0, { Seed: i * 31 }))
    const wanted = list.map((_, i) => (fraction(next(S2(NODE_SEED, i * 31))) * 4 < 1 ? 'oak' : 'elm'))
    expect(of({ bUseWeightAttribute: true, WeightAttribute: 'Weight' }, points(...list))).toEqual(wanted)
    expect(new Set(wanted).size).toBe(2)
  })
})

it('PCGMetadataMathsSettings and its kin: the result is written into the data of the pin that is named', () => {
  const nodes: Nodes = {
    A: constant('K', 'Double', 10),
    P: numbersAt(1, 2),
    N: [
      'PCGMetadataMathsSettings',
      { Operation: 'Add', InputSource1: 'K', InputSource2: '$Position.X', OutputTarget: 'R', OutputDataFromPin: 'InB' },
    ],
  }
  const found = page(nodes, ['A.Out > N.InA', 'P.Out > N.InB'], 'N')
  expect(column(found, 'R')).toEqual([11, 12])
  expect(xs(vectors(found))).toEqual([1, 2])
})
