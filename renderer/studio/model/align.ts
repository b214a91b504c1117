// Alignment of nodes: align, distribute, straighten edges, snap to the grid. Returns their new positions.
import type { Box } from './edits.ts'
import type { EdgeView } from './graph.ts'

export type Spots = ReadonlyMap<string, { readonly x: number; readonly y: number }>
export const GRID = 8

export const ALIGNMENTS = ['left', 'center', 'right', 'top', 'middle', 'bottom'] as const
export type Alignment = (typeof ALIGNMENTS)[number]

export function aligned(boxes: readonly Box[], how: Alignment): Spots {
  const left = Math.min(...boxes.map(({ x }) => x))
  const right = Math.max(...boxes.map(({ x, w }) => x + w))
  const top = Math.min(...boxes.map(({ y }) => y))
  const bottom = Math.max(...boxes.map(({ y, h }) => y + h))
  return spots(boxes, ({ x, y, w, h }) => {
    switch (how) {
      case 'left':
        return { x: left, y }
      case 'center':
        return { x: (left + right - w) / 2, y }
      case 'right':
        return { x: right - w, y }
      case 'top':
        return { x, y: top }
      case 'middle':
        return { x, y: (top + bottom - h) / 2 }
      case 'bottom':
        return { x, y: bottom - h }
    }
  })
}

/** Equal gaps between the first and the last. */
export function distributed(boxes: readonly Box[], way: 'across' | 'down'): Spots {
  const [at, size] = way === 'across' ? (['x', 'w'] as const) : (['y', 'h'] as const)
  const order = boxes.toSorted((a, b) => a[at] - b[at])
  const [first, last] = [order[0], order.at(-1)]
  if (!first || !last || order.length < 3) return new Map()
  const filled = order.reduce((sum, box) => sum + box[size], 0)
  const gap = (last[at] + last[size] - first[at] - filled) / (order.length - 1)
  let next = first[at]
  return spots(order, (box) => {
    const here = next
    next += box[size] + gap
    return way === 'across' ? { x: here, y: box.y } : { x: box.x, y: here }
  })
}

/** Moves each selected node vertically so that its first edge from another selected node is horizontal. */
export function straightened(
  boxes: readonly Box[],
  edges: readonly EdgeView[],
  pinHeight: (edge: EdgeView, end: 'from' | 'to') => number,
): Spots {
  const now = new Map(boxes.map((box) => [box.name, { x: box.x, y: box.y }]))
  for (const { name } of boxes.toSorted((a, b) => a.x - b.x)) {
    const edge = edges.find(({ from, to }) => to === name && now.has(from))
    const [source, here] = [edge && now.get(edge.from), now.get(name)]
    if (edge && source && here)
      now.set(name, { x: here.x, y: source.y + pinHeight(edge, 'from') - pinHeight(edge, 'to') })
  }
  return now
}

export function onGrid(boxes: readonly Box[]): Spots {
  const near = (value: number): number => Math.round(value / GRID) * GRID
  return spots(boxes, ({ x, y }) => ({ x: near(x), y: near(y) }))
}

function spots(boxes: readonly Box[], of: (box: Box) => { readonly x: number; readonly y: number }): Spots {
  return new Map(boxes.map((box) => [box.name, of(box)]))
}
