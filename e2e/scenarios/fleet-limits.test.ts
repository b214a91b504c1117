// Limits and quotas of three gateways that act as one, in processes of their own, with a real Redis and real databases.
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, postgresHere, usePostgres } from '../../gateway/storage/postgres.fixture.ts'
import { hasRedis, redisHere, startRedis } from '../../gateway/storage/redis.fixture.ts'
import { configure } from './data-plane.fixture.ts'
import { aFleet, answered, type Fleet, SOON, useEngines } from './fleet.fixture.ts'
import type { Env } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'

const address = usePostgres()

async function redisOfTest() {
  const redis = await startRedis()
  onTestFinished(redis.end)
  return redis
}

type Store = readonly [name: string, here: boolean, env: () => Promise<Env>]
const STORES: readonly Store[] = [
  [`Redis (${redisHere})`, hasRedis, async () => ({ REDIS_URL: (await redisOfTest()).url })],
  ['the SQLite file', true, async () => ({})],
  [`PostgreSQL (${postgresHere})`, hasPostgres, async () => ({ DATABASE_URL: await address('migrated') })],
]

async function limited({ first, all }: Fleet, perMinute: number): Promise<void> {
  await configure(first, 'ok', { guards: { rateLimitPerMin: perMinute } })
  const { json } = await first.admin('/admin-api/audit-log?limit=1')
  const { items } = json as { readonly items: readonly { readonly id: number }[] } // by the contract
  const version = items[0]?.id ?? Number.POSITIVE_INFINITY
  for (const each of all)
    await expect.poll(async () => (await reading(each))('mcp_registry_version'), SOON).toBeGreaterThanOrEqual(version)
}

describe.each(STORES)('rate limits counted in %s', (_name, here, env) => {
  it.skipIf(!here)(
    'are those of one gateway, over three instances [gw.setting.rate_limit_shared ct.17.effect.redis_url]',
    { timeout: 120_000 },
    async () => {
      const fleet = await aFleet({ RATE_LIMIT_SHARED: 'true', ...(await env()) })
      for (const perMinute of [7, 60, 600]) {
        await limited(fleet, perMinute)
        const { ok, others } = await answered(fleet, perMinute + 200)
        expect(ok).toBeLessThanOrEqual(perMinute)
        expect(others).toEqual(['rate_limit'])
        // The tool counts on under the next limit: what was admitted is within the minute.
        // Two instances may hold permits that they leased ahead, a twelfth of the limit each, while the third is refused.
        expect(ok).toBeGreaterThanOrEqual(perMinute - 60 - 7 - 2 * Math.floor(perMinute / 12))
      }
    },
  )
})

describe.skipIf(!hasRedis)(`sign-in attempts, counted in Redis (${redisHere})`, () => {
  it('are those of one gateway, at whichever instance', { timeout: 120_000 }, async () => {
    const redis = await redisOfTest()
    const fleet = await aFleet({ RATE_LIMIT_SHARED: 'true', REDIS_URL: redis.url, RATE_LIMIT_LOGIN: '9' })
    const statuses: number[] = []
    for (let turn = 0; turn < 15; turn += 1) {
      const gateway = fleet.all[turn % 3]
      const body = { username: 'unknown', password: 'wrong' }
      const answer = await gateway?.ask('/admin-api/auth/login', { method: 'POST', body })
      statuses.push(answer?.status ?? 0)
    }
    expect(statuses.filter((status) => status !== 429)).toHaveLength(9)
    expect(statuses.slice(9)).toEqual([429, 429, 429, 429, 429, 429])
  })
})

describe.each(useEngines())('the monthly quota of a consumer, on %s', (_name, here, env) => {
  it.skipIf(!here)(
    'is one over three instances, exactly, and stays counted when one of them is killed [ct.10.4.quota]',
    { timeout: 120_000 },
    async () => {
      const fleet = await aFleet(await env())
      const made = await fleet.first.admin('/admin-api/consumers', {
        method: 'POST',
        body: { name: 'team', monthlyQuota: 90 },
      })
      const { id } = made.json as { readonly id: number } // a 201 has it
      const key = await fleet.first.admin('/admin-api/mcp-keys', {
        method: 'POST',
        body: { label: 'k', consumerId: id },
      })
      const headers = { authorization: `Bearer ${(key.json as { readonly key: string }).key}` } // a 201 has it
      const ours = { all: fleet.all, headers }
      for (const each of fleet.all)
        await expect.poll(async () => (await answered({ all: [each], headers }, 1)).ok, SOON).toBe(1)
      const used = 3
      const { ok, others } = await answered(ours, 140)
      expect(ok).toBe(90 - used)
      expect(others).toEqual(['quota'])
      await fleet.all[2]?.end()
      expect((await answered({ all: fleet.all.slice(0, 2), headers }, 10)).ok).toBe(0)
      // More of it is there for all of them.
      await fleet.first.admin(`/admin-api/consumers/${id}`, { method: 'PATCH', body: { monthlyQuota: 100 } })
      const rest = async (): Promise<number> => (await answered({ all: fleet.all.slice(0, 2), headers }, 4)).ok
      let more = 0
      await expect.poll(async () => (more += await rest()), SOON).toBe(10)
      expect(await rest()).toBe(0)
    },
  )
})

describe.skipIf(!hasRedis)(`while Redis does not answer (${redisHere})`, () => {
  it('each instance has its share, reports it, and is back within a second', { timeout: 120_000 }, async () => {
    const redis = await redisOfTest()
    const fleet = await aFleet({ RATE_LIMIT_SHARED: 'true', REDIS_URL: redis.url })
    await limited(fleet, 300)
    const before = await answered(fleet, 30)
    expect(before.ok).toBe(30)
    redis.signal('SIGSTOP')
    const during = await answered(fleet, 600)
    expect(during.others).toEqual(['rate_limit'])
    expect(before.ok + during.ok).toBeLessThanOrEqual(330)
    expect(before.ok + during.ok).toBeGreaterThan(240)
    for (const each of fleet.all) {
      expect((await each.ask('/mcp/petstore')).headers.get('x-rate-limit-degraded')).toBe('share')
      const metric = await reading(each)
      expect(metric('mcp_rate_limit_store_up')).toBe(0)
      expect(metric('mcp_rate_limit_degraded_total')).toBeGreaterThan(0)
      expect(each.output()).toContain('Redis does not answer')
    }
    redis.signal('SIGCONT')
    for (const each of fleet.all)
      await expect.poll(async () => (await reading(each))('mcp_rate_limit_store_up'), SOON).toBe(1)
    expect((await fleet.first.ask('/mcp/petstore')).headers.get('x-rate-limit-degraded')).toBeNull()
    // What was admitted without it counts now.
    const after = await answered(fleet, 60)
    expect(before.ok + during.ok + after.ok).toBeLessThanOrEqual(330)
  })

  it('a start does not wait for it, and its end and its return cost no call', { timeout: 120_000 }, async () => {
    const redis = await redisOfTest()
    await redis.end()
    const fleet = await aFleet({ RATE_LIMIT_SHARED: 'true', REDIS_URL: redis.url }, 2)
    expect((await answered(fleet, 40)).ok).toBe(40)
    await redis.again()
    for (const each of fleet.all)
      await expect.poll(async () => (await reading(each))('mcp_rate_limit_store_up'), SOON).toBe(1)
    const calls = answered(fleet, 400)
    await redis.end()
    expect(await calls).toEqual({ ok: 400, others: [] })
  })

  it('refuses calls with RATE_LIMIT_ON_OUTAGE=closed, and allows them with open', { timeout: 120_000 }, async () => {
    for (const [onOutage, ok] of [
      ['closed', 0],
      ['open', 50],
    ] as const) {
      const redis = await redisOfTest()
      const env = { RATE_LIMIT_SHARED: 'true', RATE_LIMIT_ON_OUTAGE: onOutage, REDIS_URL: redis.url }
      const fleet = await aFleet(env, 1)
      await limited(fleet, 10)
      await redis.end()
      expect((await answered(fleet, 50)).ok).toBe(ok)
    }
  })
})
