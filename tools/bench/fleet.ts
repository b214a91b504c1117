// Three gateways with shared limits, on one database file and one Redis: what sharing costs a call, what it sends, and what it admits.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Pool } from 'undici'
import type { BenchPart, BenchRow } from './index.ts'
import { type Server, startServer, wait } from './server.ts'

const GANTRY = path.join(import.meta.dirname, '..', '..', 'dist', 'gateway', 'serve.js')
const UPSTREAM = path.join(import.meta.dirname, 'plane-upstream.mjs')
const ADMIN = 'bench-admin-key-0123456789'
const KEY = 'bench-key-of-one-caller'
const REDIS = '/usr/bin/redis-server'
const REDIS_PORT = 16_390
const INSTANCES = 3
const TICKS_PER_SECOND = 100

const TOOL = {
  name: 'get_item',
  method: 'GET',
  endpoint: '/items/:id',
  description: 'Reads one item by its id',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
}
const LIMITS = [60, 600, 6000, 60_000]
/** One for each limit, so that none counts the calls of another. */
const TOOLS = [TOOL, ...LIMITS.map((limit) => ({ ...TOOL, name: `limited_${limit}` }))]
const ADMINISTERS = { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' }

async function administer(gantry: Server, method: string, route: string, body: object): Promise<void> {
  const answer = await fetch(gantry.url + route, { method, headers: ADMINISTERS, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${route} answered ${answer.status}: ${await answer.text()}`)
}

/** Processor time of a process in milliseconds; Linux only. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

async function metric({ url }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: ADMINISTERS })).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}

type Sent = { readonly admitted: number; readonly calls: number; readonly seconds: number }

/** Calls in turn to all instances until `most` calls or `forMs`, at most `perSecond`. */
async function send(
  gateways: readonly Server[],
  limits: { readonly most: number; readonly forMs: number; readonly perSecond: number },
  tool = TOOL.name,
): Promise<Sent> {
  const pools = gateways.map(({ url }) => new Pool(url, { connections: 16 }))
  const began = performance.now()
  let calls = 0
  let admitted = 0
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: { id: 1 } },
  })
  const agent = async (): Promise<void> => {
    while (calls < limits.most && performance.now() - began < limits.forMs) {
      const early = (calls / limits.perSecond) * 1000 - (performance.now() - began)
      const at = calls
      calls += 1
      if (early > 1) await wait(early)
      const answer = await pools[at % pools.length]?.request({
        method: 'POST',
        path: '/mcp/items',
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body,
      })
      const text = (await answer?.body.text()) ?? ''
      if (answer?.statusCode === 200 && !text.includes('"isError":true')) admitted += 1
    }
  }
  await Promise.all(Array.from({ length: 48 }, agent))
  await Promise.all(pools.map((pool) => pool.close()))
  return { admitted, calls, seconds: (performance.now() - began) / 1000 }
}

async function aFleet(shared: boolean, upstream: Server): Promise<{ all: Server[]; stop: () => Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-fleet-'))
  const env = {
    ADMIN_API_KEYS: ADMIN,
    MCP_API_KEYS: KEY,
    ALLOW_PRIVATE_IPS: 'true',
    RATE_LIMIT_MCP: '100000000',
    RATE_LIMIT_GLOBAL: '100000000',
    ALLOW_SECOND_INSTANCE: 'true',
    REGISTRY_SYNC: 'true',
    DB_PATH: path.join(folder, 'bench.db'),
    ...(shared && { RATE_LIMIT_SHARED: 'true', REDIS_URL: `redis://127.0.0.1:${REDIS_PORT}` }),
  }
  const all: Server[] = []
  for (let at = 0; at < INSTANCES; at += 1) all.push(await startServer(GANTRY, { ...env, INSTANCE_ID: `bench-${at}` }))
  const [first] = all
  if (first)
    await administer(first, 'POST', '/register?wait=fleet', { name: 'items', base_url: upstream.url, tools: TOOLS })
  return {
    all,
    async stop() {
      await Promise.all(all.map((each) => each.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Microseconds of processor time per call, over all instances. */
async function costOf(all: readonly Server[], forMs: number): Promise<Sent & { readonly micros: number }> {
  await send(all, { most: 6000, forMs: 4000, perSecond: Infinity })
  const before = all.reduce((sum, { pid }) => sum + processorMs(pid), 0)
  const sent = await send(all, { most: Infinity, forMs, perSecond: 2000 })
  const after = all.reduce((sum, { pid }) => sum + processorMs(pid), 0)
  return { ...sent, micros: ((after - before) * 1000) / sent.calls }
}

const REVOCATIONS = 100

/** From a revocation's answer until every other instance refuses the key: the slowest of the fleet, each time. */
async function revocation([first, ...others]: readonly Server[]): Promise<BenchRow> {
  if (first === undefined) throw new Error('A fleet has instances')
  const times: number[] = []
  for (let turn = 0; turn < REVOCATIONS; turn += 1) {
    const made = await fetch(`${first.url}/admin-api/mcp-keys?wait=fleet`, {
      method: 'POST',
      headers: ADMINISTERS,
      body: JSON.stringify({ label: `revoked ${turn}` }),
    })
    const { id, key } = (await made.json()) as { id: number; key: string } // by the contract
    const accepts = async ({ url }: Server): Promise<boolean> => {
      const answer = await fetch(`${url}/mcp/items`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      await answer.arrayBuffer()
      return answer.status !== 401
    }
    await administer(first, 'POST', `/admin-api/mcp-keys/${id}/revoke`, {})
    const began = performance.now()
    await Promise.all(
      others.map(async (each) => {
        while (await accepts(each)) await wait(2)
      }),
    )
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0
  return {
    label: 'a revoked key is refused by all, p99',
    value: `${at(0.99).toFixed(0)} ms`,
    beside: `p50 ${at(0.5).toFixed(0)} ms, ${REVOCATIONS} revocations`,
    ratio: '',
    aim: '≤ 1000 ms',
    met: at(0.99) <= 1000,
  }
}

async function overAdmission(all: readonly Server[], perMinute: number): Promise<BenchRow> {
  const [first] = all
  if (first)
    await administer(first, 'PATCH', `/admin-api/clients/items/tools/limited_${perMinute}?wait=fleet`, {
      guards: { rateLimitPerMin: perMinute },
    })
  const most = Math.ceil(perMinute * 1.1) + 50
  const { admitted, calls, seconds } = await send(
    all,
    { most, forMs: 50_000, perSecond: Infinity },
    `limited_${perMinute}`,
  )
  const ratio = admitted / perMinute
  return {
    label: `admitted of ${perMinute} a minute`,
    value: String(admitted),
    beside: `${calls} calls in ${seconds.toFixed(1)} s`,
    ratio: ratio.toFixed(3),
    aim: '≤ 1.02',
    met: ratio <= 1.02,
  }
}

export const fleet: BenchPart = {
  name: 'fleet',
  async *run() {
    if (!existsSync(REDIS)) throw new Error(`There is no ${REDIS} (Debian: redis-server)`)
    const redis = spawn(REDIS, ['--port', String(REDIS_PORT), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
    await wait(500)
    const upstream = await startServer(UPSTREAM)
    try {
      const alone = await aFleet(false, upstream)
      const without = await costOf(alone.all, 10_000)
      await alone.stop()
      const { all, stop } = await aFleet(true, upstream)
      const before = await Promise.all(all.map((each) => metric(each, 'mcp_rate_limit_store_commands_total')))
      const shared = await costOf(all, 10_000)
      const after = await Promise.all(all.map((each) => metric(each, 'mcp_rate_limit_store_commands_total')))
      const commands = after.reduce((sum, each) => sum + each, 0) - before.reduce((sum, each) => sum + each, 0)
      yield {
        label: 'processor time per call, limits shared',
        value: `${shared.micros.toFixed(0)} µs`,
        beside: `${without.micros.toFixed(0)} µs not shared`,
        ratio: (shared.micros / without.micros).toFixed(3),
        aim: '≤ 1.05',
        met: shared.micros / without.micros <= 1.05,
      }
      // The calls that warm up are in the commands as well.
      const perCall = commands / (shared.calls + 6000)
      yield {
        label: 'Redis commands per call, one key',
        value: perCall.toFixed(4),
        beside: `${(shared.calls / shared.seconds).toFixed(0)} calls a second`,
        aim: '≤ 0.02',
        met: perCall <= 0.02,
      }
      yield await revocation(all)
      for (const perMinute of LIMITS) yield await overAdmission(all, perMinute)
      await stop()
    } finally {
      await upstream.stop()
      redis.kill('SIGTERM')
    }
  },
}
