// The text form: the same graph comes back, equal graphs have equal bytes, anything else is refused with its line.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NODE_TYPES } from '../catalog/index.ts'
import { emptyGraph } from '../editor/document.ts'
import { effective } from '../editor/settings.ts'
import { fromAsset, readAsset, toAsset } from './asset.ts'
import { withDefaults, withoutDefaults } from './defaults.ts'
import { canonical } from './graph.ts'
import { anyAsset, CLEARING, clearing } from './graphs.fixture.ts'
import { parseText, printText, TextError } from './text.ts'

const line = (text: string): unknown => {
  try {
    parseText(text)
  } catch (error) {
    if (error instanceof TextError) return error.line
  }
  return 'parsed'
}

describe('the text of a graph', () => {
  it('reads back as the same graph and prints the same bytes, for any graph', () => {
    fc.assert(
      fc.property(anyAsset, (doc) => {
        const graph = fromAsset(doc)
        const text = printText(graph)
        const read = parseText(text)
        expect(printText(read.graph)).toBe(text)
        expect(read.comments).toEqual([])
        // Back in the editor: every node, setting that is not a default, edge, parameter and place.
        const back = toAsset(read.graph, doc)
        expect(back.nodes.map(({ name, title }) => [name, title])).toEqual(
          doc.nodes.map(({ name, title }) => [name, title]),
        )
        for (const [at, node] of doc.nodes.entries())
          expect(canonical(withDefaults(node.class, back.nodes[at]?.properties ?? {}))).toEqual(
            canonical(withDefaults(node.class, node.properties)),
          )
        expect(back.parameters).toEqual(canonical(doc.parameters))
        expect(back.positions).toEqual(canonical(doc.positions))
        const byPin = (edges: typeof doc.edges) => edges.toSorted((a, b) => (a.to + a.toPin < b.to + b.toPin ? -1 : 1))
        const distinct = new Set(doc.edges.map((edge) => JSON.stringify(edge)))
        if (distinct.size === doc.edges.length) expect(byPin(back.edges)).toEqual(byPin(doc.edges))
      }),
      { numRuns: 200 },
    )
  })

  it('is the same in any order of nodes, parameters and settings', () => {
    const turned = {
      ...CLEARING,
      nodes: CLEARING.nodes.toReversed().map((node) => ({
        ...node,
        properties: Object.fromEntries(Object.entries(node.properties).toReversed()),
      })),
      edges: CLEARING.edges.toReversed(),
    }
    expect(printText(fromAsset(turned))).toBe(printText(fromAsset(CLEARING)))
  })

  it('keeps the order in which one pin reads its edges', () => {
    const nodes = ['A', 'B', 'M'].map((name) => ({ name, class: 'PCGMergeSettings', properties: {} }))
    const edge = (from: string) => ({ from, fromPin: 'Out', to: 'M', toPin: 'In' })
    const doc = { ...emptyGraph(), nodes, edges: [edge('B'), edge('A')] }
    expect(toAsset(parseText(printText(fromAsset(doc))).graph).edges).toEqual(doc.edges)
  })

  it.each(NODE_TYPES.map(({ name }) => [name]))('omits every default of %s and fills it in again', (name) => {
    const type = NODE_TYPES.find((each) => each.name === name)
    const all = effective(type, {})
    expect(withoutDefaults(name, all)).toEqual({})
    expect(withDefaults(name, {})).toEqual(all)
  })

  it('keeps settings and classes that the catalogue does not have', () => {
    const properties = { Strange: { Deep: [1, { b: false, a: null }] }, Off: false }
    const nodes = ['PCGExBuildDelaunayGraphSettings', 'PCGDensityFilterSettings'].map((type) => ({
      name: type,
      class: type,
      properties,
    }))
    const graph = parseText(printText(fromAsset({ ...emptyGraph(), nodes }))).graph
    expect(toAsset(graph).nodes).toEqual(nodes.toReversed())
  })

  it('puts the layout into a second document, so that a moved node changes no line of the graph', () => {
    const text = printText(clearing())
    const moved = printText({
      ...clearing(),
      layout: { ...clearing().layout, nodes: new Map([['Trees', { x: 1, y: 2 }]]) },
    })
    expect(moved.split('---\n')[0]).toBe(text.split('---\n')[0])
    expect(moved).not.toBe(text)
  })

  it('is empty for an empty text', () => expect(parseText(' \n').graph.nodes.size).toBe(0))

  it.each([
    ['another version', 'pcg: 2\n', 1],
    ['an unknown key', 'pcg: 1\nnodes:\n  A:\n    class: X\n    colour: red\n', 4],
    ['a source without a pin', 'pcg: 1\nnodes:\n  A:\n    class: X\n    inputs:\n      In: B\n', 6],
    ['a key twice', 'pcg: 1\nnodes:\n  A: { class: X }\n  A: { class: Y }\n', 4],
    ['two nodes of one name', 'pcg: 1\nnodes:\n  A: { class: X }\n  B: { class: X, name: a }\n', 4],
    ['an end as a node', 'pcg: 1\nnodes:\n  Input: { class: X }\n', 3],
    ['an alias', 'pcg: 1\nnodes:\n  A: { class: &a X }\n  B: { class: *a }\n', null],
    ['a syntax error', 'pcg: 1\nnodes: [', 2],
    ['a value that JSON does not have', 'pcg: 1\nnodes:\n  A:\n    class: X\n    settings: { V: .nan }\n', 5],
    ['a text nested without end', `pcg: 1\nnodes: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 2],
  ])('refuses %s with its line', (_what, text, expected) => expect(line(text)).toBe(expected))

  it('names the lines of comments, which it does not keep', () => {
    expect(parseText('# top\npcg: 1\nnodes:\n  A: { class: X } # why\n').comments).toEqual([2, 4])
  })
})

describe('a file of the editor', () => {
  it('is refused with the place of the fault, and a graph instance with the graph it belongs to', () => {
    expect(() => readAsset(JSON.stringify({ ...emptyGraph(), nodes: [{ name: 1 }] }))).toThrow('nodes.0.name')
    const instance = { kind: 'PCGGraphInstance', version: 1, graph: '/Game/PCG/Wood', overrides: {} }
    expect(() => readAsset(JSON.stringify(instance))).toThrow('instance of /Game/PCG/Wood')
  })

  it('keeps the order of nodes and does not give out a number again', () => {
    const doc = { ...CLEARING, serials: { Merge: 4 } }
    const back = toAsset(fromAsset(doc), doc)
    expect(back.nodes.map(({ name }) => name)).toEqual(doc.nodes.map(({ name }) => name))
    expect(back.serials).toEqual({ Merge: 4 })
  })
})
