// Self pruning: of points that overlap, the larger (or the smaller) stay.

import { isRecord } from '../../settings.ts'
import { type NodeTable, perPoints } from '../context.ts'
import { densityBoxes } from '../point-index.ts'
import { type Points, pick, rowsWhere } from '../points.ts'
import { numbers, readSelector } from '../selector.ts'

type Parameters_ = {
  readonly type: string
  readonly similarity: number
  readonly random: boolean
  readonly source: string
}

function parametersOf(settings: unknown): Parameters_ {
  const given = isRecord(settings) ? settings : {}
  return {
    type: typeof given['PruningType'] === 'string' ? given['PruningType'] : 'LargeToSmall',
    similarity: typeof given['RadiusSimilarityFactor'] === 'number' ? given['RadiusSimilarityFactor'] : 0.25,
    random: given['bRandomizedPruning'] !== false,
    source: typeof given['ComparisonSource'] === 'string' ? given['ComparisonSource'] : '$Extents',
  }
}

/** Squared length of the source per point, in logarithmic steps in which sizes count as equal. */
function sizes(points: Points, { source, similarity }: Parameters_): Float64Array | null {
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

function orderOf(points: Points, parameters: Parameters_): Int32Array {
  const order = Int32Array.from({ length: points.count }, (_, i) => i)
  const ordered = parameters.type === 'LargeToSmall' || parameters.type === 'SmallToLarge'
  const steps = ordered ? sizes(points, parameters) : null
  const turn = parameters.type === 'LargeToSmall' ? -1 : 1
  const { data: seeds, step } = points.seed
  if (!steps && !parameters.random) return order
  return order.sort((a, b) => {
    const bySize = steps ? turn * ((steps[a] ?? 0) - (steps[b] ?? 0)) : 0
    if (bySize !== 0) return bySize
    const bySeed = parameters.random ? (seeds[a * step] ?? 0) - (seeds[b * step] ?? 0) : 0
    return bySeed !== 0 ? bySeed : a - b
  })
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
    const [ax, ay, az, bx, by, bz] = [
      boxes[o] ?? 0,
      boxes[o + 1] ?? 0,
      boxes[o + 2] ?? 0,
      boxes[o + 3] ?? 0,
      boxes[o + 4] ?? 0,
      boxes[o + 5] ?? 0,
    ]
    const [x0, x1] = [Math.floor(ax / cell), Math.floor(bx / cell)]
    const [y0, y1] = [Math.floor(ay / cell), Math.floor(by / cell)]
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
          const [more, after] = [new Int32Array(used * 2), new Int32Array(used * 2)]
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
