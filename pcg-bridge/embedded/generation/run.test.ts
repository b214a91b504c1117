// Running graphs: order, bounds, limits, what passes through, and every class once.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NODE_TYPES, NOT_EXECUTED } from '../../catalog/index.ts'
import { pinsOf } from '../../editor/pins.ts'
import { column, graphOf, held, type Nodes, planOf, runPlan, vectors, volume } from './graph.fixture.ts'
import { EXECUTE } from './nodes/index.ts'
import { executionOrder } from './run.ts'

const GRID = ['PCGCreatePointsGridSettings', { GridExtents: [200, 200, 50] }] as const

describe('a run', () => {
  it('past the bound of points it fails with the number, the limit and what to do', () => {
    const graph = graphOf({ Grid: ['PCGCreatePointsGridSettings', { GridExtents: [1e6, 1e6, 1e6] }] }, [
      'Grid.Out > Output.Out',
    ])
    expect(() => runPlan(planOf(graph))).toThrow(/^Grid: It would make \d+ points; the limit is 100000\./)
  })

  it('too many points alive at one time fail as well', () => {
    const nodes: Record<string, readonly [string, Record<string, unknown>]> = {}
    for (let i = 0; i < 5; i++)
      nodes[`Grid${i}`] = [
        'PCGCreatePointsGridSettings',
        { GridExtents: [15_000, 15_000, 50], PointPosition: 'CellCenter' },
      ]
    const names = Object.keys(nodes)
    const graph = graphOf(
      nodes,
      names.map((name) => `${name}.Out > Output.Out`),
    )
    expect(() => runPlan(planOf(graph))).toThrow(/at one time/)
  })

  it('inside an actor without extent nothing runs [pcg.general.no-brush-no-instances]', () => {
    const graph = graphOf({ Grid: GRID }, ['Grid.Out > Output.Out'])
    for (const half of [null, [0, 0, 0], [100, 100, 0]] as const)
      expect(runPlan(planOf(graph, { actor: volume(half ? [...half] : null) }))).toMatchObject({
        output: [],
        reports: [],
      })
  })

  it('a class it does not execute passes its input through, with a warning', () => {
    const graph = graphOf({ Grid: GRID, Alien: ['PCGCustomHLSLSettings'] }, [
      'Grid.Out > Alien.In',
      'Alien.Out > Output.Out',
    ])
    const result = runPlan(planOf(graph))
    const report = result.reports.find((item) => item.node === 'Alien')
    expect(report).toMatchObject({ executed: false, points: 16 })
    expect(report?.warnings.join()).toContain('not executed')
    expect(result.output).toMatchObject([{ pin: 'Out', dataClass: 'PCGPointData', rows: 16 }])
  })

  it('a disabled node passes its first input on', () => {
    const graph = graphOf({ Grid: GRID, Off: ['PCGDensityNoiseSettings', { bEnabled: false }] }, [
      'Grid.Out > Off.In',
      'Off.Out > Output.Out',
    ])
    expect(new Set(column(held(planOf(graph), 'Off'), '$Density'))).toEqual(new Set([1]))
  })

  it('a node whose required pin has nothing does not run, and says which pin', () => {
    const graph = graphOf({ Filter: ['PCGDensityFilterSettings'] }, ['Filter.Out > Output.Out'])
    const result = runPlan(planOf(graph))
    expect(result.output).toEqual([])
    expect(result.reports[0]?.warnings).toEqual(['In is not wired'])
  })

  it('a pin with several edges reads them in the order they were made', () => {
    const nodes: Nodes = {
      A: ['PCGCreatePointsGridSettings', { GridExtents: [50, 50, 50], CellSize: [100, 100, 100] }],
      B: ['PCGCreatePointsGridSettings', { GridExtents: [100, 50, 50], CellSize: [100, 100, 100] }],
      M: ['PCGMergeSettings'],
    }
    const x = (edges: readonly string[]) => vectors(held(planOf(graphOf(nodes, edges)), 'M')).map((p) => p[0])
    expect(x(['A.Out > M.In', 'B.Out > M.In'])).toEqual([0, -50, 50])
    expect(x(['B.Out > M.In', 'A.Out > M.In'])).toEqual([-50, 50, 0])
  })

  it('nodes run after what they read, ties in the order of the graph', () => {
    const graph = graphOf({ C: GRID, B: ['PCGGatherSettings'], A: GRID }, ['A.Out > B.In', 'C.Out > B.In'])
    expect(executionOrder(graph).map((node) => node.name)).toEqual(['C', 'A', 'B'])
  })

  it('gives the same bytes for the same plan, other points for another seed', () => {
    const graph = graphOf(
      {
        S: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.5 }],
        T: [
          'PCGTransformPointsSettings',
          { OffsetMin: [-50, -50, 0], OffsetMax: [50, 50, 10], RotationMax: [0, 360, 0], ScaleMin: [0.5, 0.5, 0.5] },
        ],
        N: ['PCGDensityNoiseSettings'],
      },
      ['Input.In > S.Surface', 'S.Out > T.In', 'T.Out > N.In', 'N.Out > Output.Out'],
    )
    const page = JSON.stringify(held(planOf(graph), 'N').rows)
    expect(JSON.stringify(held(planOf(graph), 'N').rows)).toBe(page)
    expect(JSON.stringify(held(planOf(graph, { seed: 43 }), 'N').rows)).not.toBe(page)
  })
})

it('equal plans give equal data, for all seeds and settings', () => {
  const triple = (most: number) => fc.tuple(...([0, 1, 2] as const).map(() => fc.integer({ min: -most, max: most })))
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer(),
      triple(200),
      triple(200),
      fc.constantFrom('Set', 'Add', 'Multiply'),
      (seed, Seed, OffsetMin, OffsetMax, DensityMode) => {
        const graph = graphOf(
          {
            S: ['PCGSurfaceSamplerSettings', { PointsPerSquaredMeter: 0.3, Seed }],
            T: ['PCGTransformPointsSettings', { OffsetMin, OffsetMax, RotationMax: OffsetMax }],
            N: ['PCGDensityNoiseSettings', { DensityMode }],
            P: ['PCGSelfPruningSettings'],
          },
          ['Input.In > S.Surface', 'S.Out > T.In', 'T.Out > N.In', 'N.Out > P.In'],
        )
        const rows = () => JSON.stringify(held(planOf(structuredClone(graph), { seed }), 'P').rows)
        expect(rows()).toBe(rows())
      },
    ),
    { numRuns: 15 },
  )
})

describe('the table of classes', () => {
  it('names classes of the catalogue, at least 190 of them', () => {
    const known = new Set(NODE_TYPES.map((type) => type.name))
    expect(Object.keys(EXECUTE).filter((name) => !known.has(name))).toEqual([])
    expect(Object.keys(EXECUTE).length).toBeGreaterThan(189)
  })

  it('has every class but those that the catalogue lists as not executed', () => {
    const missing = NODE_TYPES.map((type) => type.name).filter((name) => !Object.hasOwn(EXECUTE, name))
    expect([...NOT_EXECUTED].toSorted()).toEqual(missing.toSorted())
  })

  /** A source for every type of data that a pin may ask for. */
  const SOURCES: Nodes = {
    Points: ['PCGCreatePointsGridSettings', { GridExtents: [200, 200, 50] }],
    Param: ['PCGCreateAttributeSetSettings'],
    Curve: ['PCGGetSplineSettings', { ActorSelector: { ActorFilter: 'AllWorldActors', ActorSelectionTag: 'Path' } }],
    Ground: ['PCGGetLandscapeSettings'],
  }
  const sourceOf = (types: readonly string[]) =>
    types.includes('Param') && !types.includes('Point')
      ? 'Param'
      : types.some((type) => type === 'PolyLine' || type === 'Spline')
        ? 'Curve'
        : types.includes('Surface') || types.includes('Landscape')
          ? 'Ground'
          : 'Points'

  it.each(Object.keys(EXECUTE))('%s runs over ordinary data', (name) => {
    const type = NODE_TYPES.find((item) => item.name === name)
    const inner = graphOf({}, ['Input.In > Output.Out'])
    const set = name === 'PCGSubgraphSettings' || name === 'PCGLoopSettings' ? { SubgraphOverride: '/game/inner' } : {}
    const bare = graphOf({ ...SOURCES, Node: [name, set] }, [])
    const pins = pinsOf(bare, 'Node', () => inner)
    const edges = (pins?.inputs ?? []).map((pin) => `${sourceOf(pin.types)}.Out > Node.${pin.label}`)
    const graph = graphOf(
      { ...SOURCES, Node: [name, set] },
      [...edges, `Node.${pins?.outputs[0]?.label ?? 'Out'} > Output.Out`],
      {
        parameters: [{ name: 'None', type: 'int', value: 3 }],
      },
    )
    const plan = planOf(graph, { graphs: { '/game/main': graph, '/game/inner': inner } })
    const result = runPlan(plan)
    expect(type).toBeDefined()
    expect(result.reports.find((item) => item.node === 'Node')).toMatchObject({ executed: true })
    expect(JSON.stringify(runPlan(plan).output)).toBe(JSON.stringify(result.output))
  })
})
