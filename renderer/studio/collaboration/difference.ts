// The differences between two versions of a graph, for canvas and table.
import { z } from 'zod'
import type { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import type { Layer, Mark } from '../canvas/overlay.ts'
import type { NodePlace } from '../model/arrangement.ts'
import { edgeId, type GraphView, type NodeView, typeOf } from '../model/graph.ts'

type Comparison = Awaited<ReturnType<typeof api.pcg.compareSnapshot>>
export type Entry = Comparison['entries'][number]
export type NamedCall = Comparison['restore'][number]

/** A table row: subject, part, before and after. */
export type DiffRow = {
  readonly key: string
  readonly kind: Entry['kind']
  readonly subject: string
  /** The node to scroll to, if the row is about one. */
  readonly node: string | null
  readonly part: string
  readonly before: string
  readonly after: string
}

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
const partsOf = ({ path }: Entry): readonly string[] => path.split('/').slice(1).map(unescaped)
const text = (value: unknown): string => (value === null || value === undefined ? '' : JSON.stringify(value))
const Whole = z.object({ class: z.string() })
const classOf = (value: unknown): string | undefined => Whole.safeParse(value).data?.class

export function diffRows(entries: readonly Entry[]): readonly DiffRow[] {
  return entries.map((entry) => {
    const { path, kind, before, after } = entry
    const [list = '', name = '', , property] = partsOf(entry)
    const whole = list === 'nodes' && property === undefined
    const shown = (value: unknown): string => (whole ? (classOf(value) ?? '') : list === 'edges' ? '' : text(value))
    return {
      key: path,
      kind,
      subject: name,
      node: list === 'nodes' ? name : null,
      part: property ?? LISTS[list] ?? list,
      before: shown(before),
      after: shown(after),
    }
  })
}

const LISTS: Readonly<Record<string, string>> = {
  nodes: t('node'),
  edges: t('edge'),
  parameters: t('parameter'),
  order: t('order of edges'),
}

/**
 * Marks added and changed nodes; draws nodes missing in the current graph at their old place. `known` has the classes of
 * nodes that both versions have and the current graph no longer has.
 */
export function diffLayer(
  entries: readonly Entry[],
  view: GraphView,
  places: Readonly<Record<string, NodePlace>>,
  known: readonly Entry[] = [],
): Layer {
  const nodes = new Map<string, Mark>()
  const edges = new Map<string, Mark>()
  for (const entry of entries) {
    const [list, name = '', , property] = partsOf(entry)
    if (list === 'edges') {
      const id = edgeOf(name)
      if (id !== undefined) edges.set(id, { ghost: entry.kind })
    }
    if (list !== 'nodes') continue
    const ghost = property === undefined ? entry.kind : 'changed'
    // An added or removed node outweighs a changed property.
    if (!nodes.has(name) || property === undefined) nodes.set(name, { ghost })
  }
  const classes = classesIn([...known, ...entries])
  const gone = [...nodes.keys()]
    .filter((name) => !view.nodes.has(name))
    .flatMap((name) => {
      const type = classes.get(name)
      return type === undefined ? [] : [goneNode(name, type)]
    })
    .map((node, index) => ({ node, place: places[node.name] ?? freePlace(index) }))
  return { nodes, edges, gone }
}

function classesIn(entries: readonly Entry[]): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap((entry) => {
      const [list, name = '', , property] = partsOf(entry)
      const type = classOf(entry.after) ?? classOf(entry.before)
      return list === 'nodes' && property === undefined && type !== undefined ? [[name, type] as const] : []
    }),
  )
}

/** `A.Out > B.In`, as on the canvas. Pin names may contain dots, node names do not. */
function edgeOf(name: string): string | undefined {
  const [from = '', to = ''] = name.split(' > ')
  const ends = [from, to].map((end) => [end.slice(0, end.indexOf('.')), end.slice(end.indexOf('.') + 1)] as const)
  const [[fromNode, fromPin] = ['', ''], [toNode, toPin] = ['', '']] = ends
  return fromNode && toNode ? edgeId(fromNode, fromPin, toNode, toPin) : undefined
}

function goneNode(name: string, settingsClass: string): NodeView {
  const type = typeOf(settingsClass)
  return {
    name,
    title: type?.title ?? settingsClass,
    settingsClass,
    category: type?.category ?? 'Other',
    inputs: type?.inputs ?? [],
    outputs: type?.outputs ?? [],
    end: null,
    known: type !== undefined,
  }
}

const freePlace = (index: number): NodePlace => ({ x: index * 240, y: -160 })
