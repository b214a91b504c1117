// The data plane with its whole stack on, beside minimal translators of the same run: what a call costs, and that it costs the same however much is registered.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { aFolder, ask, BARE, GANTRY, gantryEnv, KEY, UPSTREAM } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { Connection, type Load, type LoadTarget, type Measured, measure } from './mcp-load.ts'
import { AROUND, keepOn, MEASURED, median, residentMiB, type Server, startServer } from './server.ts'

const ROUNDS = 5
const WARM_CALLS = 6_000
const HELD_SESSIONS = 10_000

const busy: Load = { connections: 16, calls: 2_000 }
const WIDE: Load = { connections: 512, calls: 8_000 }
const C1: Load = { connections: 1, calls: 600 }
const STEADY: Load = { connections: 32, calls: 600, rate: 300 }
const LIST_SIZES = [
  { length: 100, most: 1.2 },
  { length: 1_000, most: 1.5 },
]
const LISTS: Load = { connections: 16, calls: 300, method: 'tools/list' }

const toolNamed = (name: string) => ({
  name,
  method: 'GET',
  endpoint: '/items/:id',
  description: `Reads one item by its id (${name})`,
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'integer', minimum: 0 } },
    required: ['id'],
    additionalProperties: false,
  },
})

/** Every guard that a call can meet: schema, deny pattern, secrets, rate, breaker, redaction, and its row. */
const guard = (server: Server, name: string): Promise<string> =>
  ask(server, 'PATCH', `/admin-api/clients/${name}/tools/get_item`, {
    guards: { rateLimitPerMin: 1_000_000, timeoutMs: 30_000 },
    guardrails: { denyPatterns: ['drop\\s+table'], blockSecrets: true },
    redactPaths: ['secret', '*.password'],
  })

export const targetOf = ({ url, pid }: Server, name = 'items', key = KEY): LoadTarget => ({
  url,
  pid,
  path: `/mcp/${name}`,
  headers: { authorization: `Bearer ${key}` },
})

export async function startMeasured(entry: string, env: Readonly<Record<string, string>>): Promise<Server> {
  const server = await startServer(entry, env)
  keepOn(server.pid, MEASURED)
  return server
}

export async function registerOne(gantry: Server, upstream: Server): Promise<void> {
  await ask(gantry, 'POST', '/register', {
    name: 'items',
    base_url: upstream.url,
    tools: [toolNamed('get_item')],
  })
  await guard(gantry, 'items')
}

type Both = readonly (readonly [ours: Measured, base: Measured])[]

/** In turns, so that what the machine does in between happens to both. */
async function compared(ours: LoadTarget, base: LoadTarget, load: Load, warm = WARM_CALLS): Promise<Both> {
  const pairs: [Measured, Measured][] = []
  for (const target of [ours, base]) if (warm > 0) await measure(target, { ...load, connections: 16, calls: warm })
  for (let round = 0; round < ROUNDS; round++) {
    const base1 = round % 2 === 0 ? await measure(base, load) : undefined
    const mine = await measure(ours, load)
    pairs.push([mine, base1 ?? (await measure(base, load))])
  }
  return pairs
}

type Line = {
  readonly label: string
  readonly unit: string
  readonly of: (given: Measured) => number
  readonly most: number
}

function row(
  pairs: Both,
  { label, unit, of, most }: Line,
  ratioOf = (ours: number, base: number) => ours / base,
): BenchRow {
  const ratio = median(pairs.map(([ours, base]) => ratioOf(of(ours), of(base))))
  const shown = (at: 0 | 1): string => `${median(pairs.map((pair) => of(pair[at]))).toPrecision(3)} ${unit}`
  return {
    label,
    value: shown(0),
    beside: `${shown(1)} beside`,
    ratio: ratio.toFixed(2),
    aim: `≤ ${most}`,
    met: ratio <= most,
  }
}

const cpu = (label: string, most: number): Line => ({ label, unit: 'µs', of: ({ cpuUs }) => cpuUs, most })

async function* calls(gantry: Server, bare: Server): AsyncGenerator<BenchRow> {
  const [ours, base] = [targetOf(gantry), targetOf(bare)]
  const share = (mine: number, theirs: number): number => (mine - theirs) / theirs
  yield row(await compared(ours, base, busy), cpu('CPU of a call, 16 at a time', 1.75))
  const added: Line = { label: 'p50 of one quiet call, what is added', unit: 'ms', of: ({ p50 }) => p50, most: 0.6 }
  yield row(await compared(ours, base, C1, 0), added, share)
  const steady: Line = { label: 'p99 at 300 calls a second', unit: 'ms', of: ({ p99 }) => p99, most: 1.6 }
  yield row(await compared(ours, base, STEADY, 0), steady)
}

/** Many more callers than it can serve at once: what a call costs then says how much of its best is left. */
async function overload(gantry: Server): Promise<BenchRow> {
  const target = targetOf(gantry)
  const pairs: [Measured, Measured][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const few = await measure(target, busy)
    pairs.push([await measure(target, WIDE), few])
  }
  return row(pairs, cpu('CPU of a call, 512 at a time beside 16', 1.25))
}

/** A managed key that reaches one tool among hundreds of others, of a consumer with a quota: what a careful administrator gives out. */
async function scopedKey(gantry: Server): Promise<BenchRow> {
  const consumer = await ask(gantry, 'POST', '/admin-api/consumers', { name: 'bench', monthlyQuota: 1_000_000_000 })
  const { id } = JSON.parse(consumer) as { id: number } // what the contract says a 201 is
  const others = Array.from({ length: 499 }, (_none, at) => `elsewhere-${at}__get_item`)
  const made = await ask(gantry, 'POST', '/admin-api/mcp-keys', {
    label: 'bench',
    scopes: { tools: ['items__get_item', ...others] },
    consumerId: id,
  })
  const { key } = JSON.parse(made) as { key: string } // as above
  const pairs = await compared(targetOf(gantry, 'items', key), targetOf(gantry), busy)
  return row(pairs, cpu('the same by a scoped managed key with a quota', 1.25))
}

/** Beside a gateway as young as itself with one tool: what has served longer has been optimised longer. */
async function manyBackends(lone: Server, full: Server, upstream: Server): Promise<BenchRow> {
  const tools = ['get_item', ...Array.from({ length: 19 }, (_none, at) => `get_item_${at}`)].map(toolNamed)
  const names = Array.from({ length: 500 }, (_none, at) => `items-${at}`)
  const registering = names.values()
  const one = async (): Promise<void> => {
    for (const name of registering) await ask(full, 'POST', '/register', { name, base_url: upstream.url, tools })
  }
  await Promise.all([one(), one(), one(), one()])
  await guard(full, 'items-250')
  await registerOne(lone, upstream)
  const pairs = await compared(targetOf(full, 'items-250'), targetOf(lone), busy, 6_000)
  return row(pairs, cpu('CPU of a call, 10,000 tools of 500 backends beside one', 1.05))
}

async function list(
  gantry: Server,
  upstream: Server,
  { length, most }: { readonly length: number; readonly most: number },
): Promise<BenchRow> {
  const name = `list-${length}`
  const tools = Array.from({ length }, (_none, at) => toolNamed(`get_item_${at}`))
  await ask(gantry, 'POST', '/register', { name, base_url: upstream.url, tools })
  const target = targetOf(gantry, name)
  const connection = new Connection(target)
  await connection.open()
  const { body } = await connection.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
  connection.close()
  const LIST_FILE = path.join(aFolder(), 'list.json')
  writeFileSync(LIST_FILE, Buffer.from(JSON.stringify((JSON.parse(body) as { result: object }).result), 'latin1'))
  const bare = await startMeasured(BARE, { UPSTREAM: upstream.url, LIST_FILE })
  const pairs = await compared(target, targetOf(bare), LISTS, 1_000)
  await bare.stop()
  return row(pairs, cpu(`tools/list of ${length} tools (${(body.length / 1024).toFixed(0)} KiB)`, most))
}

export async function registerMcp(gantry: Server, upstream: Server): Promise<void> {
  await ask(gantry, 'POST', '/register', { name: 'served', mcp_url: `${upstream.url}/mcp` })
  await guard(gantry, 'served')
}

async function mcpUpstream(gantry: Server, upstream: Server): Promise<BenchRow> {
  await registerMcp(gantry, upstream)
  const bare = await startMeasured(BARE, { UPSTREAM: upstream.url, KIND: 'mcp' })
  const pairs = await compared(targetOf(gantry, 'served'), targetOf(bare), busy)
  await bare.stop()
  return row(pairs, cpu('CPU of a call to an MCP upstream', 1.75))
}

async function heldSessions(gantry: Server, name: string, quiet: Server): Promise<readonly BenchRow[]> {
  const target = targetOf(gantry, name)
  const before = residentMiB(gantry.pid)
  const held: Connection[] = []
  const opening = Array.from({ length: HELD_SESSIONS }).values()
  const one = async (): Promise<void> => {
    for (const _each of opening) {
      const connection = new Connection(target)
      held.push(connection)
      await connection.open()
      await connection.hold()
    }
  }
  await Promise.all(Array.from({ length: 16 }, one))
  const grown = residentMiB(gantry.pid) - before
  const pairs = await compared(target, targetOf(quiet), busy, 3_000)
  for (const connection of held) connection.close()
  const value = `${((grown * 1024) / HELD_SESSIONS).toFixed(1)} KiB each`
  return [
    { label: '10,000 sessions that hold a stream', value, beside: `${grown.toFixed(0)} MiB in all` },
    row(pairs, cpu('CPU of a call beside them', 1.25)),
  ]
}

export const plane: BenchPart = {
  name: 'plane',
  async *run() {
    const upstream = await startServer(UPSTREAM)
    const servers = [upstream]
    for (const pid of [upstream.pid, process.pid]) keepOn(pid, AROUND)
    const start = async (entry: string, env: Readonly<Record<string, string>>): Promise<Server> => {
      const server = await startMeasured(entry, env)
      servers.push(server)
      return server
    }
    try {
      const bare = await start(BARE, { UPSTREAM: upstream.url })
      const gantry = await start(GANTRY, gantryEnv)
      await registerOne(gantry, upstream)
      const full = await start(GANTRY, gantryEnv)
      const lone = await start(GANTRY, gantryEnv)
      yield* calls(gantry, bare)
      yield await overload(gantry)
      yield await scopedKey(gantry)
      yield await mcpUpstream(gantry, upstream)
      for (const size of LIST_SIZES) yield await list(gantry, upstream, size)
      yield await manyBackends(lone, full, upstream)
      yield* await heldSessions(full, 'items-250', gantry)
    } finally {
      keepOn(process.pid, 'all')
      await Promise.all(servers.map((server) => server.stop()))
    }
  },
}
