// Instances of one gateway under measurement, calls to them in turn, and their processor time.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Pool } from 'undici'
import { ADMIN, aFolder, ask, GANTRY, gantryEnv, headersOf, KEY, TOOL } from './gateway.ts'
import { childrenOf } from './quiet.ts'
import { keepOn, MEASURED, type Server, startServer, wait } from './server.ts'

const CONNECTIONS = 16
export const WARM_CALLS = 6000

export async function metric({ url }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: headersOf(ADMIN) })).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}

export const callOf = (tool: string, key = KEY) => ({
  method: 'POST' as const,
  path: '/mcp/items',
  headers: headersOf(key),
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: { id: 1 } } }),
})

export type Sent = { readonly admitted: number; readonly calls: number; readonly seconds: number }
export type Pace = { readonly most: number; readonly forMs: number; readonly perSecond: number }

/** Calls in turn to all instances until `most` calls or `forMs`, at most `perSecond`. */
export async function send(gateways: readonly Server[], pace: Pace, tool = TOOL.name): Promise<Sent> {
  const pools = gateways.map(({ url }) => new Pool(url, { connections: CONNECTIONS }))
  const began = performance.now()
  let calls = 0
  let admitted = 0
  const call = callOf(tool)
  const agent = async (): Promise<void> => {
    while (calls < pace.most && performance.now() - began < pace.forMs) {
      const early = (calls / pace.perSecond) * 1000 - (performance.now() - began)
      const at = calls
      calls += 1
      if (early > 1) await wait(early)
      const answer = await pools[at % pools.length]?.request(call)
      const text = (await answer?.body.text()) ?? ''
      if (answer?.statusCode === 200 && !text.includes('"isError":true')) admitted += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS * gateways.length }, agent))
  await Promise.all(pools.map((pool) => pool.close()))
  return { admitted, calls, seconds: (performance.now() - began) / 1000 }
}

export type Fleet = { readonly all: readonly Server[]; readonly first: Server; readonly stop: () => Promise<void> }

/** One gateway of so many processes, on one core; its processes are the parent and what it started. */
export async function startProcesses(count: number, upstream: Server): Promise<Measured & { readonly server: Server }> {
  const env = { ...gantryEnv, INSTANCES: String(count) }
  const server = await startServer(GANTRY, env)
  await ask(server, 'POST', '/register?wait=fleet', { name: 'items', base_url: upstream.url, tools: [TOOL] })
  const pids = [server.pid, ...(count === 1 ? [] : childrenOf(server.pid))]
  for (const pid of pids) keepOn(pid, MEASURED)
  return { server, all: [server], pids }
}

/** All on one core: the load, the backend and the database have the other. */
export async function startFleet(
  size: number,
  upstream: Server,
  more: Readonly<Record<string, string>> = {},
  tools: readonly object[] = [TOOL],
): Promise<Fleet> {
  const folder = aFolder()
  const env = {
    ...gantryEnv,
    ALLOW_SECOND_INSTANCE: 'true',
    REGISTRY_SYNC: 'true',
    DB_PATH: path.join(folder, 'bench.db'),
    DATA_DIR: folder,
    ...more,
  }
  const all: Server[] = []
  for (let at = 0; at < size; at += 1) all.push(await startServer(GANTRY, { ...env, INSTANCE_ID: `bench-${at}` }))
  const [first] = all
  if (first === undefined) throw new Error('A fleet has instances')
  for (const { pid } of all) keepOn(pid, MEASURED)
  await ask(first, 'POST', '/register?wait=fleet', { name: 'items', base_url: upstream.url, tools })
  return {
    all,
    first,
    stop: async () => void (await Promise.all(all.map((each) => each.stop()))),
  }
}

/** Of all threads, in nanoseconds where `stat` counts hundredths of a second; Linux only. */
function processorMs(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const nanos = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanos.reduce((sum, each) => sum + each, 0) / 1e6
}
const processorMsOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + processorMs(pid), 0)

/** What calls are sent to, and the processes that serve them where they are others. */
export type Measured = { readonly all: readonly Server[]; readonly pids?: readonly number[] }

/** Microseconds of processor time per call, over all instances. */
export async function costOf(
  { all, pids = all.map(({ pid }) => pid) }: Measured,
  pace: Pace,
): Promise<Sent & { readonly micros: number }> {
  const before = processorMsOf(pids)
  const sent = await send(all, pace)
  return { ...sent, micros: ((processorMsOf(pids) - before) * 1000) / sent.calls }
}
