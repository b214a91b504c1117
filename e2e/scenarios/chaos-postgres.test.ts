// Faults of a PostgreSQL server, of the network to it and of an instance that shares it, and what must hold under each.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { ON_POSTGRES } from '../chaos/faults.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { type Env, UNCHECKED } from './gateway.fixture.ts'
import { type GatewayProcess, LIGHT_PASSWORDS } from './gateway-process.fixture.ts'
import { codeOf, echoing, registered, spawnNear, TOOL } from './registration.fixture.ts'
import { startProxy, type TcpProxy } from './tcp-proxy.fixture.ts'

const address = usePostgres()
const LEASE_MS = 3_000
/** The bound of the specification for a standby, in every state of the leader. */
const LEADS_WITHIN = { timeout: 20_000, interval: 100 }
const RECOVERS_WITHIN = { timeout: 60_000, interval: 250 }
const CLIENTS = 6
/** Rows that pile up would end a gateway with so small a heap; a lazy collector alone lets it grow by some hundred MB. */
const SMALL_HEAP = { NODE_OPTIONS: `${LIGHT_PASSWORDS} --max-old-space-size=256` }
const GROWTH_MB = 600

type Ended = { readonly id: string; readonly kind: 'answered' | 'refused' | 'lost'; readonly what: string }

/** One call; `refused` is 503 with the code, `lost` a connection that ended, as with a process that was killed. */
async function called(gateway: GatewayProcess): Promise<Ended> {
  const id = randomUUID()
  try {
    const answer = await gateway.ask('/mcp/shop', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        'x-request-id': id,
      },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello', arguments: {} } },
    })
    if (answer.status === 200) return { id, kind: 'answered', what: answer.text }
    const { error } = answer.json as { error: { code: unknown; data?: { code?: string } } } // both envelopes of an error
    const code = String(error.data?.code ?? error.code)
    if (answer.status === 503 && code === 'DATABASE_UNAVAILABLE') return { id, kind: 'refused', what: code }
    throw new Error(`A call was answered ${answer.status}: ${answer.text}`)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { id, kind: 'lost', what: String(error.code) }
    throw error
  }
}

/** Clients that call one after another until they are stopped; none of them may wait for ever. */
function traffic(gateways: readonly GatewayProcess[]) {
  const ended: Ended[] = []
  const until = { stopped: false }
  const clients = gateways.flatMap((gateway) =>
    Array.from({ length: CLIENTS }, async () => {
      while (!until.stopped) {
        const one = await called(gateway)
        ended.push(one)
        // Two gateways and a server share the machine with other tests: what counts is the fault, not the rate.
        await pause(150)
      }
    }),
  )
  return {
    ended,
    async stop(): Promise<readonly Ended[]> {
      until.stopped = true
      await Promise.all(clients)
      return ended
    },
  }
}

function mayMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const canMount = hasPostgres && process.platform === 'linux' && mayMount()

const residentMb = ({ pid }: GatewayProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

describe.skipIf(!hasPostgres || process.platform !== 'linux')(`faults on PostgreSQL (${postgresHere})`, () => {
  let shop: UpstreamServer
  let url: URL
  let proxy: TcpProxy
  /** Its connections go through the proxy. */
  let leader: GatewayProcess
  let standby: GatewayProcess
  let server: pg.Client

  const begin = (env: Env): Promise<GatewayProcess> =>
    spawnNear({
      ...UNCHECKED,
      ALLOW_SECOND_INSTANCE: 'true',
      AUDIT_TOOL_CALLS: 'all',
      LEADER_LEASE_DURATION_MS: String(LEASE_MS),
      RATE_LIMIT_MCP: '1000000',
      ...SMALL_HEAP,
      ...env,
    })
  const leads = async (gateway: GatewayProcess): Promise<boolean> =>
    !(await gateway.ask('/readyz')).text.includes('not_leader')
  const asked = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await server.query<T>(text, values)).rows
  /** The processes of the server that work for the leader. */
  const backendsOfLeader = async (): Promise<number[]> =>
    (
      await asked<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'gantry' and client_port = any($1)",
        [proxy.ports()],
      )
    ).map(({ pid }) => pid)
  const login = (gateway: GatewayProcess) =>
    gateway.ask('/admin-api/auth/login', { method: 'POST', body: { username: 'missing', password: 'wrong' } })

  beforeAll(async () => {
    if (hasPostgres) shop = await startServer(echoing)
  })
  afterAll(() => shop?.close())
  beforeEach(async () => {
    url = new URL(await address('migrated'))
    proxy = await startProxy(Number(url.port))
    server = new pg.Client({ connectionString: url.href })
    server.on('error', () => undefined)
    await server.connect()
    const through = new URL(url)
    through.port = String(proxy.port)
    leader = await begin({ INSTANCE_ID: 'first', DATABASE_URL: through.href })
    await registered(leader, { name: 'shop', base_url: shop.url, tools: [TOOL] })
    standby = await begin({ INSTANCE_ID: 'second', DATABASE_URL: url.href })
  })
  afterEach(async () => {
    proxy.restore()
    for (const gateway of [leader, standby]) {
      gateway.signal('SIGCONT')
      await gateway.end()
    }
    await server.end().catch(() => undefined)
    await proxy.close()
  })

  async function asServer(statements: readonly string[]): Promise<void> {
    const other = new URL(url)
    other.pathname = '/postgres'
    const admin = new pg.Client({ connectionString: other.href })
    await admin.connect()
    for (const statement of statements) await admin.query(statement)
    await admin.end()
  }

  /** The table of what must hold, for every fault. */
  async function mustHold(ended: readonly Ended[], before: readonly number[]): Promise<void> {
    const alive = [leader, standby]
    const rows = await asked<{ request_id: string }>('select request_id from calls')
    const times = new Map<string, number>()
    for (const { request_id } of rows) times.set(request_id, (times.get(request_id) ?? 0) + 1)
    const answered = ended.filter(({ kind }) => kind === 'answered')
    expect(answered.length).toBeGreaterThan(0)
    // No answered call without its row, and no row twice.
    expect(answered.filter(({ id }) => !times.has(id))).toEqual([])
    expect([...times.values()].filter((count) => count > 1)).toEqual([])
    const verdicts = []
    for (const gateway of alive)
      if (!killed.has(gateway)) verdicts.push((await gateway.admin('/admin-api/audit-log/verify')).json)
    for (const verdict of verdicts) expect(verdict).toMatchObject({ valid: true })
    for (const [at, gateway] of alive.entries())
      if (!killed.has(gateway)) expect(residentMb(gateway) - (before[at] ?? 0)).toBeLessThan(GROWTH_MB)
  }
  const killed = new Set<GatewayProcess>()

  /** The leader's row of a lease ran out, or it does not hold it: exactly one may write as the leader. */
  const standbyLeads = () => vi.waitFor(async () => expect(await leads(standby)).toBe(true), LEADS_WITHIN)
  const bothServe = () =>
    vi.waitFor(async () => {
      for (const gateway of [leader, standby]) {
        expect((await gateway.ask('/readyz')).text).not.toContain('db_unavailable')
        expect((await called(gateway)).kind).toBe('answered')
      }
    }, RECOVERS_WITHIN)

  /** Freezes the leader while it holds the lock of the audit chain in an open transaction. */
  async function freezeInTransaction(): Promise<void> {
    proxy.slow(100)
    void login(leader).catch(() => undefined)
    await vi.waitFor(
      async () => {
        const holding = await asked(
          "select 1 from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted and client_port = any($1)",
          [proxy.ports()],
        )
        if (holding.length === 0) {
          void login(leader).catch(() => undefined)
          throw new Error('No transaction of the leader holds the chain yet')
        }
        leader.signal('SIGSTOP')
      },
      { timeout: 30_000, interval: 20 },
    )
    proxy.slow(0)
  }

  const FAULTS: readonly {
    readonly fault: string
    readonly must: string
    readonly act: () => Promise<void>
  }[] = [
    {
      ...ON_POSTGRES.killed,
      async act() {
        leader.signal('SIGKILL')
        killed.add(leader)
        await standbyLeads()
      },
    },
    {
      ...ON_POSTGRES.stopped,
      async act() {
        leader.signal('SIGSTOP')
        await standbyLeads()
        leader.signal('SIGCONT')
        await vi.waitFor(async () => expect(await leads(leader)).toBe(false), LEADS_WITHIN)
        expect(await leads(standby)).toBe(true)
        await bothServe()
      },
    },
    {
      ...ON_POSTGRES.stoppedInTransaction,
      async act() {
        await freezeInTransaction()
        const begun = performance.now()
        const [refused] = await Promise.all([login(standby), standbyLeads()])
        // The login was judged and audited: it waited for the chain no longer than the server lets a frozen client hold it.
        expect(refused.status).toBe(401)
        expect(performance.now() - begun).toBeLessThan(LEADS_WITHIN.timeout)
        expect((await called(standby)).kind).toBe('answered')
        leader.signal('SIGCONT')
        await bothServe()
        expect(await leads(standby)).toBe(true)
      },
    },
    {
      ...ON_POSTGRES.cut,
      async act() {
        for (let again = 0; again < 10; again++) {
          proxy.cut()
          await pause(20)
          proxy.restore()
          await pause(100)
        }
        proxy.cut()
        await standbyLeads()
        await vi.waitFor(async () => expect((await called(leader)).kind).toBe('refused'), RECOVERS_WITHIN)
        for (const answer of [await login(leader), await leader.admin('/admin-api/calls')])
          expect([answer.status, codeOf(answer)]).toEqual([503, 'DATABASE_UNAVAILABLE'])
        proxy.restore()
        await bothServe()
      },
    },
    {
      ...ON_POSTGRES.dropped,
      async act() {
        proxy.hold()
        await standbyLeads()
        await vi.waitFor(async () => expect((await called(leader)).kind).toBe('refused'), RECOVERS_WITHIN)
        expect((await leader.ask('/readyz')).text).toContain('db_unavailable')
        proxy.restore()
        await bothServe()
      },
    },
    {
      ...ON_POSTGRES.slow,
      async act() {
        proxy.slow(30)
        await pause(3_000)
        expect((await called(leader)).kind).toBe('answered')
        proxy.restore()
        await bothServe()
      },
    },
    {
      ...ON_POSTGRES.serverStopped,
      async act() {
        const stopped = await backendsOfLeader()
        for (const pid of stopped) process.kill(pid, 'SIGSTOP')
        try {
          await bothServe()
        } finally {
          for (const pid of stopped) process.kill(pid, 'SIGCONT')
        }
      },
    },
    {
      ...ON_POSTGRES.serverKilled,
      async act() {
        const [pid] = await backendsOfLeader()
        if (pid === undefined) throw new Error('The leader has no connection')
        // The server ends all connections once it notices: one made before that is lost with the rest.
        const noticed = new Promise((resolve) => server.once('end', resolve))
        process.kill(pid, 'SIGKILL')
        await noticed
        await vi.waitFor(async () => {
          server = new pg.Client({ connectionString: url.href })
          server.on('error', () => undefined)
          await server.connect()
        }, RECOVERS_WITHIN)
        await bothServe()
      },
    },
  ]

  it.skipIf(!canMount)(
    `${ON_POSTGRES.fullDisk.fault} (${canMount ? 'a small tmpfs' : 'skipped: no right to mount a tmpfs'}): ${ON_POSTGRES.fullDisk.must}; the same holds`,
    async () => {
      await standby.end()
      await leader.end()
      await server.end()
      const folder = mkdtempSync(path.join(tmpdir(), 'gantry-full-'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m,mode=700,uid=65534,gid=65534', 'tmpfs', folder])
      onTestFinished(() => void execFileSync('umount', ['-l', folder]))
      const database = url.pathname.slice(1)
      await asServer([
        `create tablespace small location '${folder}'`,
        `alter database ${database} set tablespace small`,
      ])
      // A server that recovers looks for every tablespace it has written to since its last checkpoint.
      onTestFinished(() => asServer([`drop database ${database}`, 'drop tablespace small', 'checkpoint']))
      server = new pg.Client({ connectionString: url.href })
      await server.connect()
      leader = await begin({ INSTANCE_ID: 'third', DATABASE_URL: url.href })
      standby = leader
      const calls = traffic([leader])
      await vi.waitFor(() => expect(calls.ended.length).toBeGreaterThan(100), RECOVERS_WITHIN)
      const before = [residentMb(leader)]
      const filler = path.join(folder, 'filler')
      execFileSync('sh', ['-c', `dd if=/dev/zero of=${filler} bs=64k 2>/dev/null || true`])
      await vi.waitFor(async () => expect((await called(leader)).kind).toBe('refused'), RECOVERS_WITHIN)
      expect((await leader.ask('/livez')).status).toBe(200)
      rmSync(filler)
      await vi.waitFor(async () => expect((await called(leader)).kind).toBe('answered'), RECOVERS_WITHIN)
      await mustHold(await calls.stop(), before)
    },
  )

  /** Each fault takes two gateways a quarter of a minute; every run shows these, the long mode all of them. */
  const ALWAYS: readonly string[] = [
    ON_POSTGRES.killed.fault,
    ON_POSTGRES.stoppedInTransaction.fault,
    ON_POSTGRES.cut.fault,
    ON_POSTGRES.serverKilled.fault,
  ]
  for (const { fault, must, act } of FAULTS) {
    const runs = IS_LONG || ALWAYS.includes(fault)
    const why = runs ? '' : ' (skipped: runs in the long mode, GANTRY_FUZZ_MINUTES)'
    it.skipIf(!runs)(
      `${fault}: ${must}; no answered call lacks its row, none has two, the audit chain verifies${why}`,
      async () => {
        killed.clear()
        const calls = traffic([leader, standby])
        await vi.waitFor(() => expect(calls.ended.length).toBeGreaterThan(100), RECOVERS_WITHIN)
        // With what any gateway grows by in its first calls.
        const before = [leader, standby].map(residentMb)
        await act()
        await mustHold(await calls.stop(), before)
      },
    )
  }
})
