// What differs between two graphs: each kind of change, renames, and nothing between equal ones.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromAsset } from './asset.ts'
import { diffGraphs, diffText } from './diff.ts'
import type { ReviewGraph } from './graph.ts'
import { anyAsset, changed, clearing } from './graphs.fixture.ts'
import { renamed } from './match.ts'
import { diffPicture } from './picture.ts'

const kinds = (before: ReviewGraph, after: ReviewGraph) => diffGraphs(before, after).changes.map(({ kind }) => kind)

describe('a comparison', () => {
  it('finds nothing between equal graphs', () => {
    fc.assert(
      fc.property(anyAsset, (doc) => {
        const { changes, layout } = diffGraphs(fromAsset(doc), fromAsset(structuredClone(doc)))
        expect([changes, layout]).toEqual([[], []])
      }),
    )
    expect(diffText(diffGraphs(clearing(), clearing()))).toBe('no differences')
  })

  it('shows a setting with the values that count, defaults included', () => {
    const after = changed(clearing(), { Free: { settings: {} }, Turn: { settings: { RotationMax: [0, 90, 0] } } })
    expect(diffText(diffGraphs(clearing(), after)).split('\n')).toEqual([
      '~ Free: DensityFunction Binary → Minimum',
      '~ Turn: RotationMax [0,360,0] → [0,90,0]',
      '~ Turn: ScaleMax [1.2,1.2,1.2] → [1,1,1]',
      '~ Turn: ScaleMin [0.8,0.8,0.8] → [1,1,1]',
    ])
  })

  it('shows a renamed node as one entry, also where every node was renamed', () => {
    const before = clearing()
    const ids = new Map([...before.nodes.keys()].map((id, at) => [id, `Node_${at}`]))
    const after = renamed(before, ids)
    const bare = { ...after, nodes: new Map([...after.nodes].map(([id, node]) => [id, { ...node, name: null }])) }
    const { changes } = diffGraphs(before, bare)
    expect(changes.map((change) => ('before' in change ? [change.kind, change.before, change.after] : change))).toEqual(
      [...ids].map(([was, is]) => ['node renamed', was, is]).toSorted((a, b) => ((a[1] ?? '') < (b[1] ?? '') ? -1 : 1)),
    )
  })

  it('shows a rename together with a changed setting, and a node of another class as another node', () => {
    const before = clearing()
    const after = changed(renamed(before, new Map([['Apart', 'Pruned']])), {
      Pruned: { name: null, settings: { Seed: 7 } },
      Inside: { class: 'PCGSplineSamplerSettings' },
    })
    expect(kinds(before, after)).toEqual(expect.arrayContaining(['node renamed', 'node added', 'node removed']))
    expect(diffText(diffGraphs(before, after))).toContain('= node Apart is now named Pruned')
    expect(kinds(before, after).filter((kind) => kind === 'node removed')).toHaveLength(1)
  })

  it('shows edges, their order, parameters, pins and titles', () => {
    const before: ReviewGraph = {
      ...clearing(),
      parameters: new Map([
        ['Count', { type: 'int', value: 1 }],
        ['Old', { type: 'bool', value: true }],
      ]),
    }
    const [first, ...others] = before.edges
    const order = { ...before, edges: [...before.edges, { from: 'Posts', fromPin: 'Out', to: 'Fence', toPin: 'In' }] }
    expect(first && kinds(before, { ...before, edges: others })).toEqual(['edge removed'])
    expect(kinds(before, order)).toEqual(['edge added'])
    expect(kinds(order, { ...order, edges: order.edges.toReversed() })).toEqual(['edge order'])
    const parameters = new Map([
      ['Count', { type: 'int', value: 2 }],
      ['New', { type: 'bool', value: true }],
    ] as const)
    expect(kinds(before, { ...before, parameters })).toEqual(['parameter renamed', 'parameter changed'])
    expect(kinds(before, { ...before, parameters: new Map() })).toEqual(['parameter removed', 'parameter removed'])
    expect(kinds(before, { ...before, pins: { Input: [{ label: 'Mask', types: ['Point'] }], Output: [] } })).toEqual([
      'pins',
    ])
    expect(kinds(before, changed(before, { Trees: { title: 'Firs' } }))).toEqual(['title'])
    expect(kinds(before, { ...before, path: '/Game/PCG/Other' })).toEqual(['path'])
  })

  it('keeps the layout apart', () => {
    const before = clearing()
    const after = {
      ...before,
      layout: { ...before.layout, nodes: new Map([...before.layout.nodes, ['Trees', { x: 7, y: 7 }]]) },
    }
    const diff = diffGraphs(before, after)
    expect([diff.changes, diff.layout]).toEqual([[], [{ kind: 'changed', part: 'nodes', id: 'Trees' }]])
    expect(diffText(diff)).toBe('no differences\nlayout: 1 node changed')
  })

  it('is a removal where it was an addition, read the other way', () => {
    fc.assert(
      fc.property(anyAsset, anyAsset, (a, b) => {
        const count = (from: ReviewGraph, to: ReviewGraph, kind: string) =>
          kinds(from, to).filter((each) => each === kind).length
        const [one, other] = [fromAsset(a), fromAsset(b)]
        const came = count(one, other, 'node added') - count(one, other, 'node removed')
        expect(came).toBe(other.nodes.size - one.nodes.size)
      }),
    )
  })
})

describe('the picture of a comparison', () => {
  it('shows both graphs, the counts and hostile titles as text', () => {
    const after = changed(clearing(), { Trees: null, Fence: { title: '<script>&"\u0000\u{1f332}' } })
    const svg = diffPicture(clearing(), diffGraphs(clearing(), after))
    expect(svg).toContain('11 nodes, 11 edges')
    expect(svg).toContain('10 nodes, 10 edges (−1 nodes, −1 edges, 3 changes)')
    expect(svg).toContain('&lt;script&gt;&amp;&quot;\u{1f332}')
    expect(svg).not.toMatch(/<script|\u0000/)
    expect(svg.match(/<rect width="200"/g)).toHaveLength(21)
  })

  it('arranges a graph without a layout in columns', () => {
    const bare = { ...clearing(), layout: { ...clearing().layout, nodes: new Map() } }
    const places = [
      ...diffPicture(bare, diffGraphs(bare, bare)).matchAll(/<rect width="200" height="52" x="(\d+)" y="(\d+)"/g),
    ]
    expect(new Set(places.slice(0, 11).map(([place]) => place)).size).toBe(11)
  })
})
