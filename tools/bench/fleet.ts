// `npm run bench -- fleet`: several gateways as one. What sharing limits costs a call, what it sends and admits, what another instance costs, and how soon a key is refused.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { request } from 'undici'
import { endedWithUs } from '../ended-with.ts'
import {
  callOf,
  costOf,
  type Fleet,
  type Measured,
  metric,
  type Pace,
  send,
  startFleet,
  startProcesses,
  WARM_CALLS,
} from './fleet-load.ts'
import { aDatabase, aPostgres, fleetIn, part, type Scope } from './fleet-part.ts'
import { postgres } from './fleet-postgres.ts'
import { ask, TOOL } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { FEWEST_ROUNDS, quietly } from './quiet.ts'
import { keepOn, median, type Server, wait } from './server.ts'

const REDIS = '/usr/bin/redis-server'
const REDIS_PORT = 16_390
const INSTANCES = 3
const SHARED = { RATE_LIMIT_SHARED: 'true', REDIS_URL: `redis://127.0.0.1:${REDIS_PORT}` }
const WARM: Pace = { most: WARM_CALLS, forMs: 8000, perSecond: Infinity }

async function aRedis(scope: Scope): Promise<ChildProcess> {
  if (!existsSync(REDIS)) throw new Error(`There is no ${REDIS} (Debian: redis-server)`)
  const redis = spawn(REDIS, ['--port', String(REDIS_PORT), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
  endedWithUs(redis)
  scope(redis, () => {
    redis.kill('SIGCONT')
    redis.kill('SIGTERM')
  })
  await wait(500)
  return redis
}

const most = (label: string, value: number, aim: number, unit: string, beside = ''): BenchRow => ({
  label,
  value: unit,
  beside,
  ratio: value.toFixed(3),
  aim: `≤ ${aim}`,
  met: value <= aim,
})

const ROUNDS = 12
const ROUND_MS = 2000

/** Microseconds per call of each round, and of those beside which no other program used the cores. */
type Cost = { readonly every: number[]; readonly quiet: number[] }

/** In turns, so that what the machine does in between happens to all. */
async function costs(fleets: readonly (Measured & { readonly perSecond: number })[]): Promise<readonly Cost[]> {
  for (const { all, pids = all } of fleets) await send(all, { ...WARM, most: (WARM_CALLS * pids.length) / 2 })
  const found = fleets.map((): Cost => ({ every: [], quiet: [] }))
  const isEnough = (): boolean => found.every(({ quiet }) => quiet.length >= ROUNDS / 2)
  for (let round = 0; round < ROUNDS && !isEnough(); round += 1) {
    const turns = [...fleets.entries()]
    for (const [at, { perSecond, ...measured }] of round % 2 === 0 ? turns : turns.reverse()) {
      let micros = Number.NaN
      const work = async (): Promise<number> => {
        micros = (await costOf(measured, { most: Infinity, forMs: ROUND_MS, perSecond })).micros
        return micros
      }
      if ((await quietly(work)) !== undefined) found[at]?.quiet.push(micros)
      found[at]?.every.push(micros)
    }
  }
  return found
}

const NO_COST: Cost = { every: [], quiet: [] }

/** Medians of quiet rounds; without enough of them, those of all rounds are shown and not judged. */
function compared(label: string, cost: Cost = NO_COST, base: Cost = NO_COST, beside = ''): BenchRow {
  const isQuiet = Math.min(cost.quiet.length, base.quiet.length) >= FEWEST_ROUNDS
  const [ours, theirs] = [cost, base].map(({ every, quiet }) => median(isQuiet ? quiet : every))
  const ratio = (ours ?? Number.NaN) / (theirs ?? Number.NaN)
  const [value, other] = [`${ours?.toFixed(0)} µs`, `${theirs?.toFixed(0)} µs ${beside}`]
  if (isQuiet) return most(label, ratio, 1.05, value, other)
  return { label, value: 'noisy', beside: `${value} and ${other} in all rounds`, ratio: ratio.toFixed(3) }
}

const SHARED_RATE = 1000

const cost = part('cost', async function* (scope, upstream) {
  await aRedis(scope)
  const own = await fleetIn(scope, startFleet(INSTANCES, upstream))
  const shared = await fleetIn(scope, startFleet(INSTANCES, upstream, SHARED))
  const [without, withRedis] = await costs([own, shared].map(({ all }) => ({ all, perSecond: SHARED_RATE })))
  yield compared('processor time per call, limits shared', withRedis, without, 'not shared')
})

const COMMANDS = 'mcp_rate_limit_store_commands_total'

const commands = part('commands', async function* (scope, upstream) {
  await aRedis(scope)
  const { all } = await fleetIn(scope, startFleet(INSTANCES, upstream, SHARED))
  const sum = async (): Promise<number> =>
    (await Promise.all(all.map((each) => metric(each, COMMANDS)))).reduce((total, each) => total + each, 0)
  // At this rate the load needs more than what is left of the other core.
  for (const { pid } of all) keepOn(pid, 'all')
  await send(all, WARM)
  for (const perSecond of [500, 1000, 2000]) {
    const before = await sum()
    const { calls, seconds } = await send(all, { most: Infinity, forMs: 10_000, perSecond })
    const each = ((await sum()) - before) / calls
    const at = `${(calls / seconds).toFixed(0)} calls a second`
    if (perSecond === 2000) yield most('Redis commands per call, one key', each, 0.02, each.toFixed(4), at)
    else yield { label: 'Redis commands per call, one key', value: each.toFixed(4), beside: at }
  }
})

const LIMITS = [60, 600, 6000, 60_000]
const limited = (perMinute: number): string => `limited_${perMinute}`
/** One for each limit, so that none counts the calls of another. */
const TOOLS = LIMITS.map((perMinute) => ({ ...TOOL, name: limited(perMinute) }))

async function limit({ first }: Fleet, perMinute: number): Promise<void> {
  const route = `/admin-api/clients/items/tools/${limited(perMinute)}?wait=fleet`
  await ask(first, 'PATCH', route, { guards: { rateLimitPerMin: perMinute } })
}

const admission = part('admission', async function* (scope, upstream) {
  await aRedis(scope)
  const fleet = await fleetIn(scope, startFleet(INSTANCES, upstream, SHARED, TOOLS))
  for (const perMinute of LIMITS) {
    await limit(fleet, perMinute)
    const pace = { most: Math.ceil(perMinute * 1.1) + 50, forMs: 50_000, perSecond: Infinity }
    const { admitted, calls, seconds } = await send(fleet.all, pace, limited(perMinute))
    const beside = `${calls} calls in ${seconds.toFixed(1)} s`
    yield most(`admitted of ${perMinute} a minute`, admitted / perMinute, 1.02, String(admitted), beside)
  }
})

/** A fifth of the limit before Redis is stopped, then more than there is; all within a minute. */
const outage = part('outage', async function* (scope, upstream) {
  const redis = await aRedis(scope)
  const fleet = await fleetIn(scope, startFleet(INSTANCES, upstream, SHARED, TOOLS))
  for (const perMinute of LIMITS) {
    await limit(fleet, perMinute)
    const pace = { most: perMinute / 5, forMs: 15_000, perSecond: Infinity }
    const before = await send(fleet.all, pace, limited(perMinute))
    redis.kill('SIGSTOP')
    const during = await send(
      fleet.all,
      { most: Math.ceil(perMinute * 1.1) + 50, forMs: 40_000, perSecond: Infinity },
      limited(perMinute),
    )
    redis.kill('SIGCONT')
    await wait(1000)
    const admitted = before.admitted + during.admitted
    const beside = `${before.admitted} of them before`
    yield most(`… of ${perMinute}, Redis stopped`, admitted / perMinute, 1.1, String(admitted), beside)
  }
})

const REVOCATIONS = 120

/** From the answer to a revocation until every other instance refuses the key: the slowest of them. */
async function revoked({ first, all }: Fleet, turn: number): Promise<number> {
  const made = await ask(first, 'POST', '/admin-api/mcp-keys?wait=fleet', { label: `revoked ${turn}` })
  const { id, key } = JSON.parse(made) as { id: number; key: string } // by the contract
  const { body: _call, path, ...how } = callOf(TOOL.name, key)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const accepts = async ({ url }: Server): Promise<boolean> => {
    const answer = await request(new URL(path, url), { ...how, body })
    await answer.body.dump()
    return answer.statusCode !== 401
  }
  await ask(first, 'POST', `/admin-api/mcp-keys/${id}/revoke`, {})
  const began = performance.now()
  const refusedBy = async (each: Server): Promise<void> => {
    while (await accepts(each)) await wait(2)
  }
  await Promise.all(all.map(refusedBy))
  return performance.now() - began
}

const revocation = part('revocation', async function* (scope, upstream) {
  const { port } = await aPostgres(scope)
  for (const [on, env] of [
    ['SQLite', {}],
    ['PostgreSQL', await aDatabase(port, 'revocation')],
  ] as const) {
    const fleet = await fleetIn(scope, startFleet(INSTANCES, upstream, env))
    const times: number[] = []
    for (let turn = 0; turn < REVOCATIONS; turn += 1) times.push(await revoked(fleet, turn))
    await fleet.stop()
    times.sort((a, b) => a - b)
    const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0
    yield {
      label: `a revoked key is refused by all (${on}), p99`,
      value: `${at(0.99).toFixed(0)} ms`,
      beside: `p50 ${at(0.5).toFixed(0)}, most ${at(1).toFixed(0)}; ${REVOCATIONS} times`,
      aim: '≤ 1000 ms',
      met: at(0.99) <= 1000,
    }
  }
})

/** What each instance is given. */
const EACH_RATE = 350

/** Beside as many gateways with a database each: processes that share a core cost each other more than they cost alone. */
const size = part('size', async function* (scope, upstream) {
  const { port } = await aPostgres(scope)
  await aRedis(scope)
  const aSize = async (name: string, count: number): Promise<readonly Server[]> => {
    const env = { ...SHARED, ...(await aDatabase(port, name)) }
    return (await fleetIn(scope, startFleet(count, upstream, env))).all
  }
  const apart = async (count: number): Promise<readonly Server[]> => {
    const all: Server[] = []
    for (let at = 1; at <= count; at += 1) all.push(...(await aSize(`apart_${count}_${at}`, 1)))
    return all
  }
  // Each serves as many calls as any other: a process that served more is compiled better.
  const all = [
    await aSize('size_1', 1),
    await apart(2),
    await aSize('size_2', 2),
    await apart(3),
    await aSize('size_3', 3),
  ]
  const [one, ...pairs] = await costs(all.map((each) => ({ all: each, perSecond: EACH_RATE * each.length })))
  for (const count of [2, 3]) {
    const [alone, together] = pairs.slice(2 * (count - 2))
    yield compared(`processor time per call, ${count} instances`, together, alone, `of ${count} apart`)
    yield compared('… to that of 1', together, one, 'of 1')
  }
})

/** `gantry serve --instances 2`: the parent counts as well. */
const processes = part('processes', async function* (scope, upstream) {
  const [one, two] = [await startProcesses(1, upstream), await startProcesses(2, upstream)]
  for (const { server } of [one, two]) scope(server, ({ stop }) => stop())
  const [alone, both] = await costs([
    { ...one, perSecond: EACH_RATE },
    { ...two, perSecond: 2 * EACH_RATE },
  ])
  yield compared('processor time per call, 2 processes', both, alone, 'of 1 process')
})

export const fleet: readonly BenchPart[] = [cost, commands, admission, outage, revocation, size, processes, postgres]
