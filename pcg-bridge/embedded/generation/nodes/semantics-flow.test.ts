// Flow, looks without change, parameters and depth, class by class.
import { describe, expect, it } from 'vitest'
import { column, graphOf, held, type Nodes, planOf, vectors } from '../graph.fixture.ts'
import { at, fraction, NODE_SEED, next, numbersAt, over, page, points, report, S2 } from '../semantics.fixture.ts'

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

describe('branches', () => {
  const counts = (node: Nodes[string], pins: readonly string[]) =>
    pins.map((pin) => page({ P: numbersAt(1, 2), N: node }, ['P.Out > N.In'], 'N', pin).dataCount)

  it.each([
    [false, [1, 0]],
    [true, [0, 1]],
  ])('PCGBranchSettings to B %s: one output has the data, the other none', (bOutputToB, wanted) => {
    expect(counts(['PCGBranchSettings', { bOutputToB }], ['Output A', 'Output B'])).toEqual(wanted)
  })

  it.each([
    [{ SelectionMode: 'Integer', IntOptions: [3, 7], IntegerSelection: 7 }, [0, 1, 0]],
    [{ SelectionMode: 'Integer', IntOptions: [3, 7], IntegerSelection: 5 }, [0, 0, 1]],
    [{ SelectionMode: 'String', StringOptions: ['3', '7'], StringSelection: '3' }, [1, 0, 0]],
  ])('PCGSwitchSettings %j: the output of the option, else the default', (settings, wanted) => {
    expect(counts(['PCGSwitchSettings', settings], ['3', '7', 'Default'])).toEqual(wanted)
  })
})

describe('spawners', () => {
  it('PCGStaticMeshSpawnerSettings: a mesh for each point, drawn by weight from its stream; no weight, no instance', () => {
    const seeds = Array.from({ length: 60 }, (_, i) => i * 101)
    const weights: readonly (readonly [string, number])[] = [
      ['/Game/Oak', 1],
      ['/Game/Rock', 0],
      ['/Game/Fern', 3],
    ]
    const wanted = seeds.map((seed) => (fraction(next(S2(NODE_SEED, seed))) * 4 < 1 ? '/Game/Oak' : '/Game/Fern'))
    const nodes: Nodes = {
      P: points(...seeds.map((Seed, x) => at(x, 0, 0, { Seed }))),
      N: [
        'PCGStaticMeshSpawnerSettings',
        {
          OutAttributeName: 'Mesh',
          MeshSelectorParameters: {
            MeshEntries: weights.map(([StaticMesh, Weight]) => ({ Descriptor: { StaticMesh }, Weight })),
          },
        },
      ],
    }
    expect(column(page(nodes, ['P.Out > N.In'], 'N'), 'Mesh')).toEqual(wanted)
    const { spawned } = report(nodes, ['P.Out > N.In'], 'N')
    expect(Object.fromEntries(spawned.map(({ asset, instances }) => [asset, instances]))).toEqual({
      '/Game/Oak': wanted.filter((mesh) => mesh === '/Game/Oak').length,
      '/Game/Fern': wanted.filter((mesh) => mesh === '/Game/Fern').length,
    })
  })

  it('PCGStaticMeshSpawnerSettings: the mesh that an attribute names', () => {
    const nodes: Nodes = {
      P: numbersAt(1, 2, 3),
      A: [
        'PCGAddAttributeSettings',
        { OutputTarget: 'M', AttributeTypes: { Type: 'String', StringValue: '/Game/Post' } },
      ],
      N: ['PCGStaticMeshSpawnerSettings', { MeshSelectorParameters: { AttributeName: 'M' } }],
    }
    const { spawned } = report(nodes, ['P.Out > A.In', 'A.Out > N.In'], 'N')
    expect(spawned).toMatchObject([{ asset: '/Game/Post', instances: 3 }])
  })
})

describe('graphs within graphs', () => {
  /** Adds a parameter of the graph to the place of each point. */
  const shifting = graphOf(
    {
      P: ['PCGUserParameterGetSettings', { PropertyName: 'By' }],
      S: [
        'PCGMetadataMathsSettings',
        { Operation: 'Add', InputSource1: '$Position.X', InputSource2: 'By', OutputTarget: '$Position.X' },
      ],
    },
    ['Input.In > S.InA', 'P.Out > S.InB', 'S.Out > Output.Out'],
    { parameters: [{ name: 'By', type: 'float', value: 10 }] },
  )
  const inside = (nodes: Nodes, wires: readonly string[], node: string, pin?: string, index = 0, inner = shifting) => {
    const graph = graphOf(nodes, wires)
    return held(planOf(graph, { graphs: { '/game/main': graph, '/game/inner': inner } }), node, pin, index)
  }
  const embedded = (more: Readonly<Record<string, unknown>> = {}) =>
    ['PCGSubgraphSettings', { SubgraphOverride: '/Game/Inner', ...more }] as const

  it('PCGSubgraphSettings and PCGUserParameterGetSettings: the graph runs with its parameter, by default, set or wired', () => {
    const wired: Nodes = {
      P: numbersAt(1, 2),
      C: ['PCGCreateAttributeSetSettings', { OutputTarget: 'V', AttributeTypes: { Type: 'Double', DoubleValue: 300 } }],
      N: embedded({ ParameterOverrides: { By: 100 } }),
    }
    expect(xs(vectors(inside({ P: numbersAt(1, 2), N: embedded() }, ['P.Out > N.In'], 'N')))).toEqual([11, 12])
    expect(xs(vectors(inside(wired, ['P.Out > N.In'], 'N')))).toEqual([101, 102])
    expect(xs(vectors(inside(wired, ['P.Out > N.In', 'C.Out > N.By'], 'N')))).toEqual([301, 302])
    expect(page({ N: ['PCGUserParameterGetSettings', { PropertyName: 'No' }] }, [], 'N').dataCount).toBe(0)
  })

  it('PCGLoopSettings and PCGGetLoopIndexSettings: one run for each data with its number; feedback gathers', () => {
    const body = graphOf(
      {
        I: ['PCGGetLoopIndexSettings'],
        S: [
          'PCGMetadataMathsSettings',
          { Operation: 'Add', InputSource1: '$Position.X', InputSource2: 'LoopIndex', OutputTarget: '$Position.X' },
        ],
        M: ['PCGMergeSettings'],
      },
      [
        'Input.In > S.InA',
        'I.Out > S.InB',
        'S.Out > Output.Out',
        'Input.Carry > M.In',
        'S.Out > M.In',
        'M.Out > Output.Carry',
      ],
      { inputPins: [{ label: 'Carry', types: ['Any'] }], outputPins: [{ label: 'Carry', types: ['Any'] }] },
    )
    const nodes: Nodes = {
      A: numbersAt(100),
      B: numbersAt(200),
      C: numbersAt(300),
      N: ['PCGLoopSettings', { SubgraphOverride: '/Game/Inner', FeedbackPins: 'Carry' }],
    }
    const wires = ['A.Out > N.In', 'B.Out > N.In', 'C.Out > N.In']
    const runs = [0, 1, 2].map((index) => xs(vectors(inside(nodes, wires, 'N', 'Out', index, body))))
    expect(runs).toEqual([[100], [201], [302]])
    expect(xs(vectors(inside(nodes, wires, 'N', 'Carry', 0, body)))).toEqual([100, 201, 302])
  })
})
