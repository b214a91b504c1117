// A gateway whose rows are on a PostgreSQL server, and two that share them.
import { readdirSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { type Env } from './gateway.fixture.ts'
import { type GatewayProcess, refusedStart } from './gateway-process.fixture.ts'
import { reading } from './metrics.fixture.ts'
import { call, codeOf, echoing, listed, registered, spawnNear, TOOL } from './registration.fixture.ts'

const address = usePostgres()
const POOL = 2
const SOON = { timeout: 20_000, interval: 50 }

describe.skipIf(!hasPostgres)(`rows on a PostgreSQL server (${postgresHere})`, () => {
  let env: Env
  let shop: UpstreamServer
  let gateway: GatewayProcess
  const begin = (more: Env = {}): Promise<GatewayProcess> => spawnNear({ ...env, ...more })

  /** What the server itself says. */
  async function asked<T extends pg.QueryResultRow>(text: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: env['DATABASE_URL'] })
    await client.connect()
    try {
      return (await client.query<T>(text)).rows
    } finally {
      await client.end()
    }
  }
  const connections = async (): Promise<number> =>
    (await asked("select 1 from pg_stat_activity where application_name = 'gantry' and datname = current_database()"))
      .length

  beforeAll(async () => {
    if (!hasPostgres) return
    env = {
      DATABASE_URL: await address('migrated'),
      DATABASE_POOL_MAX: String(POOL),
      LEADER_LEASE_DURATION_MS: '5000',
      ALLOW_SECOND_INSTANCE: 'true',
    }
    shop = await startServer(echoing)
    gateway = await begin({ INSTANCE_ID: 'the-first' })
    await registered(gateway, { name: 'shop', base_url: shop.url, tools: [TOOL] })
  })
  afterAll(async () => {
    await gateway?.end()
    await shop?.close()
  })

  it('serves from there, keeps no database file, and never more connections than it may [ct.17.effect.database_url ct.17.effect.database_pool_max]', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => call(gateway, 'shop', 'hello')))
    expect(answers.filter(({ isError }) => isError)).toEqual([])
    const rows = async (): Promise<number> => {
      const [{ n } = { n: 0 }] = await asked<{ n: string }>("select count(*) as n from calls where tool = 'hello'")
      return Number(n)
    }
    await expect.poll(rows).toBe(30)
    const many = Array.from({ length: 20 }, () => gateway.admin('/admin-api/calls?limit=200'))
    let most = 0
    const watched = Promise.all(many).then((message) => message.map(({ status }) => status))
    for (let at = 0; at < 10; at++) most = Math.max(most, await connections())
    expect([...new Set(await watched)]).toEqual([200])
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(POOL)
    expect(readdirSync(gateway.folder).filter((name) => name.startsWith('gantry.db'))).toEqual([])
    expect((await gateway.admin('/admin-api/audit-log/verify')).json).toMatchObject({ valid: true })
  })

  it('is not copied by the gateway [ct.7.8.backup-external ct.18.not_supported]', async () => {
    const answer = await gateway.admin('/admin-api/backup', { method: 'POST' })
    expect([answer.status, codeOf(answer)]).toEqual([501, 'NOT_SUPPORTED'])
    expect(answer.text).toContain('pg_dump')
  })

  it('goes on when its connections are cut, in the middle of queries too', async () => {
    const cutting = (async () => {
      for (let cut = 0; cut < 20; cut++)
        await asked(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gantry' and datname = current_database()",
        )
    })()
    // A read of an admin may fail in the meantime, with the reason; no call does.
    for (let turn = 0; turn < 30; turn++) {
      await gateway.admin('/admin-api/calls')
      expect((await call(gateway, 'shop', 'hello')).isError ?? false).toBe(false)
    }
    await cutting
    await vi.waitFor(async () => expect((await gateway.ask('/readyz')).status).toBe(200), SOON)
    expect((await call(gateway, 'shop', 'hello')).isError ?? false).toBe(false)
    expect((await gateway.ask('/livez')).status).toBe(200)
  })

  it('is shared: one instance leads, each serves, and another leads when that one ends [gw.ops.stateless ct.14.mcp_leader gw.setting.instance_id gw.setting.leader_lease_duration_ms]', async () => {
    const second = await begin({ INSTANCE_ID: 'the-second' })
    try {
      const leads = async (one: GatewayProcess): Promise<readonly unknown[]> => [
        (await one.ask('/readyz')).status,
        (await reading(one))('mcp_leader'),
        ((await one.admin('/admin-api/overview')).json as { instanceId: string }).instanceId,
      ]
      expect([await leads(gateway), await leads(second)]).toEqual([
        [200, 1, 'the-first'],
        [503, 0, 'the-second'],
      ])
      expect((await second.ask('/readyz')).json).toMatchObject({ reasons: ['not_leader'] })
      expect(await listed(second, 'shop')).toEqual(['hello'])
      expect((await call(second, 'shop', 'hello')).isError ?? false).toBe(false)
      const [held] = await asked<{ holder: string }>('select holder from leases')
      expect(held?.holder).toBe('the-first')
      // It dies without a word: its lease has to run out.
      await gateway.end()
      await vi.waitFor(async () => expect(await leads(second)).toEqual([200, 1, 'the-second']), SOON)
      expect((await second.admin('/admin-api/audit-log/verify')).json).toMatchObject({ valid: true })
    } finally {
      gateway = second
    }
  })

  it('states what to do where there is no such server, and never shows the password', async () => {
    const exit = await refusedStart({ DATABASE_URL: 'postgres://gantry:hunter2@127.0.0.1:1/gantry' })
    expect([exit.code, exit.stderr]).toEqual([74, expect.stringContaining('check DATABASE_URL and its server')])
    expect(exit.stderr + exit.stdout).not.toContain('hunter2')
  })
})
