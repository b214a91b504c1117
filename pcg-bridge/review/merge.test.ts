// Each kind of conflict of a three-way merge, and what must not be one.
import { describe, expect, it } from 'vitest'
import { emptyGraph } from '../editor/document.ts'
import { fromAsset } from './asset.ts'
import type { ReviewGraph } from './graph.ts'
import { changed, clearing } from './graphs.fixture.ts'
import { renamed } from './match.ts'
import { conflictKey, conflictText, isChoice, mergeGraphs } from './merge.ts'

const wired = (graph: ReviewGraph, ...wires: string[]): ReviewGraph => ({
  ...graph,
  edges: [
    ...graph.edges,
    ...wires.map((wire) => {
      const [[from = '', fromPin = ''] = [], [to = '', toPin = ''] = []] = wire
        .split(' > ')
        .map((end) => end.split('.'))
      return { from, fromPin, to, toPin }
    }),
  ],
})
const without = (graph: ReviewGraph, to: string, toPin: string): ReviewGraph => ({
  ...graph,
  edges: graph.edges.filter((edge) => edge.to !== to || edge.toPin !== toPin),
})
const merge = (ours: ReviewGraph, theirs: ReviewGraph, base = clearing()) => mergeGraphs(base, ours, theirs)
const texts = (ours: ReviewGraph, theirs: ReviewGraph, base = clearing()) =>
  merge(ours, theirs, base).conflicts.map(conflictText)
const into = (graph: ReviewGraph, to: string, toPin: string) =>
  graph.edges.filter((edge) => edge.to === to && edge.toPin === toPin).map(({ from }) => from)

describe('what both sides can do', () => {
  it('is a rename by one and another setting by the other', () => {
    const theirs = renamed(clearing(), new Map([['Trees', 'Firs']]))
    const { graph, conflicts } = merge(
      changed(clearing(), { Trees: { title: 'All trees', settings: { Seed: 7 } } }),
      theirs,
    )
    expect(conflicts).toEqual([])
    expect(graph.nodes.get('Trees')).toMatchObject({ title: 'All trees', settings: { Seed: 7 } })
  })

  it('is two fields of one struct', () => {
    const set = (more: object) =>
      changed(clearing(), {
        Posts: {
          settings: { SamplerParams: { Mode: 'Distance', bFitToCurve: true, DistanceIncrement: 200, ...more } },
        },
      })
    const { graph, conflicts } = merge(set({ DistanceIncrement: 300 }), set({ bFitToCurve: false }))
    expect(conflicts).toEqual([])
    expect(graph.nodes.get('Posts')?.settings).toEqual({ SamplerParams: { Mode: 'Distance', DistanceIncrement: 300 } })
  })

  it('is a new node each under one name: theirs gets another', () => {
    const add = (seed: number) =>
      wired(
        changed(clearing(), { Merge_0: { class: 'PCGMergeSettings', settings: { Seed: seed } } }),
        'Turn.Out > Merge_0.In',
      )
    const { graph, conflicts, rekeyed } = merge(add(1), add(2))
    expect([conflicts, rekeyed]).toEqual([[], [{ kind: 'id', node: 'Merge_0_2', was: 'Merge_0' }]])
    expect(['Merge_0', 'Merge_0_2'].map((id) => graph.nodes.get(id))).toMatchObject([
      { name: null, settings: { Seed: 1 } },
      { name: null, settings: { Seed: 2 } },
    ])
    expect(merge(add(1), add(1)).graph.nodes.size).toBe(12)
  })

  it('is edges into one pin: ours first, and in the order of the side that reordered', () => {
    const base = wired(clearing(), 'Posts.Out > Fence.In')
    const ours = wired(base, 'Turn.Out > Fence.In')
    const theirs = {
      ...wired(base, 'Apart.Out > Fence.In'),
      edges: [...wired(base, 'Apart.Out > Fence.In').edges].toReversed(),
    }
    expect(into(base, 'Fence', 'In')).toEqual(['Down', 'Posts'])
    expect(into(merge(ours, wired(base, 'Apart.Out > Fence.In'), base).graph, 'Fence', 'In')).toEqual([
      'Down',
      'Posts',
      'Turn',
      'Apart',
    ])
    expect(into(merge(ours, theirs, base).graph, 'Fence', 'In')).toEqual(['Apart', 'Posts', 'Down', 'Turn'])
    expect(merge(ours, theirs, base).conflicts).toEqual([])
  })

  it('is one name for two nodes: one of them gets another name', () => {
    const ours = changed(clearing(), { Trees: { name: 'Firs' } })
    const { graph, conflicts, rekeyed } = merge(ours, changed(clearing(), { Firs: { class: 'PCGMergeSettings' } }))
    expect([conflicts, rekeyed]).toEqual([[], [{ kind: 'name', node: 'Firs', was: 'Firs' }]])
    expect(graph.nodes.get('Firs')?.name).toBe('Firs_2')
  })

  it('is to replace a node that the other left alone: the order of its pin is that of the side that replaced it', () => {
    const base = wired(clearing(), 'Posts.Out > Fence.In')
    const replaced = changed(base, { Down: null, Flat: { class: 'PCGTransformPointsSettings', settings: { Seed: 1 } } })
    const theirs = {
      ...replaced,
      edges: [{ from: 'Flat', fromPin: 'Out', to: 'Fence', toPin: 'In' }, ...replaced.edges],
    }
    expect(into(merge(base, theirs, base).graph, 'Fence', 'In')).toEqual(['Flat', 'Posts'])
  })

  it('is to move the same node: places are no conflict', () => {
    const moved = (x: number) => ({
      ...clearing(),
      layout: { ...clearing().layout, nodes: new Map([...clearing().layout.nodes, ['Trees', { x, y: 0 }]]) },
    })
    const { graph, conflicts } = merge(moved(1), moved(2))
    expect([graph.layout.nodes.get('Trees'), conflicts]).toEqual([{ x: 1, y: 0 }, []])
  })
})

describe('a conflict', () => {
  it('names a setting with its three values, and the graph has the favored one', () => {
    const set = (LowerBound: number) =>
      changed(clearing(), { Free: { settings: { DensityFunction: 'Binary', Seed: LowerBound } } })
    expect(texts(set(1), set(2))).toEqual(['Free: Seed: ours 1, theirs 2, before default'])
    expect(mergeGraphs(clearing(), set(1), set(2), 'theirs').graph.nodes.get('Free')?.settings).toMatchObject({
      Seed: 2,
    })
  })

  it('is decided one by one, by its key; the others have the favored side', () => {
    const posts = (Seed: number, title: string) => changed(clearing(), { Posts: { title, settings: { Seed } } })
    const [ours, theirs] = [
      changed(posts(1, 'Ours'), { Trees: null }),
      changed(posts(2, 'Theirs'), { Trees: { settings: { Seed: 9 } } }),
    ]
    const { conflicts, graph } = mergeGraphs(clearing(), ours, theirs)
    expect(conflicts.map(conflictKey)).toEqual(['node removed Trees', 'setting Posts Seed', 'title Posts'])
    expect(graph.nodes.has('Trees')).toBe(false)
    const sides = new Map([
      ['setting Posts Seed', 'theirs'],
      ['node removed Trees', 'theirs'],
    ] as const)
    const decided = mergeGraphs(clearing(), ours, theirs, 'ours', sides)
    expect(decided.graph.nodes.get('Posts')).toMatchObject({ title: 'Ours', settings: { Seed: 2 } })
    expect(decided.graph.nodes.get('Trees')).toMatchObject({ settings: { Seed: 9 } })
    // The conflicts stay, so that a decision can be changed.
    expect(decided.conflicts.map(conflictKey)).toEqual(expect.arrayContaining(conflicts.map(conflictKey)))
    expect(conflicts.every(isChoice)).toBe(true)
  })

  it('names a node that one side removed and the other changed or wired', () => {
    const removed = changed(clearing(), { Apart: null })
    const set = changed(clearing(), { Apart: { settings: { Seed: 1 } } })
    expect(texts(removed, set)).toEqual(['Apart: ours removed it, the other side changed settings'])
    expect(merge(removed, set).graph.nodes.has('Apart')).toBe(false)
    const { graph, conflicts } = merge(set, removed)
    expect(conflicts.map(conflictText)).toEqual(['Apart: theirs removed it, the other side changed settings'])
    expect([into(graph, 'Apart', 'In'), into(graph, 'Trees', 'In')]).toEqual([['Turn'], ['Apart']])
    expect(texts(removed, wired(clearing(), 'Apart.Out > Fence.In'))).toEqual([
      'Apart: ours removed it, the other side changed edges',
    ])
  })

  it('names a pin that takes one edge and got two', () => {
    const bound = (from: string) => wired(clearing(), `${from}.Out > Sample.Bounding Shape`)
    const { graph, conflicts } = merge(bound('Inside'), bound('Ground'))
    expect(conflicts).toMatchObject([{ kind: 'input', to: 'Sample', toPin: 'Bounding Shape' }])
    expect(into(graph, 'Sample', 'Bounding Shape')).toEqual(['Inside'])
  })

  it('names a pin that takes one edge where a node that stays meets what the other side wired instead', () => {
    const base = wired(clearing(), 'Inside.Out > Sample.Bounding Shape')
    const ours = changed(base, { Inside: { settings: { Seed: 7 } } })
    const theirs = wired(changed(base, { Inside: null }), 'Ground.Out > Sample.Bounding Shape')
    const { graph, conflicts } = merge(ours, theirs, base)
    expect(conflicts).toMatchObject([
      { kind: 'node removed', node: 'Inside' },
      { kind: 'input', to: 'Sample' },
    ])
    expect(into(graph, 'Sample', 'Bounding Shape')).toEqual(['Inside'])
  })

  it('names an order that both changed differently', () => {
    const base = wired(clearing(), 'Posts.Out > Fence.In', 'Turn.Out > Fence.In')
    const order = (...from: string[]) =>
      wired(without(base, 'Fence', 'In'), ...from.map((each) => `${each}.Out > Fence.In`))
    const { graph, conflicts } = merge(order('Turn', 'Down', 'Posts'), order('Posts', 'Down', 'Turn'), base)
    expect(conflicts).toMatchObject([{ kind: 'order', to: 'Fence' }])
    expect(into(graph, 'Fence', 'In')).toEqual(['Turn', 'Down', 'Posts'])
  })

  it('names the edge that would close a cycle, and leaves it out', () => {
    const nodes = ['A', 'B', 'C'].map((name) => ({ name, class: 'PCGMergeSettings', properties: {} }))
    const base = fromAsset({ ...emptyGraph(), nodes })
    const { graph, conflicts } = merge(wired(base, 'A.Out > B.In', 'B.Out > C.In'), wired(base, 'C.Out > A.In'), base)
    expect(conflicts).toMatchObject([{ kind: 'edge', from: 'C', to: 'A', reason: 'A leads to C already: a cycle' }])
    expect(graph.edges).toHaveLength(2)
  })

  it('names an edge whose pin the other side took away', () => {
    const switched = (StringOptions: string[]) => ({
      Switch: { class: 'PCGSwitchSettings', settings: { SelectionMode: 'String', StringOptions } },
    })
    const base = changed(clearing(), switched(['A', 'B']))
    expect(texts(changed(base, switched(['B'])), wired(base, 'Switch.A > Fence.In'), base)).toEqual([
      'Switch.A > Fence.In is left out: Switch has no output pin A',
    ])
  })

  it('names parameters: two values, a removal while a node reads it, names that differ by case', () => {
    const withParameter = (graph: ReviewGraph, name: string, value: number): ReviewGraph => ({
      ...graph,
      parameters: new Map([[name, { type: 'int', value }]]),
    })
    const base = withParameter(clearing(), 'Count', 1)
    expect(texts(withParameter(base, 'Count', 2), withParameter(base, 'Count', 3), base)).toEqual([
      'parameter Count: ours {"type":"int","value":2}, theirs {"type":"int","value":3}, before {"type":"int","value":1}',
    ])
    const reads = changed(base, { Get: { class: 'PCGUserParameterGetSettings', settings: { PropertyName: 'Count' } } })
    const kept = merge({ ...base, parameters: new Map() }, reads, base)
    expect(kept.conflicts.map(conflictText)).toEqual(['parameter Count was removed, and Get reads it: it stays'])
    expect(kept.graph.parameters.has('Count')).toBe(true)
    expect(texts(withParameter(clearing(), 'Size', 1), withParameter(clearing(), 'size', 1))).toHaveLength(1)
  })

  it('names titles, names, pins of the graph and its path', () => {
    const titled = (title: string) => changed(clearing(), { Trees: { title } })
    expect(texts(titled('A'), titled('B'))).toEqual(['Trees: title: ours "A", theirs "B", before none'])
    const called = (name: string) => changed(clearing(), { Trees: { name } })
    expect(texts(called('A'), called('B'))).toEqual(['Trees: name: ours "A", theirs "B", before none'])
    const pins = (types: string[]): ReviewGraph => ({
      ...clearing(),
      pins: { Input: [{ label: 'Mask', types }], Output: [] },
    })
    expect(texts(pins(['Point']), pins(['Spline']))).toHaveLength(1)
    expect(texts({ ...clearing(), path: '/Game/A' }, { ...clearing(), path: '/Game/B' })).toHaveLength(1)
  })
})
