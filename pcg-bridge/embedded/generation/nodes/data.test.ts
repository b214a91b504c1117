// Attributes, filters, tags, flow and graphs within graphs, in numbers.
import { describe, expect, it } from 'vitest'
import { column, graphOf, held, type Nodes, planOf, runPlan, vectors } from '../graph.fixture.ts'
import { indices } from './filters.ts'

const GRID = ['PCGCreatePointsGridSettings', { GridExtents: [200, 50, 50] }] as const
const constant = (value: Record<string, unknown>, name = 'Value') =>
  ['PCGCreateAttributeSetSettings', { OutputTarget: name, AttributeTypes: value }] as const

function chain(nodes: Nodes, edges: readonly string[], last: string, pin?: string, index = 0) {
  return held(planOf(graphOf({ G: GRID, ...nodes }, edges)), last, pin, index)
}

describe('attributes', () => {
  it('a selector that matches nothing changes nothing and warns', () => {
    const graph = graphOf({ G: GRID, N: ['PCGAttributeRemapSettings', { InputSource: 'Nope' }] }, ['G.Out > N.In'])
    const report = runPlan(planOf(graph)).reports.find((item) => item.node === 'N')
    expect(report?.warnings.join()).toContain("'Nope' matches no attribute")
    expect(report?.points).toBe(4)
  })

  it('are added, copied, renamed, cast, deleted', () => {
    const page = chain(
      {
        A: ['PCGAddAttributeSettings', { OutputTarget: 'Size', AttributeTypes: { Type: 'Double', DoubleValue: 2.75 } }],
        C: ['PCGAttributeCastSettings', { InputSource: 'Size', OutputTarget: 'Whole', OutputType: 'Integer32' }],
        R: ['PCGMetadataRenameSettings', { AttributeToRename: 'Whole', NewAttributeName: 'Count' }],
        D: ['PCGDeleteAttributesSettings', { SelectedAttributes: 'Co*', Operator: 'Matches' }],
      },
      ['G.Out > A.In', 'A.Out > C.In', 'C.Out > R.In', 'R.Out > D.In'],
      'D',
    )
    expect(column(page, 'Count')).toEqual([2, 2, 2, 2])
    expect(page.rows[0]).not.toHaveProperty('Size')
  })

  it('@Last is what was written last, @Source the place it came from, .X a part', () => {
    const nodes: Nodes = {
      M: [
        'PCGMetadataMathsSettings',
        { Operation: 'Add', InputSource1: '$Position.X', InputSource2: '@Last', OutputTarget: 'Sum' },
      ],
      C: constant({ Type: 'Double', DoubleValue: 1000 }),
      T: [
        'PCGAttributeRemapSettings',
        { InputSource: '@Last', InRangeMin: 850, InRangeMax: 1150, OutRangeMin: 0, OutRangeMax: 3 },
      ],
    }
    const page = chain(nodes, ['G.Out > M.InA', 'C.Out > M.InB', 'M.Out > T.In'], 'T')
    expect(column(page, 'Sum')).toEqual([0, 1, 2, 3])
  })

  it('maths: broadcast of one row, of one number over a vector; a division by zero is zero', () => {
    const maths = (Operation: string, value: number) =>
      column(
        chain(
          {
            M: ['PCGMetadataMathsSettings', { Operation, InputSource1: '$Position', OutputTarget: 'V' }],
            C: constant({ Type: 'Double', DoubleValue: value }),
          },
          ['G.Out > M.InA', 'C.Out > M.InB'],
          'M',
        ),
        'V',
      )
    expect(maths('Multiply', 2)[0]).toEqual([-300, 0, 0])
    expect(maths('Divide', 0)[0]).toEqual([0, 0, 0])
  })

  it('vectors: dot, cross, made and broken', () => {
    const page = chain(
      {
        B: ['PCGMetadataBreakVectorSettings', { InputSource: '$Position', OutputTarget: 'Px' }],
        V: [
          'PCGMetadataVectorSettings',
          { Operation: 'Dot', InputSource1: '$Position', InputSource2: '$Position', OutputTarget: 'Square' },
        ],
      },
      ['G.Out > B.In', 'B.X > V.InA'],
      'V',
    )
    expect(column(page, 'Px')).toEqual([-150, -50, 50, 150])
    expect(column(page, 'Square')).toEqual([22_500, 2500, 2500, 22_500])
  })

  it('reduce, sort and select agree on the extremes', () => {
    const value = (Operation: string) =>
      column(
        chain(
          { R: ['PCGAttributeReduceSettings', { InputSource: '$Position.X', OutputAttributeName: 'X', Operation }] },
          ['G.Out > R.In'],
          'R',
        ),
        'X',
      )[0]
    expect([value('Min'), value('Max'), value('Average'), value('Sum')]).toEqual([-150, 150, 0, 0])
    const sorted = chain(
      { S: ['PCGSortAttributesSettings', { InputSource: '$Position.X', SortMethod: 'Descending' }] },
      ['G.Out > S.In'],
      'S',
    )
    expect(vectors(sorted).map((place) => place[0])).toEqual([150, 50, -50, -150])
    const chosen = chain(
      { S: ['PCGAttributeSelectSettings', { InputSource: '$Position', Operation: 'Max', Axis: 'X' }] },
      ['G.Out > S.In'],
      'S',
      'Point',
    )
    expect(vectors(chosen)).toEqual([[150, 0, 0]])
  })

  it('a partition gives one data per value, in order of appearance', () => {
    const nodes: Nodes = {
      M: ['PCGMetadataMathsSettings', { Operation: 'Sign', InputSource1: '$Position.X', OutputTarget: 'Side' }],
      P: ['PCGMetadataPartitionSettings', { PartitionAttributeNames: 'Side', bAssignIndexPartition: true }],
    }
    const part = (index: number) => chain(nodes, ['G.Out > M.InA', 'M.Out > P.In'], 'P', 'Out', index)
    expect([part(0).dataCount, part(0).rowCount, part(1).rowCount]).toEqual([2, 2, 2])
    expect(column(part(1), 'PartitionIndex')).toEqual([1, 1])
  })

  it('an attribute set matched by weight, and by value', () => {
    const table: Nodes = {
      A: constant({ Type: 'String', StringValue: 'oak' }, 'Kind'),
      B: constant({ Type: 'String', StringValue: 'elm' }, 'Kind'),
      L: ['PCGMergeAttributesSettings'],
      M: ['PCGMatchAndSetAttributesSettings'],
    }
    const edges = ['A.Out > L.In', 'B.Out > L.In', 'L.Out > M.Match Data', 'G.Out > M.In']
    const kinds = column(chain(table, edges, 'M'), 'Kind')
    expect(kinds).toHaveLength(4)
    for (const kind of kinds) expect(['oak', 'elm']).toContain(kind)
  })

  it('points become attribute sets and points again', () => {
    const nodes: Nodes = { S: ['PCGConvertToAttributeSetSettings'], P: ['PCGConvertToPointDataSettings'] }
    const page = chain(nodes, ['G.Out > S.In', 'S.Out > P.In'], 'P')
    expect(vectors(page)).toEqual(vectors(chain({}, [], 'G')))
  })
})

describe('filters', () => {
  it('by attribute against a constant; both sides add up', () => {
    const nodes: Nodes = {
      F: [
        'PCGAttributeFilteringSettings',
        {
          TargetAttribute: '$Position.X',
          Operator: 'Greater',
          bUseConstantThreshold: true,
          AttributeTypes: { Type: 'Double', DoubleValue: 0 },
        },
      ],
    }
    const side = (pin: string) => vectors(chain(nodes, ['G.Out > F.In'], 'F', pin)).map((place) => place[0])
    expect(side('InsideFilter')).toEqual([50, 150])
    expect(side('OutsideFilter')).toEqual([-150, -50])
  })

  it('by range, open and closed ends', () => {
    const end = (DoubleValue: number, bInclusive: boolean) => ({
      bUseConstantThreshold: true,
      bInclusive,
      AttributeTypes: { Type: 'Double', DoubleValue },
    })
    const nodes: Nodes = {
      F: [
        'PCGAttributeFilteringRangeSettings',
        { TargetAttribute: '$Position.X', MinThreshold: end(-50, false), MaxThreshold: end(150, true) },
      ],
    }
    expect(vectors(chain(nodes, ['G.Out > F.In'], 'F', 'InsideFilter')).map((place) => place[0])).toEqual([50, 150])
  })

  it('indices read like slices', () => {
    expect([...indices('0,2,4:6,7:-1', 10)]).toEqual([0, 2, 4, 5, 7, 8])
    expect([...indices(':', 3)]).toEqual([0, 1, 2])
    expect([...indices('-1', 3)]).toEqual([2])
    expect([...indices('x,99', 3)]).toEqual([0])
  })

  it('a random choice is as many as asked, without repetition, the rest beside', () => {
    const nodes: Nodes = { C: ['PCGRandomChoiceSettings', { FixedNumber: 3 }] }
    const [chosen, rest] = ['Chosen', 'Discarded'].map((pin) =>
      vectors(chain(nodes, ['G.Out > C.In'], 'C', pin)).map((place) => place[0]),
    )
    expect(chosen).toHaveLength(3)
    expect([...(chosen ?? []), ...(rest ?? [])].sort((a, b) => a - b)).toEqual([-150, -50, 50, 150])
  })

  it('by tag, by key of a tag, by pattern', () => {
    const nodes = (SelectedTags: string, Operator = 'Equal'): Nodes => ({
      A: ['PCGAddTagSettings', { TagsToAdd: 'Kind:Oak, Old' }],
      F: ['PCGFilterByTagSettings', { SelectedTags, Operator }],
    })
    const inside = (text: string, operator?: string) =>
      chain(nodes(text, operator), ['G.Out > A.In', 'A.Out > F.In'], 'F', 'InsideFilter').dataCount
    expect([inside('Old'), inside('Kind'), inside('New'), inside('K*d:O?k', 'Matches')]).toEqual([1, 1, 0, 1])
  })
})

describe('flow', () => {
  it('a branch feeds one side only; a switch the option, else the default', () => {
    expect(chain({ B: ['PCGBranchSettings', { bOutputToB: true }] }, ['G.Out > B.In'], 'B', 'Output A').dataCount).toBe(
      0,
    )
    expect(chain({ B: ['PCGBranchSettings', { bOutputToB: true }] }, ['G.Out > B.In'], 'B', 'Output B').dataCount).toBe(
      1,
    )
    const option = (IntegerSelection: number, pin: string) =>
      chain({ S: ['PCGSwitchSettings', { IntOptions: [1, 2], IntegerSelection }] }, ['G.Out > S.In'], 'S', pin)
        .dataCount
    expect([option(2, '2'), option(2, 'Default'), option(9, 'Default')]).toEqual([1, 0, 1])
  })
})

describe('graphs within graphs', () => {
  const inner = graphOf(
    { P: ['PCGUserParameterGetSettings', { PropertyName: 'Low' }], F: ['PCGDensityFilterSettings', { UpperBound: 1 }] },
    ['Input.In > F.In', 'P.Out > F.LowerBound', 'F.Out > Output.Out'],
    { parameters: [{ name: 'Low', type: 'float', value: 0 }] },
  )
  const noisy = {
    G: ['PCGCreatePointsGridSettings', { GridExtents: [500, 500, 50] }],
    N: ['PCGDensityNoiseSettings'],
  } as const
  const kept = (properties: Record<string, unknown>, more: Nodes = {}, edges: readonly string[] = []) => {
    const graph = graphOf(
      { ...noisy, ...more, S: ['PCGSubgraphSettings', { SubgraphOverride: '/Game/Inner', ...properties }] },
      ['G.Out > N.In', 'N.Out > S.In', ...edges],
    )
    return held(planOf(graph, { graphs: { '/game/main': graph, '/game/inner': inner } }), 'S').rowCount
  }

  it('a parameter has its default, the value set on the node, or the value wired to its pin', () => {
    expect(kept({})).toBe(100)
    const half = kept({ ParameterOverrides: { Low: 0.5 } })
    expect(half).toBeLessThan(75)
    expect(half).toBeGreaterThan(25)
    expect(kept({}, { C: constant({ Type: 'Double', DoubleValue: 0.5 }) }, ['C.Out > S.Low'])).toBe(half)
  })

  it('a graph instance overrides the parameters of the root', () => {
    const plan = planOf(
      graphOf(
        {
          ...noisy,
          ...Object.fromEntries(inner.nodes.map((node) => [node.name, [node.class, node.properties] as const])),
        },
        ['G.Out > N.In', 'N.Out > F.In', 'P.Out > F.LowerBound'],
        { parameters: inner.parameters },
      ),
    )
    expect(held(plan, 'F').rowCount).toBe(100)
    expect(held({ ...plan, overrides: { Low: 0.5 } }, 'F').rowCount).toBeLessThan(75)
  })

  it('overrides by name: an attribute set wired to Overrides sets every property it names', () => {
    const graph = graphOf(
      { ...noisy, C: constant({ Type: 'Double', DoubleValue: 2 }, 'LowerBound'), F: ['PCGDensityFilterSettings'] },
      ['G.Out > N.In', 'N.Out > F.In', 'C.Out > F.Overrides'],
    )
    // Clamped to 1 like any value of that property.
    expect(held(planOf(graph), 'F').rowCount).toBe(0)
  })

  it('a loop runs once per data, has its index, and feeds back', () => {
    const body = graphOf(
      {
        I: ['PCGGetLoopIndexSettings'],
        A: ['PCGCopyAttributesSettings', { InputSource: 'LoopIndex', OutputTarget: 'Turn' }],
        M: ['PCGMergeSettings'],
      },
      [
        'Input.In > A.Target',
        'I.Out > A.Source',
        'A.Out > Output.Out',
        'Input.Carry > M.In',
        'Input.In > M.In',
        'M.Out > Output.Carry',
      ],
      { inputPins: [{ label: 'Carry', types: ['Any'] }], outputPins: [{ label: 'Carry', types: ['Any'] }] },
    )
    const graph = graphOf(
      {
        G: GRID,
        P: ['PCGMetadataPartitionSettings', { PartitionAttributeSelectors: ['$Position.X'] }],
        L: ['PCGLoopSettings', { SubgraphOverride: '/Game/Body', FeedbackPins: 'Carry' }],
      },
      ['G.Out > P.In', 'P.Out > L.In'],
    )
    const plan = planOf(graph, { graphs: { '/game/main': graph, '/game/body': body } })
    const turns = [0, 1, 2, 3].map((i) => column(held(plan, 'L', 'Out', i), 'Turn'))
    expect(turns).toEqual([[0], [1], [2], [3]])
    expect(held(plan, 'L', 'Carry')).toMatchObject({ dataCount: 1, rowCount: 4 })
  })
})
