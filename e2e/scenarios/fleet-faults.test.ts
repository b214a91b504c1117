// Faults between instances of one PostgreSQL database: notices that are lost, a network that drops everything, and clocks an hour apart.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { act, bearer, mint, outcome } from './access.fixture.ts'
import { anUpstream, aShopProcess, register } from './data-plane.fixture.ts'
import { aFolder, type Env, type Gateway, UNCHECKED } from './gateway.fixture.ts'
import type { GatewayProcess } from './gateway-process.fixture.ts'
import { startProxy, type TcpProxy } from './tcp-proxy.fixture.ts'

const address = usePostgres()
/** A statement that the network held is given up first. */
const SOON = { timeout: 90_000, interval: 50 }
const HOUR_MS = 3_600_000
const MOVED = { NODE_OPTIONS: `--import=${new URL('moved-clock.mjs', import.meta.url).href}` }
const SHARED: Env = {
  ...UNCHECKED,
  ALLOW_SECOND_INSTANCE: 'true',
  REGISTRY_SYNC: 'true',
  REGISTRY_MAX_STALENESS_MS: '2000',
  LEADER_LEASE_DURATION_MS: '3000',
}

async function through(url: string): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const proxied = new URL(url)
  const proxy = await startProxy(Number(proxied.port))
  onTestFinished(proxy.close)
  proxied.port = String(proxy.port)
  return { proxy, url: proxied.href }
}

type Fleet = { readonly fleet: { readonly instances: number; readonly oldest: number; readonly newest: number } }
const readiness = async (gateway: Gateway): Promise<Fleet> => (await gateway.ask('/readyz?for=traffic')).json as Fleet // by the contract

async function meet(...gateways: readonly Gateway[]): Promise<void> {
  for (const each of gateways)
    await expect.poll(() => readiness(each), SOON).toMatchObject({ fleet: { instances: gateways.length } })
}

describe.skipIf(!hasPostgres)(`two gateways on PostgreSQL (${postgresHere})`, () => {
  it('apply a revocation without notices, and refuse calls while they cannot read any', {
    timeout: 300_000,
  }, async () => {
    const url = await address('migrated')
    const [database, notices] = [await through(url), await through(url)]
    const first = await aShopProcess({ ...SHARED, DATABASE_URL: url, INSTANCE_ID: 'one' }, aFolder())
    await register(first, await anUpstream())
    const apart = { DATABASE_URL: database.url, DATABASE_URL_DIRECT: notices.url, INSTANCE_ID: 'two' }
    const second = await aShopProcess({ ...SHARED, ...apart }, aFolder())
    await meet(first, second)
    const [lost, dropped, steady] = [await mint(first), await mint(first), await mint(first)]
    for (const { key } of [lost, dropped, steady])
      await expect.poll(() => outcome(second, bearer(key)), SOON).toBe('ok')

    notices.proxy.hold()
    expect((await act(first, lost, 'revoke')).status).toBe(200)
    await expect.poll(() => outcome(second, bearer(lost.key)), SOON).toBe('401 UNAUTHORIZED')

    database.proxy.hold()
    expect((await act(first, dropped, 'revoke')).status).toBe(200)
    for (const { key } of [dropped, steady])
      await expect.poll(() => outcome(second, bearer(key)), SOON).toBe('503 DATABASE_UNAVAILABLE')
    await expect.poll(() => outcome(first, bearer(steady.key)), SOON).toBe('ok')

    database.proxy.restore()
    notices.proxy.restore()
    await expect.poll(() => outcome(second, bearer(steady.key)), SOON).toBe('ok')
    await expect.poll(() => outcome(second, bearer(dropped.key)), SOON).toBe('401 UNAUTHORIZED')
  })

  it('keep one leader and each other when their clocks are an hour apart', { timeout: 300_000 }, async () => {
    const url = await address('migrated')
    const start = async (id: string, offMs: number): Promise<GatewayProcess> => {
      const gateway = await aShopProcess({ ...SHARED, ...MOVED, DATABASE_URL: url, INSTANCE_ID: id }, aFolder())
      writeFileSync(join(gateway.folder, 'clock'), String(offMs))
      gateway.signal('SIGUSR2')
      await expect.poll(gateway.output, SOON).toContain(`the clock is off by ${offMs} ms`)
      return gateway
    }
    const ahead = await start('ahead', HOUR_MS)
    await expect.poll(async () => (await ahead.ask('/readyz')).status, SOON).toBe(200)
    const behind = await start('behind', -HOUR_MS)
    await meet(ahead, behind)
    await register(ahead, await anUpstream())
    const key = await mint(behind)
    for (const each of [ahead, behind]) await expect.poll(() => outcome(each, bearer(key.key)), SOON).toBe('ok')
    expect((await act(ahead, key, 'revoke')).status).toBe(200)
    await expect.poll(() => outcome(behind, bearer(key.key)), SOON).toBe('401 UNAUTHORIZED')

    // A lease that was written an hour ahead must not outlive its holder by an hour.
    ahead.signal('SIGKILL')
    await expect.poll(async () => (await behind.ask('/readyz')).status, SOON).toBe(200)
    await meet(behind)
  })
})
