// Self pruning: of points that overlap, the larger (or the smaller) stay.

import { isRecord } from '../../settings.ts'
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

/** Squared length of the source per point, in logarithmic steps in which sizes count as equal. */
function sizes(points: Points, { source, similarity }: Pruning): Float64Array | null {
  const column = readSelector(points, source)
  if (!column || column.texts) return null
  const shared =
    column.step === 0 || (source === '$Extents' && points.boundsMin.step === 0 && points.boundsMax.step === 0)
  // All of one size: nothing to order by.
  if (shared) return null
  const values = numbers(column, points.count, column.width)
  const steps = new Float64Array(points.count)
  const base = Math.log1p(Math.max(1e-6, similarity))
  for (let i = 0; i < points.count; i++) {
    let square = 0
    for (let c = 0; c < column.width; c++) square += (values[i * column.width + c] ?? 0) ** 2
    steps[i] = Math.floor(Math.log(Math.max(square, 1e-12)) / base)
  }
  return steps
}

/** A seed and a row in one number that sorts like both: 32 and 21 bits of the 53 that are exact. */
const MOST_PACKED = 1 << 21

/** Rows by seed when asked, else as they stand; equal seeds as they stand. */
function bySeed(points: Points, rows: Int32Array, random: boolean): Int32Array {
  if (!random) return rows
  const { data, step } = points.seed
  if (points.count > MOST_PACKED) return rows.sort((a, b) => (data[a * step] ?? 0) - (data[b * step] ?? 0) || a - b)
  const keys = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    keys[i] = ((data[row * step] ?? 0) + 2147483648) * MOST_PACKED + row
  }
  keys.sort()
  for (let i = 0; i < rows.length; i++) rows[i] = (keys[i] ?? 0) % MOST_PACKED
  return rows
}

function orderOf(points: Points, parameters: Pruning): Int32Array {
  const all = Int32Array.from({ length: points.count }, (_, i) => i)
  const ordered = parameters.type === 'LargeToSmall' || parameters.type === 'SmallToLarge'
  const steps = ordered ? sizes(points, parameters) : null
  if (!steps) return bySeed(points, all, parameters.random)
  const groups = new Map<number, number[]>()
  for (let row = 0; row < points.count; row++) {
    const step = steps[row] ?? 0
    const group = groups.get(step)
    if (group) group.push(row)
    else groups.set(step, [row])
  }
  const turn = parameters.type === 'LargeToSmall' ? -1 : 1
  let at = 0
  for (const [, rows] of [...groups].sort(([a], [b]) => turn * (a - b))) {
    all.set(bySeed(points, Int32Array.from(rows), parameters.random), at)
    at += rows.length
  }
  return all
}

/** Cells of the size of an ordinary box, in a hash: each kept box is entered in the cells it touches. */
function greedy(points: Points, order: Int32Array): Uint8Array {
  const boxes = densityBoxes(points)
  let wide = 0
  for (let o = 0; o < boxes.length; o += 6)
    wide += (boxes[o + 3] ?? 0) - (boxes[o] ?? 0) + (boxes[o + 4] ?? 0) - (boxes[o + 1] ?? 0)
  const cell = Math.max(1e-6, wide / Math.max(1, 2 * points.count))
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
    const o = row * 6
    const ax = boxes[o] ?? 0
    const ay = boxes[o + 1] ?? 0
    const az = boxes[o + 2] ?? 0
    const bx = boxes[o + 3] ?? 0
    const by = boxes[o + 4] ?? 0
    const bz = boxes[o + 5] ?? 0
    const x0 = Math.floor(ax / cell)
    const x1 = Math.floor(bx / cell)
    const y0 = Math.floor(ay / cell)
    const y1 = Math.floor(by / cell)
    let free = true
    for (let y = y0; y <= y1 && free; y++)
      for (let x = x0; x <= x1 && free; x++)
        for (
          let e = heads[(Math.imul(x, 73856093) ^ Math.imul(y, 19349663)) & mask] ?? -1;
          e >= 0;
          e = nexts[e] ?? -1
        ) {
          const t = (entries[e] ?? 0) * 6
          if (
            ax < (boxes[t + 3] ?? 0) &&
            bx > (boxes[t] ?? 0) &&
            ay < (boxes[t + 4] ?? 0) &&
            by > (boxes[t + 1] ?? 0) &&
            az < (boxes[t + 5] ?? 0) &&
            bz > (boxes[t + 2] ?? 0)
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
