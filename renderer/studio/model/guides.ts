// Alignment guides: what a dragged box aligns with, the distance, and the lines to draw.
import type { Box } from './edits.ts'

type Rect = Pick<Box, 'x' | 'y' | 'w' | 'h'>
/** A horizontal (`y`) or vertical (`x`) line in graph coordinates. */
export type Guide = {
  readonly fixed: 'x' | 'y'
  readonly at: number
  readonly from: number
  readonly to: number
}
type Guided = { readonly dx: number; readonly dy: number; readonly lines: readonly Guide[] }

/** The snap distance in screen pixels. */
export const GUIDE_REACH = 6
const NOTHING: Guided = { dx: 0, dy: 0, lines: [] }
const AXES = {
  x: { size: 'w', other: 'y', otherSize: 'h' },
  y: { size: 'h', other: 'x', otherSize: 'w' },
} as const
/** The positions of a box that align: start, centre, end. */
const PARTS = [0, 0.5, 1] as const
/** Tolerates rounding errors. */
const SAME = 0.01

/** Snaps the bounding box of the dragged nodes to the nearest guide on each axis. */
export function guided(dragged: readonly Rect[], others: readonly Rect[], reach: number): Guided {
  const box = around(dragged)
  if (!box) return NOTHING
  const [dx, dy] = [offset(box, others, 'x', reach), offset(box, others, 'y', reach)]
  const moved = { ...box, x: box.x + (dx ?? 0), y: box.y + (dy ?? 0) }
  const lines = [
    ...(dx === undefined ? [] : linesOf(moved, others, 'x')),
    ...(dy === undefined ? [] : linesOf(moved, others, 'y')),
  ]
  return { dx: dx ?? 0, dy: dy ?? 0, lines }
}

/** Boxes that intersect an area, such as the view. */
export function within<T extends Rect>(boxes: readonly T[], view: Rect): readonly T[] {
  return boxes.filter(
    ({ x, y, w, h }) => x + w >= view.x && x <= view.x + view.w && y + h >= view.y && y <= view.y + view.h,
  )
}

function around(boxes: readonly Rect[]): Rect | undefined {
  if (boxes.length === 0) return undefined
  const x = Math.min(...boxes.map((box) => box.x))
  const y = Math.min(...boxes.map((box) => box.y))
  const w = Math.max(...boxes.map((box) => box.x + box.w)) - x
  return { x, y, w, h: Math.max(...boxes.map((box) => box.y + box.h)) - y }
}

const partOf = (box: Rect, axis: 'x' | 'y', part: number): number => box[axis] + box[AXES[axis].size] * part

function offset(box: Rect, others: readonly Rect[], axis: 'x' | 'y', reach: number): number | undefined {
  let best: number | undefined
  for (const other of others)
    for (const part of PARTS) {
      const away = partOf(other, axis, part) - partOf(box, axis, part)
      if (Math.abs(away) <= Math.abs(best ?? reach)) best = away
    }
  return best
}

/** One guide per aligned position, spanning all boxes on it. */
function linesOf(box: Rect, others: readonly Rect[], axis: 'x' | 'y'): readonly Guide[] {
  const { other: across, otherSize } = AXES[axis]
  return PARTS.flatMap((part) => {
    const at = partOf(box, axis, part)
    const met = others.filter((other) => Math.abs(partOf(other, axis, part) - at) < SAME)
    if (met.length === 0) return []
    const all = [box, ...met]
    const from = Math.min(...all.map((each) => each[across]))
    return [{ fixed: axis, at, from, to: Math.max(...all.map((each) => each[across] + each[otherSize])) }]
  })
}
