// Simple nodes over a million points against tight loops over typed arrays that know all settings beforehand.
import { pathToFileURL } from 'node:url'
import { benchPlan } from './bench-plan.ts'
import type { GraphDoc } from './editor/document.ts'
import { run } from './embedded/generation/run.ts'

export type NodeBench = {
  readonly node: string
  readonly engineMs: number
  readonly byHandMs: number
  /** How many times as long the engine takes. */
  readonly ratio: number
}

const SIDE = 1000
const POINTS = SIDE * SIDE
const ROUNDS = 100
const WARM = 10
const HALF = SIDE * 50

const NODES: GraphDoc['nodes'] = [
  { name: 'Grid', class: 'PCGCreatePointsGridSettings', properties: { GridExtents: [HALF, HALF, 50] } },
  { name: 'Noise', class: 'PCGDensityNoiseSettings', properties: {} },
  {
    name: 'Add',
    class: 'PCGMetadataMathsSettings',
    properties: { Operation: 'Add', InputSource1: '$Density', InputSource2: '$Density', OutputTarget: 'Sum' },
  },
  {
    name: 'Again',
    class: 'PCGMetadataMathsSettings',
    properties: { Operation: 'Add', InputSource1: 'Sum', InputSource2: 'Sum', OutputTarget: 'Twice' },
  },
]
const EDGES = [
  { from: 'Grid', fromPin: 'Out', to: 'Noise', toPin: 'In' },
  { from: 'Noise', fromPin: 'Out', to: 'Add', toPin: 'InA' },
  { from: 'Add', fromPin: 'Out', to: 'Again', toPin: 'InA' },
  { from: 'Again', fromPin: 'Out', to: 'DefaultOutputNode', toPin: 'Out' },
]

const next = (state: number): number => (Math.imul(state, 196314165) + 907633515) | 0
const mixed = (a: number, b: number): number => next(a) ^ (Math.imul(b, 73148459) + 453816763)

type Data = { readonly position: Float64Array; readonly seed: Int32Array }
function gridByHand(): Data {
  const position = new Float64Array(POINTS * 3)
  const seed = new Int32Array(POINTS)
  for (let j = 0, n = 0; j < SIDE; j++)
    for (let i = 0; i < SIDE; i++, n++) {
      const x = (i + 0.5) * 100 - HALF
      const y = (j + 0.5) * 100 - HALF
      position[n * 3] = x
      position[n * 3 + 1] = y
      seed[n] = mixed(x | 0, y | 0) ^ 453816743
    }
  return { position, seed }
}
function noiseByHand({ seed }: Data): Float32Array {
  const node = mixed(42, 42)
  const density = new Float32Array(POINTS)
  for (let i = 0; i < POINTS; i++) density[i] = (next(mixed(node, seed[i] ?? 0)) >>> 9) / 8388608
  return density
}
/** Of two columns, as the node adds: the second may be any. */
function addSingles(a: Float32Array, b: Float32Array): Float64Array {
  const sum = new Float64Array(POINTS)
  for (let i = 0; i < POINTS; i++) sum[i] = (a[i] ?? 0) + (b[i] ?? 0)
  return sum
}
function addDoubles(a: Float64Array, b: Float64Array): Float64Array {
  const sum = new Float64Array(POINTS)
  for (let i = 0; i < POINTS; i++) sum[i] = (a[i] ?? 0) + (b[i] ?? 0)
  return sum
}

/** One run of the engine: how long each node took. */
function engineRun(plan: ReturnType<typeof benchPlan>): readonly number[] {
  const times: number[] = []
  let before = performance.now()
  run({ plan, limits: { maxPoints: 20_000_000 } }, () => {
    const now = performance.now()
    times.push(now - before)
    before = performance.now()
  })
  return times
}
function handRun(): readonly number[] {
  const times: number[] = []
  const timed = <T>(of: () => T): T => {
    const before = performance.now()
    const made = of()
    times.push(performance.now() - before)
    return made
  }
  const data = timed(gridByHand)
  const density = timed(() => noiseByHand(data))
  const sum = timed(() => addSingles(density, density))
  timed(() => addDoubles(sum, sum))
  return times
}

/** Alternately, and the best of each: other load, and memory that the system gives for the first time, only add to it. */
export function benchNodes(rounds = ROUNDS): readonly NodeBench[] {
  const plan = benchPlan({ nodes: NODES, edges: EDGES, halfSize: HALF, seed: 42 })
  const engine: (readonly number[])[] = []
  const hand: (readonly number[])[] = []
  for (let round = 0; round < rounds + WARM; round++) {
    const both = [() => engine.push(engineRun(plan)), () => hand.push(handRun())]
    for (const one of round % 2 === 0 ? both : both.reverse()) one()
  }
  const best = (times: readonly (readonly number[])[], at: number) =>
    Math.min(...times.slice(WARM).map((round) => round[at] ?? 0))
  return NODES.map(({ name: node }, at) => {
    const [engineMs, byHandMs] = [best(engine, at), best(hand, at)]
    return { node, engineMs, byHandMs, ratio: engineMs / byHandMs }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const row of benchNodes()) process.stdout.write(`${JSON.stringify(row)}\n`)
