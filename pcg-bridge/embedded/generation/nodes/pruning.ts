// Self pruning: of points that overlap, the larger (or the smaller) stay.

import { isRecord } from '../../../editor/settings.ts'
import { type NodeTable, perPoints } from '../context.ts'
import { densityBoxes } from '../point-index.ts'
import { type Points, pick, rowsWhere } from '../points.ts'
import { numbers, readSelector } from '../selector.ts'

type Pruning = {
  readonly type: string
  readonly similarity: number
  readonly random: boolean
  readonly source: string
}

function parametersOf(settings: unknown): Pruning {
  const given = isRecord(settings) ? settings : {}
  return {
    type: typeof given['PruningType'] === 'string' ? given['PruningType'] : 'LargeToSmall',
    similarity: typeof given['RadiusSimilarityFactor'] === 'number' ? given['RadiusSimilarityFactor'] : 0.25,
    random: given['bRandomizedPruning'] !== false,
    source: typeof given['ComparisonSource'] === 'string' ? given['ComparisonSource'] : '$Extents',
  }
}

/** Squared size per point: scaled extents as a spatial query sees them, or the attribute that is compared. */
function sizes(points: Points, source: string): Float64Array | null {
  const scaled = source === '$Extents'
  const column = readSelector(points, source)
  if (!column || column.texts) return null
  const { boundsMin, boundsMax, scale } = points
  const shared = scaled ? boundsMin.step === 0 && boundsMax.step === 0 && scale.step === 0 : column.step === 0
  // All of one size: nothing to order by.
  if (shared) return null
  const values = numbers(column, points.count, column.width)
  const squares = new Float64Array(points.count)
  for (let i = 0; i < points.count; i++) {
    let square = 0
    for (let c = 0; c < column.width; c++) {
      const factor = scaled ? (scale.data[i * scale.step + c] ?? 1) : 1
      square += ((values[i * column.width + c] ?? 0) * factor) ** 2
    }
    squares[i] = square
  }
  return squares
}

const DIGIT = 11
const VALUES = 1 << DIGIT

/** Rows by seed when asked, else as they stand; equal seeds as they stand. Digit by digit, because the seeds are 32 bits. */
function bySeed(points: Points, rows: Int32Array<ArrayBuffer>, random: boolean): Int32Array {
  const { data, step } = points.seed
  if (!random || step === 0) return rows
  if (rows.length < VALUES) return rows.sort((a, b) => (data[a] ?? 0) - (data[b] ?? 0) || a - b)
  let from = rows
  let to = new Int32Array(rows.length)
  for (let shift = 0; shift < 32; shift += DIGIT) {
    const starts = new Int32Array(VALUES + 1)
    // The sign is the highest bit: turned over, so that negative seeds come first.
    for (let i = 0; i < from.length; i++) {
      const digit = (((data[from[i] ?? 0] ?? 0) ^ 0x80000000) >>> shift) & (VALUES - 1)
      starts[digit + 1] = (starts[digit + 1] ?? 0) + 1
    }
    for (let digit = 0; digit < VALUES; digit++) starts[digit + 1] = (starts[digit + 1] ?? 0) + (starts[digit] ?? 0)
    for (let i = 0; i < from.length; i++) {
      const row = from[i] ?? 0
      const digit = (((data[row] ?? 0) ^ 0x80000000) >>> shift) & (VALUES - 1)
      const place = starts[digit] ?? 0
      to[place] = row
      starts[digit] = place + 1
    }
    const free = from
    from = to
    to = free
  }
  return from
}

/**
 * Largest (or smallest) first. Sizes within `similarity` of the first of their group count as equal and follow their
 * seeds, so that a point never yields to one that is smaller by more than the factor.
 */
function orderOf(points: Points, { type, similarity, random, source }: Pruning): Int32Array {
  const all = Int32Array.from({ length: points.count }, (_, i) => i)
  const ordered = type === 'LargeToSmall' || type === 'SmallToLarge'
  const squares = ordered ? sizes(points, source) : null
  if (!squares) return bySeed(points, all, random)
  const turn = type === 'LargeToSmall' ? -1 : 1
  all.sort((a, b) => turn * ((squares[a] ?? 0) - (squares[b] ?? 0)) || a - b)
  const factor = 1 + Math.max(0, similarity)
  for (let start = 0; start < all.length; ) {
    const first = squares[all[start] ?? 0] ?? 0
    let end = start + 1
    while (end < all.length && isSimilar(first, squares[all[end] ?? 0] ?? 0, factor)) end += 1
    if (end - start > 1)
      all.set(
        bySeed(
          points,
          all.slice(start, end).sort((a, b) => a - b),
          random,
        ),
        start,
      )
    start = end
  }
  return all
}

const isSimilar = (a: number, b: number, factor: number): boolean => Math.max(a, b) <= Math.min(a, b) * factor

/** Seen from above, four numbers a box, with heights apart: they are looked at only where some box is above another. */
type Boxes = { readonly flat: Float64Array; readonly heights: Float64Array | null; readonly wide: number }

function boxesOf(points: Points): Boxes {
  const boxes = densityBoxes(points)
  const flat = new Float64Array(points.count * 4)
  let [wide, highest, lowest] = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let o = 0, f = 0; o < boxes.length; o += 6, f += 4) {
    const ax = boxes[o] ?? 0
    const ay = boxes[o + 1] ?? 0
    const bx = boxes[o + 3] ?? 0
    const by = boxes[o + 4] ?? 0
    flat[f] = ax
    flat[f + 1] = ay
    flat[f + 2] = bx
    flat[f + 3] = by
    wide += bx - ax + by - ay
    highest = Math.max(highest, boxes[o + 2] ?? 0)
    lowest = Math.min(lowest, boxes[o + 5] ?? 0)
  }
  // Every box reaches from below the lowest top to above the highest bottom: all overlap in height.
  return { flat, heights: highest < lowest ? null : boxes, wide }
}

function meetInHeight(boxes: Float64Array, a: number, b: number): boolean {
  return (boxes[a * 6 + 2] ?? 0) < (boxes[b * 6 + 5] ?? 0) && (boxes[a * 6 + 5] ?? 0) > (boxes[b * 6 + 2] ?? 0)
}

/** Cells of the size of an ordinary box, in a hash: each kept box is entered in the cells it touches. */
function greedy(points: Points, order: Int32Array): Uint8Array {
  const { flat, heights, wide } = boxesOf(points)
  const perCell = 1 / Math.max(1e-6, wide / Math.max(1, 2 * points.count))
  let bits = 4
  while (1 << bits < points.count * 2 && bits < 24) bits += 1
  const heads = new Int32Array(1 << bits).fill(-1)
  const mask = (1 << bits) - 1
  let entries = new Int32Array(Math.max(16, points.count * 4))
  let nexts = new Int32Array(entries.length)
  let used = 0
  const kept = new Uint8Array(points.count)
  for (let n = 0; n < order.length; n++) {
    const row = order[n] ?? 0
    const o = row * 4
    const ax = flat[o] ?? 0
    const ay = flat[o + 1] ?? 0
    const bx = flat[o + 2] ?? 0
    const by = flat[o + 3] ?? 0
    const x0 = Math.floor(ax * perCell)
    const x1 = Math.floor(bx * perCell)
    const y0 = Math.floor(ay * perCell)
    const y1 = Math.floor(by * perCell)
    let free = true
    for (let y = y0; y <= y1 && free; y++)
      for (let x = x0; x <= x1 && free; x++)
        for (
          let e = heads[(Math.imul(x, 73856093) ^ Math.imul(y, 19349663)) & mask] ?? -1;
          e >= 0;
          e = nexts[e] ?? -1
        ) {
          const other = entries[e] ?? 0
          const t = other * 4
          if (
            ax < (flat[t + 2] ?? 0) &&
            bx > (flat[t] ?? 0) &&
            ay < (flat[t + 3] ?? 0) &&
            by > (flat[t + 1] ?? 0) &&
            (heights === null || meetInHeight(heights, row, other))
          ) {
            free = false
            break
          }
        }
    if (!free) continue
    kept[row] = 1
    for (let y = y0; y <= y1; y++)
      for (let x = x0; x <= x1; x++) {
        if (used === entries.length) {
          const more = new Int32Array(used * 2)
          const after = new Int32Array(used * 2)
          more.set(entries)
          after.set(nexts)
          entries = more
          nexts = after
        }
        const head = (Math.imul(x, 73856093) ^ Math.imul(y, 19349663)) & mask
        entries[used] = row
        nexts[used] = heads[head] ?? -1
        heads[head] = used
        used += 1
      }
  }
  return kept
}

function withoutDuplicates(points: Points): Points {
  const seen = new Set<string>()
  const { data, step } = points.position
  const rows = rowsWhere(points.count, (row) => {
    const key = `${data[row * step]} ${data[row * step + 1]} ${data[row * step + 2]}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
  return pick(points, rows)
}

const selfPruning = perPoints((points, context) => {
  const parameters = parametersOf(context.settings['Parameters'])
  if (parameters.type === 'None' || points.count === 0) return points
  if (parameters.type === 'RemoveDuplicates') return withoutDuplicates(points)
  const kept = greedy(points, orderOf(points, parameters))
  return pick(
    points,
    rowsWhere(points.count, (row) => kept[row] === 1),
  )
})

export const pruning: NodeTable = { PCGSelfPruningSettings: selfPruning }
