// Several gateways on one database: what one of them changes, the others apply within a second.
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { act, bearer, change, listed, mint, outcome, subscribe } from './access.fixture.ts'
import { anUpstream, aShopProcess, configure, disable, register, type Upstream } from './data-plane.fixture.ts'
import { aFolder, type Ends, type Env, endsOfSuite, type Gateway, UNCHECKED } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'

const address = usePostgres()
/** The promise is a second; a machine that runs other tests may need longer. */
const SOON = { timeout: 30_000, interval: 50 }
/** Longer than several polls. */
const NEVER_MS = 2_000

const engines: readonly (readonly [name: string, here: boolean, env: () => Promise<Env>])[] = [
  ['a SQLite file', true, async () => ({})],
  [`PostgreSQL (${postgresHere})`, hasPostgres, async () => ({ DATABASE_URL: await address('migrated') })],
]

const SHARED: Env = { ...UNCHECKED, ALLOW_SECOND_INSTANCE: 'true' }

async function both(env: Env, ends: Ends = onTestFinished): Promise<readonly [Gateway, Gateway]> {
  const folder = aFolder(ends)
  const shared = { ...SHARED, ...env }
  const writer = await aShopProcess({ ...shared, INSTANCE_ID: 'writer' }, folder, ends)
  return [writer, await aShopProcess({ ...shared, INSTANCE_ID: 'other' }, folder, ends)]
}

describe.each(engines)('two instances on %s', (_name, here, databaseOf) => {
  describe.skipIf(!here)('with REGISTRY_SYNC', () => {
    let writer: Gateway
    let other: Gateway
    let upstream: Upstream
    const ends = endsOfSuite()
    beforeAll(async () => {
      if (!here) return
      ;[writer, other] = await both({ REGISTRY_SYNC: 'true', ...(await databaseOf()) }, ends)
      upstream = await anUpstream(ends)
    })

    it('refuse what one of them revoked, disabled or deleted [gw.setting.registry_sync]', async () => {
      await register(writer, upstream)
      const [gone, off, stays] = [await mint(writer), await mint(writer), await mint(writer)]
      const asked = (key: string, name = 'ok') => outcome(other, bearer(key), { name })
      for (const { key } of [gone, off, stays]) await expect.poll(() => asked(key), SOON).toBe('ok')
      const stream = await subscribe(other, bearer(gone.key))
      expect(stream.status).toBe(200)

      await act(writer, gone, 'revoke')
      await change(writer, off, { enabled: false })
      for (const { key } of [gone, off]) await expect.poll(() => asked(key), SOON).toBe('401 UNAUTHORIZED')
      await stream.ended
      expect(await asked(stays.key)).toBe('ok')

      await configure(writer, 'ok', { enabled: false })
      await expect.poll(() => asked(stays.key), SOON).not.toBe('ok')
      await configure(writer, 'ok', { enabled: true })
      await expect.poll(() => asked(stays.key), SOON).toBe('ok')

      await change(writer, stays, { allowedTools: ['petstore__hang'] })
      await expect.poll(() => asked(stays.key), SOON).not.toBe('ok')
      await change(writer, stays, { allowedTools: null })
      await expect.poll(() => asked(stays.key), SOON).toBe('ok')

      await disable(writer)
      await expect.poll(() => asked(stays.key), SOON).not.toBe('ok')
      await disable(writer, true)
      await expect.poll(() => asked(stays.key), SOON).toBe('ok')

      await writer.admin('/admin-api/clients/petstore', { method: 'DELETE' })
      await expect.poll(() => asked(stays.key), SOON).toMatch(/^404/)
    })

    it('serve what one of them added, and say which version they have applied', async () => {
      await register(writer, upstream, 'fresh')
      const { key } = await mint(writer)
      const to = { path: '/mcp/fresh' }
      await expect.poll(() => outcome(other, bearer(key), to), SOON).toBe('ok')
      await writer.admin('/admin-api/bundles', {
        method: 'POST',
        body: { name: 'tools-of-fresh', tools: [{ client: 'fresh', tool: 'ok' }] },
      })
      await expect
        .poll(() => listed(other, bearer(key), '/mcp-custom/tools-of-fresh').catch(String), SOON)
        .toContain('fresh__ok')
      await writer.admin('/admin-api/bundles/tools-of-fresh', { method: 'PATCH', body: { enabled: false } })
      await expect
        .poll(() => listed(other, bearer(key), '/mcp-custom/tools-of-fresh').catch(String), SOON)
        .not.toContain('fresh__ok')
      const version = async (gateway: Gateway) => (await reading(gateway))('mcp_registry_version')
      await expect.poll(async () => (await version(other)) === (await version(writer)), SOON).toBe(true)
      expect(await version(other)).toBeGreaterThan(0)
    })
  })

  it.skipIf(!here)(
    'restore a backend that was torn down at the next reconciliation [gw.setting.registry_sync_interval_ms]',
    async () => {
      const env = { REGISTRY_SYNC: 'true', REGISTRY_SYNC_INTERVAL_MS: '3000', ...(await databaseOf()) }
      const writer = await aShopProcess({ ...SHARED, ...env })
      await register(writer, await anUpstream())
      const { key } = await mint(writer)
      expect((await writer.admin('/clients/petstore', { method: 'DELETE' })).status).toBeLessThan(300)
      expect(await outcome(writer, bearer(key))).toMatch(/^404/)
      await expect.poll(() => outcome(writer, bearer(key)), SOON).toBe('ok')
    },
  )

  it.skipIf(!here)('keep what they started with where REGISTRY_SYNC is off', async () => {
    const [writer, other] = await both(await databaseOf())
    await register(writer, await anUpstream())
    await pause(NEVER_MS)
    expect((await other.admin('/admin-api/clients/petstore')).status).toBe(404)
  })
})
