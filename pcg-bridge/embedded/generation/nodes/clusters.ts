// Clusters of points by place: k-means, or a mixture of normal distributions (EM).
import { type Execute, flag, type NodeContext, type NodeTable, num, points, pointsOn, str } from '../context.ts'
import { type Column, each, own, pointsOf, withAttribute } from '../points.ts'
import { stream } from '../random.ts'

type Places = { readonly at: Float64Array; readonly count: number }
type Found = { readonly centers: Float64Array; readonly owner: Float64Array }
type Limits = { readonly rounds: number; readonly tolerance: number }

const farthest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? 0))), 0)

function squared({ at }: Places, row: number, centers: Float64Array, c: number): number {
  let sum = 0
  for (let k = 0; k < 3; k++) sum += ((at[row * 3 + k] ?? 0) - (centers[c * 3 + k] ?? 0)) ** 2
  return sum
}

/** Each point belongs to the nearest centre, each centre is the mean of its points; a centre without points stays. */
function kMeans(places: Places, start: Float64Array, { rounds, tolerance }: Limits): Found {
  const owner = new Float64Array(places.count)
  let centers = start
  for (let n = 0; n < rounds && places.count > 0; n++) {
    const before: Float64Array = centers
    const [sums, counts] = [new Float64Array(before.length), new Float64Array(before.length / 3)]
    for (let row = 0; row < places.count; row++) {
      let [best, least] = [0, Infinity]
      for (let c = 0; c < counts.length; c++) {
        const d = squared(places, row, before, c)
        if (d < least) [best, least] = [c, d]
      }
      owner[row] = best
      counts[best] = (counts[best] ?? 0) + 1
      for (let k = 0; k < 3; k++) sums[best * 3 + k] = (sums[best * 3 + k] ?? 0) + (places.at[row * 3 + k] ?? 0)
    }
    centers = sums.map((sum, i) => {
      const size = counts[Math.floor(i / 3)] ?? 0
      return size > 0 ? sum / size : (before[i] ?? 0)
    })
    if (farthest(centers, before) <= tolerance) break
  }
  return { centers, owner }
}

/** A cluster that shrinks to one place would have no width: the least is a millionth of that of all points. */
const LEAST_WIDTH = 1e-6

type Mixture = { readonly centers: Float64Array; readonly widths: Float64Array; readonly shares: Float64Array }

/** How likely each cluster made the point, in sum 1; over logarithms, because far points underflow. */
function responsibilities(places: Places, row: number, { centers, widths, shares }: Mixture): Float64Array {
  const logs = shares.map((share, c) => {
    const width = widths[c] ?? 1
    return Math.log(share) - 1.5 * Math.log(width) - squared(places, row, centers, c) / (2 * width)
  })
  const most = Math.max(...logs)
  const parts = logs.map((log) => Math.exp(log - most))
  const total = parts.reduce((sum, part) => sum + part, 0)
  return parts.map((part) => part / total)
}

/** A normal distribution for each cluster, as wide in all directions; each starts as wide as all points. */
function mixture(places: Places, start: Float64Array, { rounds, tolerance }: Limits): Found {
  const clusters = start.length / 3
  const owner = new Float64Array(places.count)
  const all = widthOfAll(places)
  let now: Mixture = {
    centers: start,
    widths: new Float64Array(clusters).fill(all),
    shares: new Float64Array(clusters).fill(1 / clusters),
  }
  for (let n = 0; n < rounds && places.count > 0; n++) {
    const weights = Array.from({ length: places.count }, (_, row) => responsibilities(places, row, now))
    for (const [row, parts] of weights.entries()) owner[row] = parts.indexOf(Math.max(...parts))
    const before = now.centers
    now = maximized(places, weights, now, all * LEAST_WIDTH)
    if (farthest(now.centers, before) <= tolerance) break
  }
  return { centers: now.centers, owner }
}

function widthOfAll({ at, count }: Places): number {
  let width = 0
  for (let k = 0; k < 3; k++) {
    let [sum, squares] = [0, 0]
    for (let row = 0; row < count; row++) sum += at[row * 3 + k] ?? 0
    for (let row = 0; row < count; row++) squares += ((at[row * 3 + k] ?? 0) - sum / count) ** 2
    width += squares / Math.max(1, count) / 3
  }
  return width || 1
}

function maximized(places: Places, weights: readonly Float64Array[], before: Mixture, least: number): Mixture {
  const clusters = before.shares.length
  const [centers, widths, shares] = [before.centers.slice(), before.widths.slice(), before.shares.slice()]
  for (let c = 0; c < clusters; c++) {
    const total = weights.reduce((sum, parts) => sum + (parts[c] ?? 0), 0)
    shares[c] = Math.max(total / places.count, Number.MIN_VALUE)
    // No point belongs to it: it stays where it is.
    if (total < 1e-12) continue
    for (let k = 0; k < 3; k++)
      centers[c * 3 + k] =
        weights.reduce((sum, parts, row) => sum + (parts[c] ?? 0) * (places.at[row * 3 + k] ?? 0), 0) / total
    const spread = weights.reduce((sum, parts, row) => sum + (parts[c] ?? 0) * squared(places, row, centers, c), 0)
    widths[c] = Math.max(least, spread / total / 3)
  }
  return { centers, widths, shares }
}

/** From the centroids given, or from points drawn. */
function startOf(places: Places, context: NodeContext): Float64Array {
  const given = pointsOn(context, 'Initial Centroids')[0]?.points
  if (given) return own(given.position, given.count, 3)
  const wanted = Math.min(places.count, Math.max(1, num(context, 'NumClusters')))
  const random = stream(context.seed)
  const rows = Array.from({ length: wanted }, () => random.integer(places.count))
  return Float64Array.from(rows.flatMap((row) => [...places.at.subarray(row * 3, row * 3 + 3)]))
}

const cluster: Execute = (context) =>
  pointsOn(context, 'In').flatMap(({ points: given, tags }) => {
    const places: Places = { at: own(given.position, given.count, 3), count: given.count }
    const limits: Limits = { rounds: num(context, 'MaxIterations'), tolerance: num(context, 'Tolerance') }
    const find = str(context, 'Algorithm') === 'Em' ? mixture : kMeans
    const { centers, owner } = find(places, startOf(places, context), limits)
    const whole = (data: Float64Array): Column => ({ type: 'Integer32', width: 1, data, step: 1 })
    const name = str(context, 'ClusterAttribute') || 'ClusterId'
    const marked = points(withAttribute(given, name, whole(owner)), tags)
    if (!flag(context, 'bOutputFinalCentroids')) return [marked]
    const made = pointsOf(centers.length / 3, { position: each(centers, 3) })
    const sizes = new Float64Array(centers.length / 3)
    for (const at of owner) sizes[at] = (sizes[at] ?? 0) + 1
    const counted = flag(context, 'bOutputFinalCentroidElementCount')
    const count = str(context, 'FinalCentroidElementCountAttribute') || 'ElementCount'
    return [marked, points(counted ? withAttribute(made, count, whole(sizes)) : made, tags, 'Final Centroids')]
  })

export const clusters: NodeTable = { PCGClusterSettings: cluster }
