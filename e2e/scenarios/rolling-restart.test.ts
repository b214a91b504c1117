// Three gateways behind a balancer are restarted one after the other while clients call: no call fails.
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { type Balancer, startBalancer } from './balancer.fixture.ts'
import { aFolder, type Env, onLinux, unlessLinux } from './gateway.fixture.ts'
import { aGatewayProcess, type GatewayProcess } from './gateway-process.fixture.ts'
import { aGatewayOfProcesses, isRunning, meet, pidsOf } from './processes.fixture.ts'
import { echoing, NEAR, registered, TOOL } from './registration.fixture.ts'

const address = usePostgres()
const CLIENTS = IS_LONG ? 64 : 8
/** Calls a second of all clients together, on a machine that can. */
const PER_SECOND = IS_LONG ? 500 : 60
/** That a gateway has its share: several calls of each client. */
const SERVED = 25
const PATIENT = { timeout: 30_000, interval: 20 }
/** Many rounds of the balancer's probe and several calls of each client, also on a busy machine. */
const DRAIN_MS = 3000

const FLEET: Env = {
  ...NEAR,
  ALLOW_SECOND_INSTANCE: 'true',
  LEADER_LEASE_DURATION_MS: '3000',
  RATE_LIMIT_MCP: '1000000',
  SHUTDOWN_DRAIN_MS: String(DRAIN_MS),
}

/** Clients that call one after another until they are stopped. */
function traffic(url: string) {
  // One connection for each client, in use all the time: one that is idle may be closed as it is used again.
  const agents = Array.from({ length: CLIENTS }, () => new Agent({ connections: 1 }))
  const failed: string[] = []
  const count = { begun: 0, answered: 0 }
  const until = { stopped: false }
  const startedAt = performance.now()
  /** Waits for its turn of the rate. */
  const paced = async (): Promise<void> => {
    const turn = count.begun
    count.begun += 1
    await pause(Math.max(0, startedAt + (turn * 1000) / PER_SECOND - performance.now()))
  }
  const once = async (agent: Agent): Promise<void> => {
    const { statusCode, body } = await request(`${url}/mcp/shop`, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: TOOL.name, arguments: {} } }),
    })
    const text = await body.text()
    if (statusCode !== 200 || !text.includes('"content"') || text.includes('"isError":true'))
      throw new Error(`${statusCode} ${text}`)
    count.answered += 1
  }
  const clients = agents.map(async (agent) => {
    while (!until.stopped) {
      await paced()
      await once(agent).catch((error: unknown) => failed.push(String(error)))
    }
  })
  return {
    answered: () => count.answered,
    async stop(): Promise<readonly string[]> {
      until.stopped = true
      await Promise.all(clients)
      await Promise.all(agents.map((agent) => agent.close()))
      const rate = (count.answered * 1000) / (performance.now() - startedAt)
      if (IS_LONG) console.info(`${count.answered} calls were answered, ${rate.toFixed(0)} a second`)
      return failed
    },
  }
}

async function join(balancer: Balancer, env: Env, folder: string): Promise<GatewayProcess> {
  const gateway = await aGatewayProcess(env, folder)
  balancer.add(gateway.url)
  await vi.waitFor(() => expect(balancer.inRotation(gateway.url)).toBe(true), PATIENT)
  return gateway
}

const engines: readonly (readonly [name: string, here: boolean, env: () => Promise<Env>])[] = [
  ['a SQLite file', true, async () => ({})],
  [`a PostgreSQL database (${postgresHere})`, hasPostgres, async () => ({ DATABASE_URL: await address('migrated') })],
]

describe.each(engines)('a rolling restart of three gateways on %s', (_name, here, databaseOf) => {
  const rate = ` at ${PER_SECOND} calls a second${IS_LONG ? '' : ' (500 in the long mode)'}`
  it.skipIf(!here)(`fails no call${rate}, and one of the new ones leads`, { timeout: 600_000 }, async () => {
    const shop = await aServer(echoing)
    const balancer = await startBalancer()
    onTestFinished(balancer.close)
    const folder = aFolder()
    const env = { ...FLEET, ...(await databaseOf()) }
    const first = await aGatewayProcess({ ...env, INSTANCE_ID: 'one' }, folder)
    await registered(first, { name: 'shop', base_url: shop.url, tools: [TOOL] })
    balancer.add(first.url)
    await vi.waitFor(() => expect(balancer.inRotation(first.url)).toBe(true), PATIENT)
    const old = [first]
    for (const name of ['two', 'three']) old.push(await join(balancer, { ...env, INSTANCE_ID: name }, folder))

    const calls = traffic(balancer.url)
    const others: GatewayProcess[] = []
    for (const [at, gateway] of old.entries()) {
      await vi.waitFor(() => expect(balancer.served(gateway.url)).toBeGreaterThan(SERVED), PATIENT)
      gateway.signal('SIGTERM')
      await vi.waitFor(() => expect(balancer.inRotation(gateway.url)).toBe(false), PATIENT)
      const before = calls.answered()
      // It gets no new calls any more, so that the next one starts while it drains.
      const [{ code }, next] = await Promise.all([
        gateway.exited,
        join(balancer, { ...env, INSTANCE_ID: `next-${at}` }, folder),
      ])
      expect(code).toBe(0)
      expect(calls.answered()).toBeGreaterThan(before)
      await balancer.remove(gateway.url)
      await vi.waitFor(() => expect(balancer.served(next.url)).toBeGreaterThan(SERVED), PATIENT)
      others.push(next)
    }
    expect(await calls.stop()).toEqual([])
    const leads = async (): Promise<number> =>
      (await Promise.all(others.map(({ ask }) => ask('/readyz')))).filter(({ status }) => status === 200).length
    await vi.waitFor(async () => expect(await leads()).toBe(1), PATIENT)
  })
})

describe.skipIf(!onLinux)(`a rolling replacement of the processes of one gateway${unlessLinux}`, () => {
  it('fails no call: connections go to the others while one leaves', { timeout: 300_000 }, async () => {
    const shop = await aServer(echoing)
    const env = { ...NEAR, RATE_LIMIT_MCP: '1000000', SHUTDOWN_DRAIN_MS: String(DRAIN_MS) }
    const { gateway, all } = await aGatewayOfProcesses(env, 2)
    await registered(gateway, { name: 'shop', base_url: shop.url, tools: [TOOL] })
    await meet(all)
    const calls = traffic(gateway.url)
    const served = async (): Promise<void> => {
      const before = calls.answered()
      await vi.waitFor(() => expect(calls.answered()).toBeGreaterThan(before + SERVED), PATIENT)
    }
    for (const { name, ask } of all) {
      await served()
      const old = pidsOf(gateway).get(name)
      if (old === undefined) throw new Error('No such process runs')
      process.kill(old, 'SIGTERM')
      await vi.waitFor(() => expect(isRunning(old)).toBe(false), PATIENT)
      // The door finds the process of this name only once it serves.
      await vi.waitFor(async () => expect((await ask('/livez')).status).toBe(200), PATIENT)
    }
    await served()
    expect(await calls.stop()).toEqual([])
  })
})
