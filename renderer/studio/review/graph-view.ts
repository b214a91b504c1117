// A graph under review as the canvas draws it, and what differs between two as marks on both. Pure.
import type { NodePin } from '#pcg-catalog'
import { type GraphChange, INPUT, OUTPUT, type ReviewGraph } from '#pcg-review'
import type { Arrangement } from '../model/arrangement.ts'
import { edgeId, type GraphView, type NodeView, typeOf } from '../model/graph.ts'

const anyPin = (label: string): NodePin => ({ label, types: ['Any'], single: false, required: false })
const ENDS = [INPUT, OUTPUT] as const

/** Pins of the catalogue, then those that only edges name. */
function pins(known: readonly NodePin[], labels: readonly string[]): readonly NodePin[] {
  const listed = new Set(known.map(({ label }) => label))
  return [...known, ...new Set(labels.filter((label) => !listed.has(label)))].map((pin) =>
    typeof pin === 'string' ? anyPin(pin) : pin,
  )
}

export function viewOfReview({ path, nodes, edges }: ReviewGraph): GraphView {
  const [into, outOf] = [Map.groupBy(edges, ({ to }) => to), Map.groupBy(edges, ({ from }) => from)]
  const read = (id: string): string[] => (into.get(id) ?? []).map(({ toPin }) => toPin)
  const fed = (id: string): string[] => (outOf.get(id) ?? []).map(({ fromPin }) => fromPin)
  const own = [...nodes].map(([id, node]): [string, NodeView] => {
    const type = typeOf(node.class)
    return [
      id,
      {
        name: id,
        title: node.title ?? type?.title ?? node.class,
        settingsClass: node.class,
        category: type?.category ?? 'Other',
        inputs: pins(type?.inputs ?? [], read(id)),
        outputs: pins(type?.outputs ?? [], fed(id)),
        end: null,
        known: type !== undefined,
      },
    ]
  })
  const ends = ENDS.map((end): [string, NodeView] => [
    end,
    {
      name: end,
      title: end,
      settingsClass: 'PCGGraphInputOutputSettings',
      category: 'Input Output',
      inputs: end === OUTPUT ? pins([anyPin('Out')], read(end)) : [],
      outputs: end === INPUT ? pins([anyPin('In')], fed(end)) : [],
      end: end === INPUT ? 'input' : 'output',
      known: true,
    },
  ])
  return {
    path: path ?? '',
    nodes: new Map([...own, ...ends]),
    edges: edges.map(({ from, fromPin, to, toPin }) => ({
      id: edgeId(from, fromPin, to, toPin),
      from,
      fromPin,
      to,
      toPin,
    })),
  }
}

const ALSO: Readonly<Record<string, string>> = { DefaultInputNode: INPUT, DefaultOutputNode: OUTPUT }

/** A graph without places has those of another one. */
export function placesOf(graph: ReviewGraph, other: ReviewGraph): Arrangement {
  const all = [...other.layout.nodes, ...graph.layout.nodes].map(([id, { x, y, w, collapsed, color }]) => [
    ALSO[id] ?? id,
    {
      x,
      y,
      ...(w !== undefined && { w }),
      ...(collapsed !== undefined && { collapsed }),
      ...(color !== undefined && { color }),
    },
  ])
  return { nodes: Object.fromEntries(all), comments: [], reroutes: [], bookmarks: [] }
}

export type Difference = 'added' | 'removed' | 'changed'
type Marks = { readonly nodes: ReadonlyMap<string, Difference>; readonly edges: ReadonlyMap<string, Difference> }

/** By node and by edge. Additions are marked in the graph after the change, removals in the one before. */
export function marksOf(changes: readonly GraphChange[]): Marks {
  const nodes = new Map<string, Difference>()
  const edges = new Map<string, Difference>()
  for (const change of changes)
    switch (change.kind) {
      case 'node added':
        nodes.set(change.node, 'added')
        break
      case 'node removed':
        nodes.set(change.node, 'removed')
        break
      case 'edge added':
      case 'edge removed':
        edges.set(
          edgeId(change.from, change.fromPin, change.to, change.toPin),
          change.kind === 'edge added' ? 'added' : 'removed',
        )
        break
      case 'node renamed':
      case 'title':
      case 'setting':
        nodes.set(change.node, 'changed')
        break
      case 'edge order':
        nodes.set(change.to, 'changed')
        break
      case 'parameter added':
      case 'parameter removed':
      case 'parameter changed':
      case 'parameter renamed':
      case 'pins':
      case 'path':
      case 'tests':
    }
  return { nodes, edges }
}

/** The node that a change is about. */
export function nodeOf(change: GraphChange): string | null {
  if ('node' in change) return change.node
  return 'to' in change ? change.to : null
}
