// The cheapest way from point to point: A* over points that are near each other.
import { type Execute, flag, type NodeContext, type NodeTable, num, out, points, str, vec } from '../context.ts'
import { createCurve } from '../curve.ts'
import { tableOf } from '../data.ts'
import { each, type Points, pick, pointsOf } from '../points.ts'
import { seedFromPosition } from '../random.ts'
import type { Vec } from '../rotation.ts'
import { numbers, readSelector } from '../selector.ts'

const far = (a: Vec, b: Vec): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
const ORIGIN: Vec = [0, 0, 0]

function placesOf(list: Float64Array): Vec[] {
  return Array.from({ length: list.length / 3 }, (_, i) => [
    list[i * 3] ?? 0,
    list[i * 3 + 1] ?? 0,
    list[i * 3 + 2] ?? 0,
  ])
}

/** Places on a pin, by attribute; points without the attribute stand for themselves. */
function ends(context: NodeContext, pin: string, asInput: string, attribute: string, constant: string): Vec[] {
  if (!flag(context, asInput)) return [vec(context, constant)]
  return context.input(pin).flatMap((item) => {
    const table = tableOf(item.data)
    const column = table && (readSelector(table, str(context, attribute)) ?? readSelector(table, '$Position'))
    return table && column ? placesOf(numbers(column, table.count, 3)) : []
  })
}

/** Cells as wide as the reach: neighbours are in the cell of a place and those around it. */
function nearTo(places: readonly Vec[], reach: number): (place: Vec) => number[] {
  const cells = new Map<string, number[]>()
  const key = (x: number, y: number, z: number) => `${x},${y},${z}`
  const cell = (value: number) => Math.floor(value / reach)
  for (const [i, [x, y, z]] of places.entries()) {
    const name = key(cell(x), cell(y), cell(z))
    const list = cells.get(name)
    if (list) list.push(i)
    else cells.set(name, [i])
  }
  return ([x, y, z]) => {
    const found: number[] = []
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        for (let k = -1; k <= 1; k++) found.push(...(cells.get(key(cell(x) + i, cell(y) + j, cell(z) + k)) ?? []))
    return found.filter((at) => far(places[at] ?? ORIGIN, [x, y, z]) <= reach).sort((a, b) => a - b)
  }
}

/** What a way to a point costs for each centimetre. */
function costs(given: Points, context: NodeContext): Float64Array {
  const mode = str(context, 'CostFunctionMode')
  const column = mode === 'Distance' ? undefined : readSelector(given, str(context, 'CostAttribute'))
  if (mode !== 'Distance' && !column) context.warn('CostAttribute matches no attribute: distance alone counts')
  const values = column ? numbers(column, given.count, 1) : null
  const penalty = num(context, 'MaximumFitnessPenaltyFactor')
  return Float64Array.from({ length: given.count }, (_, row) => {
    if (!values) return 1
    const value = values[row] ?? 0
    return mode === 'CostMultiplier' ? Math.max(0, value) : 1 + (1 - Math.min(1, Math.max(0, value))) * penalty
  })
}

type Queue = { push(at: number, rank: number): void; pop(): number | undefined }
/** The least rank first; of equal ones the one with the lower number. */
function queue(): Queue {
  const heap: { at: number; rank: number }[] = []
  const before = (a: number, b: number) => {
    const [x, y] = [heap[a], heap[b]]
    return x !== undefined && y !== undefined && (x.rank < y.rank || (x.rank === y.rank && x.at < y.at))
  }
  const swap = (a: number, b: number) => {
    const [x, y] = [heap[a], heap[b]]
    if (x && y) [heap[a], heap[b]] = [y, x]
  }
  return {
    push(at, rank) {
      heap.push({ at, rank })
      for (let i = heap.length - 1; i > 0 && before(i, (i - 1) >> 1); i = (i - 1) >> 1) swap(i, (i - 1) >> 1)
    },
    pop() {
      const first = heap[0]
      const last = heap.pop()
      if (last && heap.length > 0) heap[0] = last
      for (let i = 0; ; ) {
        const child = before(2 * i + 2, 2 * i + 1) ? 2 * i + 2 : 2 * i + 1
        if (!before(child, i)) break
        swap(i, child)
        i = child
      }
      return first?.at
    },
  }
}

type Search = {
  readonly places: readonly Vec[]
  readonly cost: Float64Array
  readonly near: (place: Vec) => number[]
  readonly reach: number
}

/** Rows from start to goal; the start and the goal are no rows. Null where there is no way at all. */
function find(
  { places, cost, near, reach }: Search,
  start: Vec,
  goal: Vec,
  context: NodeContext,
): { rows: number[]; whole: boolean } | null {
  const weight = Math.max(0, num(context, 'HeuristicWeight'))
  const paid = new Float64Array(places.length).fill(Number.POSITIVE_INFINITY)
  const from = new Int32Array(places.length).fill(-1)
  const done = new Uint8Array(places.length)
  const open = queue()
  const rank = (at: number) => (paid[at] ?? 0) + weight * far(places[at] ?? ORIGIN, goal)
  for (const at of near(start)) {
    paid[at] = far(start, places[at] ?? ORIGIN) * (cost[at] ?? 1)
    open.push(at, rank(at))
  }
  let [best, total] = [-1, far(start, goal) <= reach ? far(start, goal) : Number.POSITIVE_INFINITY]
  let [closest, gap] = [-1, far(start, goal)]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (done[at]) continue
    done[at] = 1
    const place = places[at] ?? ORIGIN
    const left = far(place, goal)
    if (left < gap) [closest, gap] = [at, left]
    if (left <= reach && (paid[at] ?? 0) + left < total) [best, total] = [at, (paid[at] ?? 0) + left]
    if (rank(at) >= total) break
    for (const next of near(place)) {
      const price = (paid[at] ?? 0) + far(place, places[next] ?? ORIGIN) * (cost[next] ?? 1)
      if (done[next] || price >= (paid[next] ?? 0)) continue
      paid[next] = price
      from[next] = at
      open.push(next, rank(next))
    }
  }
  const whole = total < Number.POSITIVE_INFINITY
  if (!whole && (closest < 0 || !flag(context, 'bAcceptPartialPath'))) return null
  const rows: number[] = []
  for (let at = whole ? best : closest; at >= 0; at = from[at] ?? -1) rows.unshift(at)
  return { rows, whole }
}

const pathfinding: Execute = (context) => {
  const reach = num(context, 'SearchDistance')
  const starts = ends(context, 'Start', 'bStartLocationsAsInput', 'StartLocationAttribute', 'Start')
  const goals = ends(context, 'Goal', 'bGoalLocationsAsInput', 'GoalLocationAttribute', 'Goal')
  if (!(reach > 0) || starts.length === 0 || goals.length === 0) {
    context.warn('There is no start, no goal or no distance to search within')
    return []
  }
  return context.input('In').flatMap((item) => {
    if (item.data.kind !== 'Point') return []
    const given = item.data.points
    const places = placesOf(numbers({ type: 'Vector', width: 3, ...given.position }, given.count, 3))
    const search: Search = { places, cost: costs(given, context), near: nearTo(places, reach), reach }
    const nearest = (start: Vec) => goals.reduce((a, b) => (far(start, b) < far(start, a) ? b : a))
    const pairs = starts.flatMap((start) =>
      str(context, 'GoalMappingMode') === 'EachStartToNearestGoal'
        ? [[start, nearest(start)] as const]
        : goals.map((goal) => [start, goal] as const),
    )
    context.budget.take(pairs.length)
    return pairs.flatMap(([start, goal]) => {
      const found = find(search, start, goal, context)
      if (!found) {
        context.warn('There is no way to the goal')
        return []
      }
      const line = [start, ...found.rows.map((row) => places[row] ?? ORIGIN), ...(found.whole ? [goal] : [])]
      if (flag(context, 'bOutputAsSpline')) {
        const curve = createCurve(line, false, { linear: str(context, 'SplineMode') === 'Linear' })
        return [out({ kind: 'Spline', curve }, item.tags)]
      }
      if (flag(context, 'bCopyOriginatingPoints')) return [points(pick(given, Int32Array.from(found.rows)), item.tags)]
      const seed = Int32Array.from(line, (place) => seedFromPosition(...place))
      return [
        points(
          pointsOf(line.length, { position: each(Float64Array.from(line.flat()), 3), seed: each(seed, 1) }),
          item.tags,
        ),
      ]
    })
  })
}

export const pathfindingNodes: NodeTable = { PCGPathfindingSettings: pathfinding }
