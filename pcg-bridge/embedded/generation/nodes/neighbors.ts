// Nodes in which points look at their neighbours: averages, attraction, hulls.
import { isRecord } from '../../../editor/settings.ts'
import {
  type Execute,
  flag,
  type NodeContext,
  type NodeTable,
  num,
  perPoints,
  points,
  pointsOn,
  str,
} from '../context.ts'
import { cellGrid } from '../point-index.ts'
import { each, own, type Points, pick, rowsWhere, withAttribute } from '../points.ts'
import { addTurned } from '../rotation.ts'
import { numbers, readSelector, writeSelector } from '../selector.ts'

/** Calls `visit` for every ordered pair of points that are at most `reach` apart. */
function pairs(
  given: Points,
  others: Points,
  reach: number,
  visit: (row: number, other: number, distance: number) => void,
): void {
  const at = own(others.position, others.count, 3)
  const boxes = new Float64Array(others.count * 6)
  for (let i = 0; i < others.count; i++)
    for (let k = 0; k < 3; k++) boxes[i * 6 + k] = boxes[i * 6 + 3 + k] = at[i * 3 + k] ?? 0
  const grid = cellGrid(boxes)
  const from = own(given.position, given.count, 3)
  for (let row = 0; row < given.count; row++) {
    const [x, y, z] = [from[row * 3] ?? 0, from[row * 3 + 1] ?? 0, from[row * 3 + 2] ?? 0]
    grid.near(x - reach, y - reach, x + reach, y + reach, (other) => {
      const d = Math.hypot((at[other * 3] ?? 0) - x, (at[other * 3 + 1] ?? 0) - y, (at[other * 3 + 2] ?? 0) - z)
      if (d <= reach) visit(row, other, d)
    })
  }
}

const neighborhood = perPoints((given, context) => {
  const reach = num(context, 'SearchDistance')
  const weighted = flag(context, 'bWeightedAverage')
  const [sum, place, density, color, gap] = [1, 3, 1, 4, 1].map((width) => new Float64Array(given.count * width))
  if (!sum || !place || !density || !color || !gap) return given
  const [P, D, C] = [given.position, given.density, given.color]
  pairs(given, given, reach, (row, other, distance) => {
    const weight = weighted ? 1 - distance / Math.max(reach, 1e-9) : 1
    sum[row] = (sum[row] ?? 0) + weight
    for (let k = 0; k < 3; k++)
      place[row * 3 + k] = (place[row * 3 + k] ?? 0) + weight * (P.data[other * P.step + k] ?? 0)
    for (let k = 0; k < 4; k++)
      color[row * 4 + k] = (color[row * 4 + k] ?? 0) + weight * (C.data[other * C.step + k] ?? 0)
    density[row] = (density[row] ?? 0) + weight * (D.data[other * D.step] ?? 0)
    gap[row] = (gap[row] ?? 0) + weight * distance
  })
  for (let row = 0; row < given.count; row++) {
    const total = sum[row] || 1
    for (let k = 0; k < 3; k++) place[row * 3 + k] = (place[row * 3 + k] ?? 0) / total
    for (let k = 0; k < 4; k++) color[row * 4 + k] = (color[row * 4 + k] ?? 0) / total
    density[row] = (density[row] ?? 0) / total
    gap[row] = (gap[row] ?? 0) / total
  }
  const mode = str(context, 'SetDensity')
  let result: Points = { ...given }
  if (mode === 'SetAverageDensity') result = { ...result, density: each(Float32Array.from(density), 1) }
  if (mode === 'SetNormalizedDistanceToDensity')
    result = {
      ...result,
      density: each(
        Float32Array.from(gap, (value) => value / Math.max(reach, 1e-9)),
        1,
      ),
    }
  if (flag(context, 'bSetAverageColor')) result = { ...result, color: each(Float32Array.from(color), 4) }
  if (flag(context, 'bSetDistanceToAttribute'))
    result = withAttribute(result, str(context, 'DistanceAttribute'), { type: 'Double', width: 1, data: gap, step: 1 })
  if (flag(context, 'bSetAveragePositionToAttribute'))
    result = withAttribute(result, str(context, 'AveragePositionAttribute'), {
      type: 'Vector',
      width: 3,
      data: place,
      step: 3,
    })
  return flag(context, 'bSetAveragePosition') ? { ...result, position: each(place, 3) } : result
})

/** Each value becomes the average of those around it, as often as asked. */
const blur = perPoints((given, context) => {
  const reach = num(context, 'SearchDistance')
  const mode = str(context, 'BlurMode')
  const deviation = flag(context, 'bUseCustomStandardDeviation') ? num(context, 'CustomStandardDeviation') : reach / 3
  const weightOf = (distance: number) =>
    mode === 'Linear'
      ? Math.max(0, 1 - distance / Math.max(reach, 1e-9))
      : mode === 'Gaussian'
        ? Math.exp(-(distance * distance) / (2 * deviation * deviation || 1))
        : 1
  let result = given
  for (let n = 0; n < num(context, 'NumIterations'); n++) {
    const column = readSelector(result, str(context, 'InputSource'))
    if (!column || column.texts) {
      context.warn(`'${str(context, 'InputSource')}' matches no attribute`)
      return result
    }
    const { width } = column
    const values = numbers(column, given.count, width)
    const [sum, total] = [new Float64Array(values.length), new Float64Array(given.count)]
    pairs(given, given, reach, (row, other, distance) => {
      const weight = weightOf(distance)
      total[row] = (total[row] ?? 0) + weight
      for (let c = 0; c < width; c++)
        sum[row * width + c] = (sum[row * width + c] ?? 0) + weight * (values[other * width + c] ?? 0)
    })
    const data = sum.map((value, i) => value / (total[Math.floor(i / width)] || 1))
    result =
      writeSelector(
        result,
        str(context, 'OutputTarget') || '@Source',
        { type: column.type, width, data, step: width },
        str(context, 'InputSource'),
      ) ?? result
  }
  return result
})

/** The target of each point, -1 for none: the nearest or the extreme one in reach, or the one an attribute names. */
function attractors(given: Points, target: Points, context: NodeContext): Int32Array {
  const mode = str(context, 'Mode')
  const found = new Int32Array(given.count).fill(-1)
  if (mode === 'FromIndex') {
    const column = readSelector(given, str(context, 'AttractorIndexAttribute'))
    const indices = column ? numbers(column, given.count, 1) : new Float64Array(0)
    return found.map((none, row) => {
      const at = indices[row] ?? -1
      return at >= 0 && at < target.count ? Math.trunc(at) : none
    })
  }
  const best = new Float64Array(given.count).fill(Infinity)
  const value = mode === 'Closest' ? undefined : readSelector(target, str(context, 'TargetAttribute'))
  const score = value ? numbers(value, target.count, 1) : null
  pairs(given, target, num(context, 'Distance'), (row, other, distance) => {
    const cost = score ? (mode === 'MaxAttribute' ? -1 : 1) * (score[other] ?? 0) : distance
    if (cost < (best[row] ?? Infinity)) {
      best[row] = cost
      found[row] = other
    }
  })
  return found
}

/** With weights of their own, source and target share the way: alpha is wt / (ws + wt). */
function alphas(given: Points, target: Points, found: Int32Array, context: NodeContext): Float64Array {
  const weights = (of: Points, use: string, attribute: string) => {
    const column = flag(context, use) ? readSelector(of, str(context, attribute)) : undefined
    return column ? numbers(column, of.count, 1) : null
  }
  const own = weights(given, 'bUseSourceWeight', 'SourceWeightAttribute')
  const others = weights(target, 'bUseTargetWeight', 'TargetWeightAttribute')
  const fixed = num(context, 'Weight')
  return Float64Array.from(found, (other, row) => {
    if (!own && !others) return fixed
    const [a, b] = [own?.[row] ?? 1, others?.[other] ?? 1]
    return a + b === 0 ? 0 : b / (a + b)
  })
}

function attracted(given: Points, target: Points, context: NodeContext): Points {
  const found = attractors(given, target, context)
  const alpha = alphas(given, target, found, context)
  const mapping = context.settings['SourceAndTargetAttributeMapping']
  const mapped = Object.entries(isRecord(mapping) ? mapping : { $Position: '$Position' })
  let result: Points = mapped.reduce<Points>((before, [from, to]) => {
    const [own, other] = [readSelector(given, from), readSelector(target, String(to))]
    if (!own || !other || own.texts || other.texts) return before
    const { width } = own
    const [values, goals] = [numbers(own, given.count, width), numbers(other, target.count, width)]
    for (let i = 0; i < values.length; i++) {
      const row = Math.floor(i / width)
      const at = found[row] ?? -1
      if (at < 0) continue
      const old = values[i] ?? 0
      values[i] = old + ((goals[at * width + (i % width)] ?? 0) - old) * (alpha[row] ?? 0)
    }
    return writeSelector(before, from, { type: own.type, width, data: values, step: width }) ?? before
  }, given)
  if (flag(context, 'bOutputAttractIndex'))
    result = withAttribute(result, str(context, 'OutputAttractIndexAttribute') || 'AttractIndex', {
      type: 'Integer32',
      width: 1,
      data: Float64Array.from(found),
      step: 1,
    })
  return flag(context, 'bRemoveUnattractedPoints')
    ? pick(
        result,
        rowsWhere(given.count, (row) => (found[row] ?? -1) >= 0),
      )
    : result
}

const attract: Execute = (context) => {
  const targets = pointsOn(context, 'Target')
  return pointsOn(context, 'Source').map(({ points: given, tags }, i) => {
    const target = targets[targets.length === 1 ? 0 : i]
    return points(target ? attracted(given, target.points, context) : given, tags)
  })
}

/** The points of the outline seen from above, counter-clockwise. */
const hull = perPoints((given) => {
  const at = own(given.position, given.count, 3)
  const order = Array.from({ length: given.count }, (_, row) => row).sort(
    (a, b) => (at[a * 3] ?? 0) - (at[b * 3] ?? 0) || (at[a * 3 + 1] ?? 0) - (at[b * 3 + 1] ?? 0),
  )
  const turn = (a: number, b: number, c: number) =>
    ((at[b * 3] ?? 0) - (at[a * 3] ?? 0)) * ((at[c * 3 + 1] ?? 0) - (at[a * 3 + 1] ?? 0)) -
    ((at[b * 3 + 1] ?? 0) - (at[a * 3 + 1] ?? 0)) * ((at[c * 3] ?? 0) - (at[a * 3] ?? 0))
  const half = (rows: readonly number[]) => {
    const kept: number[] = []
    for (const row of rows) {
      while (kept.length >= 2 && turn(kept.at(-2) ?? 0, kept.at(-1) ?? 0, row) <= 0) kept.pop()
      kept.push(row)
    }
    return kept.slice(0, -1)
  }
  const rows = order.length < 3 ? order : [...half(order), ...half([...order].reverse())]
  return pick(given, Int32Array.from(rows))
})

/** The point that is compared: the position, or the middle of the box. */
function comparedAt(given: Points, context: NodeContext): Points {
  if (str(context, 'ComparisonMode') !== 'Center') return given
  const column = readSelector(given, '$LocalCenter')
  const centers = column ? numbers(column, given.count, 3) : new Float64Array(given.count * 3)
  const position = own(given.position, given.count, 3)
  const scale = own(given.scale, given.count, 3)
  const rotation = own(given.rotation, given.count, 4)
  for (let row = 0; row < given.count; row++) {
    const local = [0, 1, 2].map((k) => (centers[row * 3 + k] ?? 0) * (scale[row * 3 + k] ?? 1))
    addTurned(position, row * 3, local[0] ?? 0, local[1] ?? 0, local[2] ?? 0, rotation, row * 4)
  }
  return { ...given, position: each(position, 3) }
}

/** The closest pairs below the threshold become one point each, between them by their weights, until none is left. */
function collapsed(given: Points, context: NodeContext, weights = weightsOf(given, context)): Points {
  const found: { a: number; b: number; distance: number }[] = []
  const compared = comparedAt(given, context)
  pairs(compared, compared, num(context, 'DistanceThreshold'), (a, b, distance) => {
    if (a < b) found.push({ a, b, distance })
  })
  if (found.length === 0) return given
  found.sort((x, y) => x.distance - y.distance || x.a - y.a || x.b - y.b)
  const [gone, used] = [new Uint8Array(given.count), new Uint8Array(given.count)]
  const position = own(given.position, given.count, 3)
  for (const { a, b } of found) {
    if (used[a] || used[b]) continue
    used[a] = used[b] = gone[b] = 1
    const [wa, wb] = [weights[a] ?? 1, weights[b] ?? 1]
    const share = wa + wb === 0 ? 0.5 : wb / (wa + wb)
    for (let k = 0; k < 3; k++) {
      const from = position[a * 3 + k] ?? 0
      position[a * 3 + k] = from + ((position[b * 3 + k] ?? 0) - from) * share
    }
    weights[a] = wa + wb
  }
  const rows = rowsWhere(given.count, (row) => gone[row] === 0)
  return collapsed(
    pick({ ...given, position: each(position, 3) }, rows),
    context,
    Float64Array.from(rows, (row) => weights[row] ?? 1),
  )
}

function weightsOf(given: Points, context: NodeContext): Float64Array {
  const named = flag(context, 'bUseMergeWeightAttribute') ? str(context, 'MergeWeightAttribute') : ''
  const column = named === '' ? undefined : readSelector(given, named)
  return column ? numbers(column, given.count, 1) : new Float64Array(given.count).fill(1)
}

export const neighbors: NodeTable = {
  PCGPointNeighborhoodSettings: neighborhood,
  PCGBlurSettings: blur,
  PCGAttractSettings: attract,
  PCGConvexHull2DSettings: hull,
  PCGCollapsePointsSettings: perPoints((given, context) => collapsed(given, context)),
}
