// Where the CPU of a call goes, by stage, beside the budget of each: a CPU profile of a gateway under load.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { aFolder, gantryEnv, UPSTREAM } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { type Load, measure } from './mcp-load.ts'
import { registerMcp, registerOne, startMeasured, targetOf } from './plane.ts'
import { AROUND, keepOn, startServer } from './server.ts'

/** The sources: a bundle has no file names. */
const ENTRY = path.join(import.meta.dirname, '..', '..', 'gateway', 'serve.ts')
const LOAD: Load = { connections: 16, calls: 20_000 }

/** µs of a call to a REST backend, 16 at a time, on the machine of docs/performance.md. Their sum is the goal. */
type Stage = { readonly name: string; readonly of: RegExp; readonly budget: number }

/** `file:function` of a frame. The innermost frame that fits decides, so natives count for who called them. */
const STAGES: readonly Stage[] = [
  { name: 'write the answer', of: /gateway\/http\/direct\.ts:send$/, budget: 9 },
  {
    name: 'read HTTP, gates and limits',
    of: /gateway\/http\/(?!json-body)|node:_http_(?:server|incoming|common)/,
    budget: 12,
  },
  {
    name: 'caller, surface and session',
    of: /gateway\/(?:auth|live)\/|surfaces\/(?:admission|sessions|surface|directory)/,
    budget: 2,
  },
  { name: 'message in, result out', of: /gateway\/(?:surfaces|mcp|telemetry)\/|http\/json-body/, budget: 7 },
  { name: 'row', of: /pipeline\/8-audit|gateway\/storage\/|better-sqlite3/, budget: 8 },
  { name: 'build the request', of: /pipeline\/7-dispatch|gateway\/(?:discovery|registry)\//, budget: 5 },
  { name: 'guard stack', of: /gateway\/pipeline\//, budget: 8 },
  { name: 'exchange with the backend', of: /gateway\/(?:net|upstream)\/|node_modules\/undici|wasm:/, budget: 20 },
  { name: 'shape the answer', of: /gateway\/(?:outcome|text)\//, budget: 4 },
]
const COLLECTOR = { name: 'garbage collection', budget: 3 }
const REST = { name: 'promises, timers, event loop', budget: 6 }

type Frame = { readonly functionName: string; readonly url: string }
type Node = { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }
type Profile = {
  readonly nodes: readonly Node[]
  /** Monotonic, in µs, as `process.hrtime`. */
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The share of each stage in what the process did between two moments. */
function shares(
  { nodes, startTime, samples, timeDeltas }: Profile,
  from: number,
  to: number,
): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const stageOf = (leaf: number): string | undefined => {
    for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
      const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {}
      if (functionName === '(idle)') return undefined
      if (functionName === '(garbage collector)') return COLLECTOR.name
      const found = STAGES.find(({ of }) => of.test(`${url}:${functionName}`))
      if (found) return found.name
    }
    return REST.name
  }
  const known = new Map(nodes.map(({ id }) => [id, stageOf(id)]))
  const times = new Map<string, number>()
  let at = startTime
  let whole = 0
  samples.forEach((id, index) => {
    const delta = timeDeltas[index] ?? 0
    at += delta
    const stage = known.get(id)
    if (stage === undefined || at < from || at > to) return
    times.set(stage, (times.get(stage) ?? 0) + delta)
    whole += delta
  })
  return new Map([...times].map(([stage, time]) => [stage, time / whole]))
}

const monotonicUs = (): number => Number(process.hrtime.bigint() / 1_000n)

async function* stagesOf(name: 'items' | 'served'): AsyncGenerator<BenchRow> {
  const folder = aFolder()
  const upstream = await startServer(UPSTREAM)
  for (const pid of [upstream.pid, process.pid]) keepOn(pid, AROUND)
  const options = `--cpu-prof --cpu-prof-interval=250 --cpu-prof-dir=${folder} --disable-warning=ExperimentalWarning`
  const gantry = await startMeasured(ENTRY, { ...gantryEnv, NODE_OPTIONS: options })
  let stopped: Promise<void> | undefined
  try {
    await (name === 'items' ? registerOne(gantry, upstream) : registerMcp(gantry, upstream))
    const target = targetOf(gantry, name)
    await measure(target, LOAD)
    const from = monotonicUs()
    const { cpuUs } = await measure(target, LOAD)
    const to = monotonicUs()
    stopped = gantry.stop()
    await stopped
    const [file] = readdirSync(folder)
    // What Node writes.
    const profile = JSON.parse(readFileSync(path.join(folder, String(file)), 'utf8')) as Profile
    const found = shares(profile, from, to)
    const all = [...STAGES, COLLECTOR, REST]
    for (const stage of all) yield budgeted(stage.name, (found.get(stage.name) ?? 0) * cpuUs, stage.budget)
    yield budgeted(
      'a whole call',
      cpuUs,
      all.reduce((sum, { budget }) => sum + budget, 0),
    )
  } finally {
    await (stopped ?? gantry.stop())
    await upstream.stop()
  }
}

const budgeted = (label: string, us: number, budget: number): BenchRow => ({
  label,
  value: `${us.toFixed(1)} µs`,
  aim: `≤ ${budget} µs`,
  met: us <= budget,
})

const heading = (label: string): BenchRow => ({ label, value: '' })

export const stages: BenchPart = {
  name: 'stages',
  async *run() {
    yield heading('a call to a REST backend')
    yield* stagesOf('items')
    yield heading('a call to an MCP upstream, against the same budgets')
    yield* stagesOf('served')
  },
}
