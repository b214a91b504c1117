// The graph file of the embedded editor (`*.pcg.json`) to and from a graph under review.
import { emptyGraph, GraphDoc, InstanceDoc } from '../editor/document.ts'
import { INPUT_NODE, OUTPUT_NODE } from '../editor/pins.ts'
import { withNodes } from './assertions.ts'
import { withoutDefaults } from './defaults.ts'
import { emptyLayout, INPUT, nameIn, OUTPUT, type ReviewGraph, sorted } from './graph.ts'
import { idsOf } from './ids.ts'

export type GraphAsset = GraphDoc

export function fromAsset(doc: GraphDoc, path: string | null = null): ReviewGraph {
  const ids = idsOf(doc.nodes.map(({ name }) => name))
  const idOf = (name: string): string =>
    name === INPUT_NODE ? INPUT : name === OUTPUT_NODE ? OUTPUT : (ids.get(name) ?? name)
  return {
    path,
    nodes: new Map(
      doc.nodes.map(({ name, class: type, title, properties }) => {
        const id = idOf(name)
        return [
          id,
          {
            class: type,
            name: id === name ? null : name,
            title: title ?? null,
            settings: withoutDefaults(type, properties),
          },
        ]
      }),
    ),
    edges: doc.edges.map(({ from, fromPin, to, toPin }) => ({ from: idOf(from), fromPin, to: idOf(to), toPin })),
    parameters: new Map(doc.parameters.map(({ name, type, value }) => [name, { type, value }])),
    pins: { Input: doc.inputPins, Output: doc.outputPins },
    ...(doc.tests && { tests: withNodes(doc.tests, idOf) }),
    layout: {
      ...emptyLayout(),
      nodes: new Map(Object.entries(doc.positions).map(([name, place]) => [idOf(name), place])),
      comments: new Map(doc.comments.map(({ id, ...comment }) => [id, { ...comment, nodes: [] }])),
    },
  }
}

const SERIAL = /^(.{1,200})_(\d{1,9})$/

/** `like` gives the order of nodes and parameters, and numbers that are not given out again. */
export function toAsset(graph: ReviewGraph, like: GraphDoc = emptyGraph()): GraphDoc {
  const nameOf = (id: string): string =>
    id === INPUT ? INPUT_NODE : id === OUTPUT ? OUTPUT_NODE : nameIn(id, graph.nodes.get(id))
  const serials = { ...like.serials }
  const order = new Map(like.nodes.map(({ name }, at) => [name, at]))
  const nodes = sorted(graph.nodes).map(([id, node]): GraphDoc['nodes'][number] => {
    const name = nameIn(id, node)
    const [, stem, serial] = SERIAL.exec(name) ?? []
    if (stem !== undefined) serials[stem] = Math.max(serials[stem] ?? -1, Number(serial))
    return {
      name,
      class: node.class,
      ...(node.title === null ? {} : { title: node.title }),
      properties: { ...node.settings },
    }
  })
  const { tests: _before, ...rest } = like
  const ranked = new Map(like.parameters.map(({ name }, at) => [name, at]))
  return {
    ...rest,
    ...(graph.tests && { tests: withNodes(graph.tests, nameOf) }),
    nodes: inOrder(nodes, order),
    edges: graph.edges.map(({ from, fromPin, to, toPin }) => ({ from: nameOf(from), fromPin, to: nameOf(to), toPin })),
    parameters: inOrder(
      sorted(graph.parameters).map(([name, parameter]) => ({ name, ...parameter })),
      ranked,
    ),
    inputPins: graph.pins.Input.map(({ label, types }) => ({ label, types: [...types] })),
    outputPins: graph.pins.Output.map(({ label, types }) => ({ label, types: [...types] })),
    serials,
    positions: Object.fromEntries(sorted(graph.layout.nodes).map(([id, { x, y }]) => [nameOf(id), { x, y }])),
    comments: sorted(graph.layout.comments).map(([id, { x, y, w, h, text }]) => ({ id, x, y, w, h, text })),
  }
}

function inOrder<T extends { readonly name: string }>(items: readonly T[], order: ReadonlyMap<string, number>): T[] {
  const last = order.size
  return items.toSorted((a, b) => (order.get(a.name) ?? last) - (order.get(b.name) ?? last))
}

/** Throws what is wrong with the text of a `*.pcg.json`. */
export function readAsset(text: string): GraphDoc {
  const given: unknown = JSON.parse(text)
  const instance = InstanceDoc.safeParse(given)
  if (instance.success) throw new Error(`it is an instance of ${instance.data.graph} and has no nodes of its own`)
  const parsed = GraphDoc.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a graph'}`)
}
export const assetText = (doc: GraphDoc): string => JSON.stringify(doc, null, 1)
