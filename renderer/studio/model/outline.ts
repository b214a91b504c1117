// A graph as text: its nodes in the order in which data flows, each with what it reads and feeds. Pure.
import { t } from '../../language/language.ts'
import type { EdgeView, GraphView, NodeView } from './graph.ts'
import { HIDDEN_PIN } from './graph.ts'

type Joined = {
  /** `Surface from Get Landscape Out`. */
  readonly reads: readonly string[]
  /** `Out to Density Filter In`. */
  readonly feeds: readonly string[]
}
const NONE: Joined = { reads: [], feeds: [] }

/** The connections of every node that has some, as text. */
export function connectionsOf({ nodes, edges }: Pick<GraphView, 'nodes' | 'edges'>): (name: string) => Joined {
  const [into, outOf] = [Map.groupBy(edges, ({ to }) => to), Map.groupBy(edges, ({ from }) => from)]
  const title = (name: string): string => nodes.get(name)?.title ?? name
  const pin = (label: string): string => (label === HIDDEN_PIN ? '' : ` ${label}`)
  return (name) => {
    const [reads, feeds] = [into.get(name) ?? [], outOf.get(name) ?? []]
    if (reads.length + feeds.length === 0) return NONE
    return {
      reads: reads.map(({ from, fromPin, toPin }) =>
        t('{pin} from {source}', { pin: pin(toPin), source: `${title(from)}${pin(fromPin)}` }).trim(),
      ),
      feeds: feeds.map(({ to, fromPin, toPin }) =>
        t('{pin} to {target}', { pin: pin(fromPin), target: `${title(to)}${pin(toPin)}` }).trim(),
      ),
    }
  }
}

/** The accessible name of a node without what is marked on it. */
export function spokenNode({ title, end, inputs, outputs }: NodeView, { reads, feeds }: Joined): string {
  const loose = reads.length + feeds.length === 0 && inputs.length + outputs.length > 0
  return [
    end === null ? title : t('{title} of the graph', { title }),
    ...(reads.length > 0 ? [t('Reads {pins}', { pins: reads.join(', ') })] : []),
    ...(feeds.length > 0 ? [t('Feeds {pins}', { pins: feeds.join(', ') })] : []),
    ...(loose ? [t('Not connected')] : []),
  ].join('. ')
}

/** Sources first, then the nodes of a cycle in the order of the graph; Output comes last. */
export function inFlow({ nodes, edges }: Pick<GraphView, 'nodes' | 'edges'>): readonly NodeView[] {
  const waits = new Map([...nodes.keys()].map((name) => [name, 0]))
  const outOf: ReadonlyMap<string, readonly EdgeView[]> = Map.groupBy(edges, ({ from }) => from)
  for (const { to } of edges) waits.set(to, (waits.get(to) ?? 0) + 1)
  const order = [...nodes.keys()].filter((name) => waits.get(name) === 0)
  for (const name of order)
    for (const { to } of outOf.get(name) ?? []) {
      const left = (waits.get(to) ?? 0) - 1
      waits.set(to, left)
      if (left === 0) order.push(to)
    }
  const done = new Set(order)
  const all = [...order, ...[...nodes.keys()].filter((name) => !done.has(name))].flatMap(
    (name) => nodes.get(name) ?? [],
  )
  const isLast = ({ end }: NodeView): boolean => end === 'output'
  return [...all.filter((node) => !isLast(node)), ...all.filter(isLast)]
}
