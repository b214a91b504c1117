// Points per second of an ordinary graph, against the same arithmetic written by hand as loops over typed arrays.
import { pathToFileURL } from 'node:url'
import { benchPlan } from './bench-plan.ts'
import type { GraphDoc } from './editor/document.ts'
import { fractionOf, next, seed2, seed3 } from './embedded/generation/random.ts'
import { run } from './embedded/generation/run.ts'

export type PcgBench = {
  readonly points: number
  readonly engineMs: number
  readonly byHandMs: number
  readonly enginePointsPerSecond: number
  readonly byHandPointsPerSecond: number
  /** Above one: the engine is faster. */
  readonly ratio: number
  /** Both made as many points in the end. */
  readonly agree: boolean
}

export const CELL = 100
const [SEED, COMPONENT_SEED, HALF, SPREAD] = [42, 42, 50, 50]
const NODES: GraphDoc['nodes'] = [
  { name: 'Sample', class: 'PCGSurfaceSamplerSettings', properties: { PointsPerSquaredMeter: 1, Looseness: 1 } },
  {
    name: 'Transform',
    class: 'PCGTransformPointsSettings',
    properties: { OffsetMin: [-SPREAD, -SPREAD, 0], OffsetMax: [SPREAD, SPREAD, 0], RotationMax: [0, 360, 0] },
  },
  { name: 'Noise', class: 'PCGDensityNoiseSettings', properties: {} },
  { name: 'Filter', class: 'PCGDensityFilterSettings', properties: { LowerBound: 0.5 } },
  { name: 'Prune', class: 'PCGSelfPruningSettings', properties: {} },
  { name: 'Targets', class: 'PCGCreatePointsGridSettings', properties: { GridExtents: [100, 50, 50] } },
  { name: 'Copy', class: 'PCGCopyPointsSettings', properties: {} },
]
const EDGES = [
  ['DefaultInputNode', 'In', 'Sample', 'Surface'],
  ['Sample', 'Out', 'Transform', 'In'],
  ['Transform', 'Out', 'Noise', 'In'],
  ['Noise', 'Out', 'Filter', 'In'],
  ['Filter', 'Out', 'Prune', 'In'],
  ['Prune', 'Out', 'Copy', 'Source'],
  ['Targets', 'Out', 'Copy', 'Target'],
  ['Copy', 'Out', 'DefaultOutputNode', 'Out'],
].map(([from = '', fromPin = '', to = '', toPin = '']) => ({ from, fromPin, to, toPin }))

export const benchGraph = { nodes: NODES, edges: EDGES }

function engine(side: number, onNode: () => void = () => undefined): number {
  const plan = benchPlan({ nodes: NODES, edges: EDGES, halfSize: side, seed: COMPONENT_SEED })
  const result = run({ plan, limits: { maxPoints: 20_000_000 } }, onNode)
  return result.output[0]?.rows ?? 0
}

/** The same steps for the same numbers, knowing all settings beforehand. */
function byHand(side: number): number {
  const seed = seed2(SEED, COMPONENT_SEED)
  const [first, last] = [Math.ceil(-side / CELL), Math.floor(side / CELL)]
  const most = (last - first + 1) ** 2
  const position = new Float64Array(most * 3)
  const rotation = new Float64Array(most * 4)
  const density = new Float32Array(most)
  const seeds = new Int32Array(most)
  let count = 0
  for (let iy = first; iy <= last; iy++)
    for (let ix = first; ix <= last; ix++) {
      let state = next(seed3(seed, ix, iy))
      state = next(state)
      const x = ix * CELL + fractionOf(state) * (CELL - 2 * HALF)
      state = next(state)
      const y = iy * CELL + fractionOf(state) * (CELL - 2 * HALF)
      if (x < -side || x > side || y < -side || y > side) continue
      position[count * 3] = x
      position[count * 3 + 1] = y
      position[count * 3 + 2] = 1000
      seeds[count] = state
      count += 1
    }
  for (let i = 0; i < count; i++) {
    let state = next(seed2(seed, seeds[i] ?? 0))
    position[i * 3] = (position[i * 3] ?? 0) - SPREAD + 2 * SPREAD * fractionOf(state)
    state = next(state)
    position[i * 3 + 1] = (position[i * 3 + 1] ?? 0) - SPREAD + 2 * SPREAD * fractionOf(state)
    state = next(next(next(state)))
    const half = (360 * fractionOf(state) * Math.PI) / 360
    rotation[i * 4 + 2] = Math.sin(half)
    rotation[i * 4 + 3] = Math.cos(half)
  }
  const rows = new Int32Array(count)
  let kept = 0
  for (let i = 0; i < count; i++) {
    const noise = fractionOf(next(seed2(seed, seeds[i] ?? 0)))
    density[i] = noise
    if (noise >= 0.5) rows[kept++] = i
  }
  const stays = pruneByHand(position, rotation, seeds, rows.subarray(0, kept))
  return copyByHand(position, rotation, density, seeds, stays)
}

function pruneByHand(position: Float64Array, rotation: Float64Array, seeds: Int32Array, rows: Int32Array): Int32Array {
  const n = rows.length
  const boxes = new Float64Array(n * 4)
  const keys = new Float64Array(n)
  let wide = 0
  for (let i = 0; i < n; i++) {
    const row = rows[i] ?? 0
    const [z, w] = [rotation[row * 4 + 2] ?? 0, rotation[row * 4 + 3] ?? 1]
    const reach = (Math.abs(1 - 2 * z * z) + Math.abs(2 * z * w)) * HALF * 1.5
    boxes[i * 4] = (position[row * 3] ?? 0) - reach
    boxes[i * 4 + 1] = (position[row * 3 + 1] ?? 0) - reach
    boxes[i * 4 + 2] = (position[row * 3] ?? 0) + reach
    boxes[i * 4 + 3] = (position[row * 3 + 1] ?? 0) + reach
    wide += 4 * reach
    keys[i] = ((seeds[row] ?? 0) + 2147483648) * 2097152 + i
  }
  keys.sort()
  const cell = Math.max(1e-6, wide / Math.max(1, 2 * n))
  let bits = 4
  while (1 << bits < n * 2 && bits < 24) bits += 1
  const mask = (1 << bits) - 1
  const heads = new Int32Array(1 << bits).fill(-1)
  const entries = new Int32Array(n * 9)
  const nexts = new Int32Array(n * 9)
  const stays = new Int32Array(n)
  let [used, kept] = [0, 0]
  for (let k = 0; k < n; k++) {
    const o = ((keys[k] ?? 0) % 2097152) * 4
    const [ax, ay, bx, by] = [boxes[o] ?? 0, boxes[o + 1] ?? 0, boxes[o + 2] ?? 0, boxes[o + 3] ?? 0]
    let free = true
    for (let y = Math.floor(ay / cell); y <= Math.floor(by / cell) && free; y++)
      for (let x = Math.floor(ax / cell); x <= Math.floor(bx / cell) && free; x++)
        for (
          let e = heads[(Math.imul(x, 73856093) ^ Math.imul(y, 19349663)) & mask] ?? -1;
          e >= 0;
          e = nexts[e] ?? -1
        ) {
          const t = (entries[e] ?? 0) * 4
          if (
            ax < (boxes[t + 2] ?? 0) &&
            bx > (boxes[t] ?? 0) &&
            ay < (boxes[t + 3] ?? 0) &&
            by > (boxes[t + 1] ?? 0)
          ) {
            free = false
            break
          }
        }
    if (!free) continue
    stays[kept++] = rows[o / 4] ?? 0
    for (let y = Math.floor(ay / cell); y <= Math.floor(by / cell); y++)
      for (let x = Math.floor(ax / cell); x <= Math.floor(bx / cell); x++) {
        const head = (Math.imul(x, 73856093) ^ Math.imul(y, 19349663)) & mask
        entries[used] = o / 4
        nexts[used] = heads[head] ?? -1
        heads[head] = used++
      }
  }
  return stays.subarray(0, kept).sort()
}

function copyByHand(
  position: Float64Array,
  rotation: Float64Array,
  density: Float32Array,
  seeds: Int32Array,
  stays: Int32Array,
): number {
  const count = stays.length * 2
  const [places, turns, densities, mixed] = [
    new Float64Array(count * 3),
    new Float64Array(count * 4),
    new Float32Array(count),
    new Int32Array(count),
  ]
  for (let i = 0, o = 0; i < stays.length; i++)
    for (let j = 0; j < 2; j++, o++) {
      const row = stays[i] ?? 0
      places[o * 3] = (position[row * 3] ?? 0) + (j === 0 ? -HALF : HALF)
      places[o * 3 + 1] = position[row * 3 + 1] ?? 0
      places[o * 3 + 2] = position[row * 3 + 2] ?? 0
      turns[o * 4 + 2] = rotation[row * 4 + 2] ?? 0
      turns[o * 4 + 3] = rotation[row * 4 + 3] ?? 0
      densities[o] = density[row] ?? 0
      mixed[o] = seed2(seeds[row] ?? 0, j)
    }
  return count
}

type Best = { readonly ms: number; readonly count: number }
/** The clock of a thread ticks in milliseconds: as many runs together as make a hundred of them. */
const MEASURABLE = 500_000
const LEAST_ROUNDS = 5
const LONG_ENOUGH_MS = 3000

/** Both alternately, in processor time of this thread, and the best of each: other load only adds to it. */
function best(ours: () => number, hand: () => number, together: number): readonly [Best, Best] {
  const timed = (of: () => number, before: Best): Best => {
    const started = process.threadCpuUsage()
    let count = 0
    for (let run = 0; run < together; run++) count = of()
    const { user, system } = process.threadCpuUsage(started)
    return { ms: Math.min(before.ms, (user + system) / 1000 / together), count }
  }
  let found: readonly [Best, Best] = [
    { ms: Number.POSITIVE_INFINITY, count: 0 },
    { ms: Number.POSITIVE_INFINITY, count: 0 },
  ]
  // Long enough for the compiler to be done with both: a generation thread stays warm between runs.
  const until = performance.now() + LONG_ENOUGH_MS
  for (let round = 0; round < LEAST_ROUNDS || performance.now() < until; round++)
    found = [timed(ours, found[0]), timed(hand, found[1])]
  return found
}

/** The loop by hand alone in wall time: the best of enough rounds for the compiler to be done with it. */
export function byHandMs(points: number): number {
  const side = (Math.sqrt(points) * CELL) / 2
  let best = Number.POSITIVE_INFINITY
  const until = performance.now() + LONG_ENOUGH_MS
  while (performance.now() < until) {
    const started = performance.now()
    byHand(side)
    best = Math.min(best, performance.now() - started)
  }
  return best
}

/** The most that columns took at the end of a node, garbage not yet collected included. */
export function peakColumnBytes(points = 1e6): number {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  engine((Math.sqrt(points) * CELL) / 2, () => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  })
  return most
}

/** `points`: how many the sampler makes. */
export function benchGeneration(sizes: readonly number[] = [1e4, 1e5, 1e6]): PcgBench[] {
  return sizes.map((points) => {
    const side = (Math.sqrt(points) * CELL) / 2
    const [ours, hand] = best(
      () => engine(side),
      () => byHand(side),
      Math.max(1, Math.round(MEASURABLE / points)),
    )
    return {
      points,
      engineMs: ours.ms,
      byHandMs: hand.ms,
      enginePointsPerSecond: (points / ours.ms) * 1000,
      byHandPointsPerSecond: (points / hand.ms) * 1000,
      ratio: hand.ms / ours.ms,
      agree: ours.count === hand.count,
    }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const row of benchGeneration()) process.stdout.write(`${JSON.stringify(row)}\n`)
