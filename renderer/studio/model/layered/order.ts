// Orders each column: alternating sweeps move boxes towards their neighbours; the best result is kept.
import { neighbours, type Wire } from './columns.ts'

const SWEEPS = 8
/** The limit of bends relative to the graph's size; the longest edges get none, because a few could need millions. */
const MOST_BENDS = 4

/** An edge between adjacent columns; a long one consists of several with bends between them. */
export type Rows = {
  /** Box indices, then bends. */
  readonly count: number
  readonly columns: readonly (readonly number[])[]
  readonly links: readonly Wire[]
}

export function rowsOf(column: Int32Array, wires: readonly Wire[], onSweep: (share: number) => void): Rows {
  const { count, columnOf, links } = bent(column, wires)
  const columns: number[][] = Array.from({ length: Math.max(-1, ...new Set(column)) + 1 }, () => [])
  for (const item of alongWires(count, links)) columns[columnOf[item] ?? 0]?.push(item)
  const before = ends(count, links, 'to', 'from')
  const after = ends(count, links, 'from', 'to')
  const place = new Float64Array(count)
  columns.forEach((items) => number(items, place))
  let best = columns.map((items) => [...items])
  let least = crossings(columns, after, place)
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep += 1) {
    const right = sweep % 2 === 0
    for (const items of right ? columns : columns.toReversed()) sortBy(items, right ? before : after, place)
    const crossed = crossings(columns, after, place)
    if (crossed < least) {
      least = crossed
      best = columns.map((items) => [...items])
    }
    onSweep((sweep + 1) / SWEEPS)
  }
  return { count, columns: best, links }
}

function bent(column: Int32Array, wires: readonly Wire[]) {
  const at = (box: number): number => column[box] ?? 0
  const span = (wire: Wire): number => Math.abs(at(wire.to) - at(wire.from))
  const columnOf = [...column]
  const links: Wire[] = []
  let left = MOST_BENDS * (column.length + wires.length)
  for (const wire of wires.toSorted((a, b) => span(a) - span(b))) {
    const bends = span(wire) - 1
    if (bends < 0 || bends > left) continue
    left -= bends
    const back = at(wire.to) < at(wire.from)
    const end = back ? { from: wire.to, fromY: wire.toY, to: wire.from, toY: wire.fromY } : wire
    let { from, fromY } = end
    for (let bend = 1; bend <= bends; bend += 1) {
      const to = columnOf.push(at(end.from) + bend) - 1
      links.push({ from, fromY, to, toY: 0 })
      ;[from, fromY] = [to, 0]
    }
    links.push({ from, fromY, to: end.to, toY: end.toY })
  }
  return { count: columnOf.length, columnOf, links }
}

/** Starts in traversal order, so that connected boxes are adjacent. */
function alongWires(count: number, links: readonly Wire[]): readonly number[] {
  const next = neighbours(count, links, 'from', 'to')
  const back = neighbours(count, links, 'to', 'from')
  const met: number[] = []
  const seen = new Uint8Array(count)
  for (let root = 0; root < count; root += 1) {
    const stack = [root]
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      if (seen[item]) continue
      seen[item] = 1
      met.push(item)
      stack.push(...[...(next[item] ?? []), ...(back[item] ?? [])].filter((other) => !seen[other]).reverse())
    }
  }
  return met
}

/** The neighbours of an item, from its top pin down. */
type End = { readonly item: number; readonly hereY: number; readonly thereY: number }

function ends(count: number, links: readonly Wire[], here: 'from' | 'to', there: 'from' | 'to') {
  const all: End[][] = Array.from({ length: count }, () => [])
  for (const link of links)
    all[link[here]]?.push({ item: link[there], hereY: link[`${here}Y`], thereY: link[`${there}Y`] })
  for (const list of all) list.sort((a, b) => a.hereY - b.hereY)
  return all
}

function number(items: readonly number[], place: Float64Array): void {
  items.forEach((item, at) => {
    place[item] = at
  })
}

/** The offset of a pin within its box, always below one. */
const within = (y: number): number => y / (Math.abs(y) + 1000)

function sortBy(items: number[], neighboursOf: readonly (readonly End[])[], place: Float64Array): void {
  for (const item of items) {
    const all = neighboursOf[item] ?? []
    let sum = 0
    for (const end of all) sum += (place[end.item] ?? 0) + within(end.thereY)
    if (all.length > 0) place[item] = sum / all.length
  }
  items.sort((a, b) => (place[a] ?? 0) - (place[b] ?? 0))
  number(items, place)
}

/** The number of crossing pairs of links. */
function crossings(columns: readonly (readonly number[])[], after: readonly (readonly End[])[], place: Float64Array) {
  let total = 0
  columns.forEach((items, at) => {
    const size = columns[at + 1]?.length ?? 0
    // A Fenwick tree counts the links that end at or above a position.
    const tree = new Int32Array(size + 1)
    let seen = 0
    for (const item of items) {
      for (const end of after[item] ?? []) {
        const first = (place[end.item] ?? 0) + 1
        total += seen
        for (let node = first; node > 0; node -= node & -node) total -= tree[node] ?? 0
        for (let node = first; node <= size; node += node & -node) tree[node] = (tree[node] ?? 0) + 1
        seen += 1
      }
    }
  })
  return total
}
