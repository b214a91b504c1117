// Simple nodes over a million points against tight loops over typed arrays that know all settings beforehand.
import { pathToFileURL } from 'node:url'
import { benchPlan } from './bench-plan.ts'
import type { GraphDoc } from './embedded/document.ts'
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

/** Processor time of this thread since the last call, in milliseconds. */
function stopwatch(): () => number {
  let before = process.threadCpuUsage()
  return () => {
    const now = process.threadCpuUsage()
    const took = (now.user + now.system - before.user - before.system) / 1000
    before = now
    return took
  }
}

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
function addByHand(density: Float32Array): Float64Array {
  const sum = new Float64Array(POINTS)
  for (let i = 0; i < POINTS; i++) sum[i] = (density[i] ?? 0) + (density[i] ?? 0)
  return sum
}

function again(given: Float64Array): Float64Array {
  const sum = new Float64Array(POINTS)
  for (let i = 0; i < POINTS; i++) sum[i] = (given[i] ?? 0) + (given[i] ?? 0)
  return sum
}

/** Both alternately; means over all rounds but the first, because the clock of a thread ticks in milliseconds. */
export function benchNodes(rounds = ROUNDS): readonly NodeBench[] {
  const plan = benchPlan({ nodes: NODES, edges: EDGES, halfSize: HALF, seed: 42 })
  const names = NODES.map(({ name }) => name)
  const [engine, hand] = [names.map(() => 0), names.map(() => 0)]
  for (let round = 0; round < rounds + WARM; round++) {
    const clock = stopwatch()
    const keep = (into: number[], at: number) => {
      const ms = clock()
      if (round >= WARM) into[at] = (into[at] ?? 0) + ms / rounds
    }
    let at = 0
    run({ plan, limits: { maxPoints: 20_000_000 } }, () => keep(engine, at++))
    clock()
    const data = gridByHand()
    keep(hand, 0)
    const density = noiseByHand(data)
    keep(hand, 1)
    const sum = addByHand(density)
    keep(hand, 2)
    again(sum)
    keep(hand, 3)
  }
  return names.map((node, i) => {
    const [engineMs, byHandMs] = [engine[i] ?? 0, hand[i] ?? 0]
    return { node, engineMs, byHandMs, ratio: engineMs / byHandMs }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const row of benchNodes()) process.stdout.write(`${JSON.stringify(row)}\n`)
