// One gateway of several processes on one port and one file: calls spread, a process that is killed loses nothing, and all end together.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { opened, openLedger } from '../chaos/ledger.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { act, bearer, mint, outcome } from './access.fixture.ts'
import { anUpstream, aShopProcess, ROOMY, register, rpc } from './data-plane.fixture.ts'
import { answered, everywhere } from './fleet.fixture.ts'
import { aFolder, endsOfSuite, type Gateway, onLinux, unlessLinux } from './gateway.fixture.ts'
import { aGatewayProcess, type GatewayProcess, refusedStart } from './gateway-process.fixture.ts'
import { listed, program, writeServers } from './local-servers.fixture.ts'
import { reading } from './metrics.fixture.ts'
import { aGatewayOfProcesses, isRunning, type OneOf, pidsOf } from './processes.fixture.ts'

vi.setConfig({ testTimeout: 180_000 })
const SOON = { timeout: 60_000, interval: 50 }

const leaderOf = async (gateway: Gateway): Promise<string | undefined> => {
  const { json } = await gateway.admin('/admin-api/instances')
  const { items } = json as { items: { id: string; leader: boolean }[] } // by the contract
  return items.find(({ leader }) => leader)?.id
}

/** It is replaced, under its name. */
async function kill(gateway: GatewayProcess, killed: OneOf | undefined): Promise<void> {
  const pid = killed && pidsOf(gateway).get(killed.name)
  if (pid === undefined) throw new Error('No such process runs')
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isRunning(pid), SOON).toBe(false)
  // The door finds the process of this name only once it serves.
  await expect.poll(() => killed?.ask('/livez').then(({ status }) => status), SOON).toBe(200)
  expect(pidsOf(gateway).get(killed?.name ?? '')).not.toBe(pid)
}

describe.skipIf(!onLinux)(`the processes of one gateway${unlessLinux}`, () => {
  const ends = endsOfSuite()
  let shared: Awaited<ReturnType<typeof aGatewayOfProcesses>>
  beforeAll(async () => {
    if (!onLinux) return
    const folder = aFolder(ends)
    const file = join(folder, 'servers.json')
    writeServers(file, { notes: program() })
    shared = await aGatewayOfProcesses({ LOCAL_SERVERS_FILE: file }, 2, folder, ends)
  })

  it('run each its own local servers, which are stopped for all of them', async () => {
    // Before there is a key: until then, callers need none.
    const { all } = shared
    const pids = new Set<number>()
    const stateOf = async (each: Gateway): Promise<{ state: string; processes: { pid: number }[] }> =>
      (await each.admin('/admin-api/local-servers/notes')).json as Awaited<ReturnType<typeof stateOf>> // by the contract
    for (const each of all) {
      await listed(each, 'notes')
      const params = { name: 'echo', arguments: { text: 'x' } }
      await expect
        .poll(async () => (await rpc(each, 'tools/call', params, { path: '/mcp/notes' })).text, SOON)
        .toContain('"result"')
      for (const { pid } of (await stateOf(each)).processes) pids.add(pid)
    }
    expect(pids.size).toBe(2)
    const [first] = all
    await first?.admin('/admin-api/local-servers/notes/stop', { method: 'POST' })
    for (const each of all) await expect.poll(async () => (await stateOf(each)).state, SOON).toBe('stopped')
    expect([...pids].filter(isRunning)).toEqual([])
  })

  it('share the calls of one port, one small limit and one audit log, and are one gateway to monitoring', async () => {
    const { gateway, all } = shared
    await register(gateway, await anUpstream())
    const key = await mint(gateway)
    const headers = bearer(key.key)
    for (const each of all) await expect.poll(() => outcome(each, headers), SOON).toBe('ok')
    const callsOf = async (name: string): Promise<number> =>
      (await reading(gateway))(`mcp_tool_calls_total{process="${name}",outcome="success"}`)
    const before = await Promise.all(all.map(({ name }) => callsOf(name)))
    expect(await answered({ all: [gateway], headers }, 40)).toEqual({ ok: 40, others: [] })
    for (const [at, { name }] of all.entries()) expect(await callsOf(name)).toBeGreaterThan(before[at] ?? 0)

    await everywhere(gateway, 'addPet', { guards: { rateLimitPerMin: 7 } })
    const limited = { name: 'addPet' }
    expect(await answered({ all, headers }, 40, limited)).toEqual({ ok: 7, others: ['rate_limit'] })

    for (const each of all) {
      expect((await each.ask('/readyz')).status).toBe(200)
      expect((await each.ask('/mcp/petstore')).headers.get('x-rate-limit-degraded')).toBeNull()
    }
    await act(gateway, key, 'revoke')
    for (const each of all) await expect.poll(() => outcome(each, headers), SOON).toBe('401 UNAUTHORIZED')
    expect((await gateway.admin('/admin-api/audit-log/verify')).json).toMatchObject({ valid: true })
  })

  it('are replaced when they are killed, and no answered call is lost, of a follower or of the leader (in the long mode: twice)', async () => {
    const ledger = await openLedger()
    onTestFinished(ledger.close)
    const folder = aFolder()
    const { gateway, all } = await aGatewayOfProcesses({ ...ROOMY, RETRY_MAX_ATTEMPTS: '0' }, 2, folder)
    await opened(gateway, ledger)
    const served = async (): Promise<void> => {
      const before = ledger.answered()
      await vi.waitUntil(() => ledger.answered() >= before + 30, SOON)
    }
    ledger.work(() => gateway)
    for (const which of IS_LONG ? ['follower', 'leader', 'follower', 'leader'] : ['follower', 'leader']) {
      await served()
      const leader = await vi.waitUntil(() => leaderOf(gateway).catch(() => undefined), SOON)
      await kill(
        gateway,
        all.find(({ name }) => (name === leader) === (which === 'leader')),
      )
    }
    await served()
    await ledger.rest()
    await ledger.balanced(gateway)
    // Each of both serves again.
    for (const each of all) expect((await each.ask('/livez')).status).toBe(200)
    expect(gateway.output()).not.toMatch(/ENOENT|\.damaged|could not be signed|has no signed head/)
    await gateway.stop()
    expect(readdirSync(folder).filter((file) => file.includes('.calls-'))).toEqual([])
  })

  it('end together: by a signal, each in order, and when their parent is killed', async () => {
    const folder = aFolder()
    const first = await aShopProcess({ INSTANCES: '2' }, folder)
    const pids = [...pidsOf(first).values()]
    expect(pids).toHaveLength(2)
    expect((await first.stop()).code).toBe(0)
    expect(pids.filter(isRunning)).toEqual([])
    expect(first.output().match(/"reason":"stopped"/g)).toHaveLength(1)

    const second = await aShopProcess({ INSTANCES: '2' }, folder)
    const left = [...pidsOf(second).values()]
    second.signal('SIGKILL')
    await expect.poll(() => left.filter(isRunning), SOON).toEqual([])
    // The next start finds all in order.
    expect((await (await aGatewayProcess({}, folder)).ask('/livez')).status).toBe(200)
  })

  it('have the database for themselves', async () => {
    const folder = aFolder()
    await aGatewayProcess({ INSTANCE_ID: 'plain' }, folder)
    const refused = await refusedStart({ INSTANCES: '2' }, folder)
    expect([refused.code, refused.stderr]).toEqual([69, expect.stringContaining('in use by the instance plain')])
    for (const INSTANCES of ['1', '2']) {
      const next = await refusedStart({ INSTANCES }, shared.gateway.folder)
      expect([next.code, next.stderr]).toEqual([69, expect.stringContaining('in use by the instance one-')])
    }
  })
})

it('several processes are refused where they cannot share a database, and a wrong number of them', async () => {
  const none = await refusedStart({ INSTANCES: '2', DB_PATH: ':memory:' })
  expect([none.code, none.stderr]).toEqual([78, expect.stringContaining('several processes need a database')])
  const wrong = await refusedStart({ INSTANCES: '0', STRICT_CONFIG: 'production' })
  expect([wrong.code, wrong.stderr]).toEqual([78, expect.stringContaining('INSTANCES')])
})
