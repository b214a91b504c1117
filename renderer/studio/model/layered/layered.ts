// A layered layout for large graphs in nearly linear time: connected parts one by one, then side by side.
import { columnsOf, type Wire } from './columns.ts'
import { heightsOf } from './heights.ts'
import { rowsOf } from './order.ts'

export type Size = { readonly w: number; readonly h: number }
export type Sizes = { readonly boxes: readonly Size[]; readonly wires: readonly Wire[] }
export type Place = { readonly x: number; readonly y: number }
type Laid = Size & { readonly boxes: readonly number[]; readonly places: readonly Place[] }

const COLUMN_GAP = 72
const PART_GAP = 56
/** The aspect ratio of the packed parts. */
const SHAPE = 1.6

/** A position per box, in the given order; deterministic. `onShare` receives the progress. */
export function layered({ boxes, wires }: Sizes, onShare: (share: number) => void = () => undefined): readonly Place[] {
  let done = 0
  const laid = partsOf(boxes.length, wires).map((part) => {
    const share = part.boxes.length / boxes.length
    const one = laidPart(part, boxes, (of) => onShare(done + of * share))
    done += share
    return one
  })
  const places: Place[] = Array.from({ length: boxes.length }, () => ({ x: 0, y: 0 }))
  shelved(laid).forEach(({ x, y }, at) => {
    laid[at]?.boxes.forEach((box, index) => {
      const own = laid[at]?.places[index] ?? { x: 0, y: 0 }
      places[box] = { x: x + own.x, y: y + own.y }
    })
  })
  return places
}

type Part = { readonly boxes: readonly number[]; readonly wires: readonly Wire[] }

/** Connected parts, keyed by their first box; edges use box indices within the part. */
function partsOf(count: number, wires: readonly Wire[]): readonly Part[] {
  const root = Int32Array.from({ length: count }, (_none, box) => box)
  const rootOf = (box: number): number => {
    let at = box
    for (let up = root[at] ?? at; up !== at; up = root[at] ?? at) {
      root[at] = root[up] ?? up
      at = up
    }
    return at
  }
  for (const { from, to } of wires) {
    const [a, b] = [rootOf(from), rootOf(to)]
    root[Math.max(a, b)] = Math.min(a, b)
  }
  const parts = new Map<number, { readonly boxes: number[]; readonly wires: Wire[] }>()
  const within = new Int32Array(count)
  for (let box = 0; box < count; box += 1) {
    const part = parts.get(rootOf(box)) ?? { boxes: [], wires: [] }
    parts.set(rootOf(box), part)
    within[box] = part.boxes.push(box) - 1
  }
  for (const wire of wires)
    parts.get(rootOf(wire.from))?.wires.push({ ...wire, from: within[wire.from] ?? 0, to: within[wire.to] ?? 0 })
  return [...parts.values()]
}

function laidPart({ boxes, wires }: Part, all: readonly Size[], onShare: (share: number) => void): Laid {
  const sizes = boxes.map((box) => all[box] ?? { w: 0, h: 0 })
  const column = columnsOf(boxes.length, wires)
  const rows = rowsOf(column, wires, (share) => onShare(share / 2))
  const tops = heightsOf(rows, sizes, (share) => onShare((1 + share) / 2))
  const widths = new Float64Array(rows.columns.length)
  column.forEach((at, box) => {
    widths[at] = Math.max(widths[at] ?? 0, sizes[box]?.w ?? 0)
  })
  let width = -COLUMN_GAP
  const lefts = Array.from(widths, (w) => {
    const left = width + COLUMN_GAP
    width = left + w
    return left
  })
  let [highest, lowest] = [Infinity, -Infinity]
  sizes.forEach(({ h }, box) => {
    highest = Math.min(highest, tops[box] ?? 0)
    lowest = Math.max(lowest, (tops[box] ?? 0) + h)
  })
  const places = sizes.map((_size, box) => ({ x: lefts[column[box] ?? 0] ?? 0, y: (tops[box] ?? 0) - highest }))
  return { w: width, h: lowest - highest, boxes, places }
}

/** Packs parts into rows, tallest first, to leave few gaps; rows are at least `least` wide. */
export function shelved(parts: readonly Size[], least = 0): readonly Place[] {
  const area = parts.reduce((sum, { w, h }) => sum + (w + PART_GAP) * (h + PART_GAP), 0)
  const widest = parts.reduce((most, { w }) => Math.max(most, w), Math.max(least, Math.sqrt(area * SHAPE)))
  const places: Place[] = parts.map(() => ({ x: 0, y: 0 }))
  let [x, y, rowHeight] = [0, 0, 0]
  const highestFirst = parts.map((size, at) => ({ ...size, at })).sort((a, b) => b.h - a.h)
  for (const { w, h, at } of highestFirst) {
    if (x > 0 && x + w > widest) {
      x = 0
      y += rowHeight + PART_GAP
      rowHeight = 0
    }
    places[at] = { x, y }
    x += w + PART_GAP
    rowHeight = Math.max(rowHeight, h)
  }
  return places
}
