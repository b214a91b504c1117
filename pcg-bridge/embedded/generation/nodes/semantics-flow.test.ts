// Flow, looks without change, parameters and depth, class by class.
import { describe, expect, it } from 'vitest'
import { column, graphOf, held, type Nodes, planOf, vectors } from '../graph.fixture.ts'
import { numbersAt, over, page, report } from '../semantics.fixture.ts'

const xs = (found: readonly unknown[]) => (found as readonly (readonly number[])[]).map(([x]) => x)

describe('nodes that pass their data on', () => {
  it.each([
    'PCGWaitLandscapeReadySettings',
    'PCGHiGenGridSizeSettings',
    'PCGDebugSettings',
    'PCGVisualizeAttributeSettings',
    'PCGPrintElementSettings',
    'PCGRerouteSettings',
    'PCGGatherSettings',
  ])('%s: the same data leave', (name) =>
    expect(xs(over(name, {}, numbersAt(3, 1, 2), '$Position'))).toEqual([3, 1, 2]),
  )

  it('PCGPrintElementSettings: the text is a message of its node', () => {
    const { warnings } = report(
      { P: numbersAt(1), N: ['PCGPrintElementSettings', { PrintString: 'seen' }] },
      ['P.Out > N.In'],
      'N',
    )
    expect(warnings).toEqual(['Print: seen'])
  })

  it('PCGWaitSettings: orders what waits for it', () => {
    const nodes: Nodes = { P: numbersAt(4), N: ['PCGWaitSettings'] }
    const made = page(nodes, ['P.Out > N.Execution Dependency'], 'N', 'Execution Dependency')
    expect(xs(vectors(made))).toEqual([4])
  })

  it('PCGNamedRerouteDeclarationSettings and PCGNamedRerouteUsageSettings: the same data at the far end', () => {
    const nodes: Nodes = {
      P: numbersAt(5),
      D: ['PCGNamedRerouteDeclarationSettings'],
      U: ['PCGNamedRerouteUsageSettings'],
    }
    const made = page(nodes, ['P.Out > D.In', 'D.InvisiblePin > U.InvisiblePin'], 'U')
    expect(xs(vectors(made))).toEqual([5])
  })
})

describe('choice of a branch', () => {
  it.each([
    [false, 1],
    [true, 2],
  ])('PCGBooleanSelectSettings %s: one input or the other', (bUseInputB, wanted) => {
    const nodes: Nodes = { A: numbersAt(1), B: numbersAt(2), N: ['PCGBooleanSelectSettings', { bUseInputB }] }
    expect(xs(vectors(page(nodes, ['A.Out > N.Input A', 'B.Out > N.Input B'], 'N')))).toEqual([wanted])
  })

  it('PCGMultiSelectSettings: the input named by the number or text, else the default', () => {
    const of = (settings: Readonly<Record<string, unknown>>) => {
      const nodes: Nodes = {
        A: numbersAt(1),
        B: numbersAt(2),
        D: numbersAt(9),
        N: ['PCGMultiSelectSettings', settings],
      }
      const named = settings['SelectionMode'] === 'String' ? ['low', 'high'] : ['3', '7']
      return xs(vectors(page(nodes, [`A.Out > N.${named[0]}`, `B.Out > N.${named[1]}`, 'D.Out > N.Default'], 'N')))
    }
    const numbers = { SelectionMode: 'Integer', IntOptions: [3, 7] }
    expect(of({ ...numbers, IntegerSelection: 7 })).toEqual([2])
    expect(of({ ...numbers, IntegerSelection: 5 })).toEqual([9])
    const texts = { SelectionMode: 'String', StringOptions: ['low', 'high'] }
    expect(of({ ...texts, StringSelection: 'low' })).toEqual([1])
  })

  it('PCGQualityBranchSettings and PCGQualitySelectSettings: the default, since there is no quality level here', () => {
    const nodes: Nodes = {
      P: numbersAt(1),
      L: numbersAt(2),
      B: ['PCGQualityBranchSettings', { bUseLowPin: true }],
      S: ['PCGQualitySelectSettings', { bUseLowPin: true }],
    }
    const wires = ['P.Out > B.In', 'P.Out > S.Default', 'L.Out > S.Low']
    expect(xs(vectors(page(nodes, wires, 'B', 'Default')))).toEqual([1])
    expect(page(nodes, wires, 'B', 'Low').dataCount).toBe(0)
    expect(xs(vectors(page(nodes, wires, 'S')))).toEqual([1])
  })
})

describe('what a graph says of itself', () => {
  it('PCGGenericUserParameterGetSettings: a parameter of the graph under the name asked for', () => {
    const graph = graphOf(
      { N: ['PCGGenericUserParameterGetSettings', { PropertyPath: 'Count', OutputAttributeName: 'N' }] },
      [],
      { parameters: [{ name: 'Count', type: 'int', value: 12 }] },
    )
    expect(column(held(planOf(graph), 'N'), 'N')).toEqual([12])
  })

  it('PCGGetSubgraphDepthSettings: 0 in the root, 1 in what it embeds', () => {
    const inner = graphOf({ D: ['PCGGetSubgraphDepthSettings'] }, ['D.Out > Output.Out'])
    const outer = graphOf(
      { D: ['PCGGetSubgraphDepthSettings'], S: ['PCGSubgraphSettings', { SubgraphOverride: '/game/inner' }] },
      [],
    )
    const plan = planOf(outer, { graphs: { '/game/main': outer, '/game/inner': inner } })
    expect(column(held(plan, 'D'), 'Depth')).toEqual([0])
    expect(column(held(plan, 'S'), 'Depth')).toEqual([1])
  })

  it('PCGGetExecutionContextSettings: a graph here never runs in a game', () => {
    expect(column(page({ N: ['PCGGetExecutionContextSettings'] }, [], 'N'), 'IsRuntime')).toEqual([0])
  })
})
