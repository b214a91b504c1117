// A template as steps that add it to a graph: its ids give way to those of the graph.
import { emptyReview, isEnd, type ReviewGraph } from '../review/graph.ts'
import type { Patch } from '../review/patch.ts'
import { patchBetween } from '../review/patch-between.ts'
import { parseText } from '../review/text.ts'
import type { Template } from './templates.ts'
import { TEXTS } from './texts.ts'

export const templateGraph = ({ id }: Pick<Template, 'id'>): ReviewGraph => parseText(TEXTS[id]).graph

/** `Sample`, `Sample_2`, … */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let n = 2; ; n++) if (!taken.has(`${name}_${n}`)) return `${name}_${n}`
}

type Target = {
  /** Ids and names of the nodes of the graph. */
  readonly nodes: Iterable<string>
  /** A parameter that the graph has keeps its value; the template reads it. */
  readonly parameters: Iterable<string>
  /** Where the upper left corner of the template goes. */
  readonly at: { readonly x: number; readonly y: number }
}

/** `values` replace those of the template's parameters, each of the same type. */
export function templateSteps(
  template: Pick<Template, 'id'>,
  target: Target,
  values: Readonly<Record<string, boolean | number | string>> = {},
): Patch {
  const graph = templateGraph(template)
  const taken = new Set(target.nodes)
  const ids = new Map<string, string>()
  for (const id of graph.nodes.keys()) {
    const free = freeName(id, taken)
    taken.add(free)
    ids.set(id, free)
  }
  const to = (id: string): string => (isEnd(id) ? id : (ids.get(id) ?? id))
  const known = new Set(target.parameters)
  const places = [...graph.layout.nodes].filter(([id]) => ids.has(id))
  const [left, top] = [Math.min(...places.map(([, { x }]) => x)), Math.min(...places.map(([, { y }]) => y))]
  const moved = places.map(
    ([id, place]) => [to(id), { ...place, x: place.x - left + target.at.x, y: place.y - top + target.at.y }] as const,
  )
  const own = [...graph.parameters].filter(([name]) => !known.has(name))
  const valued = own.map(([name, parameter]) => {
    const value = values[name]
    return [
      name,
      typeof value === typeof parameter.value ? { ...parameter, value: value ?? parameter.value } : parameter,
    ] as const
  })
  return patchBetween(emptyReview(), {
    ...graph,
    nodes: new Map([...graph.nodes].map(([id, node]) => [to(id), node])),
    edges: graph.edges.map((edge) => ({ ...edge, from: to(edge.from), to: to(edge.to) })),
    parameters: new Map(valued),
    layout: { ...graph.layout, nodes: new Map(moved) },
  })
}
