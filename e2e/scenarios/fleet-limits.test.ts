// Limits and quotas of three gateways that act as one, in processes of their own, with a real Redis and real databases.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasRedis, redisHere, startRedis } from '../../gateway/storage/redis.fixture.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { aFleet, answered, everywhere, type Fleet, SOON, useEngines } from './fleet.fixture.ts'
import { type Ends, endsOfSuite } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'

/** Until the test ends, or its suite. */
async function aRedis(ends: Ends = onTestFinished) {
  const redis = await startRedis()
  ends(redis.end)
  return redis
}

const limited = ({ first }: Fleet, perMinute: number, name = 'ok'): Promise<void> =>
  everywhere(first, name, { guards: { rateLimitPerMin: perMinute } })

/** Of another tool than the other tests: it counts on. */
async function countsAsOne(fleet: Fleet): Promise<void> {
  for (const perMinute of [7, 60, IS_LONG ? 600 : 240]) {
    await limited(fleet, perMinute, 'addPet')
    const { ok, others } = await answered(fleet, perMinute + 60, { name: 'addPet' })
    expect(ok).toBeLessThanOrEqual(perMinute)
    expect(others).toEqual(['rate_limit'])
    // The tool counts on under the next limit: what was admitted is within the minute.
    // Two instances may hold permits that they leased ahead, a twelfth of the limit each, while the third is refused.
    expect(ok).toBeGreaterThanOrEqual(perMinute - 60 - 7 - 2 * Math.floor(perMinute / 12))
  }
}

describe.each(useEngines())('three instances on %s', (_name, here, env) => {
  const ends = endsOfSuite()
  let fleet: Fleet
  beforeAll(async () => {
    if (here) fleet = await aFleet({ RATE_LIMIT_SHARED: 'true', ...(await env()) }, 3, ends)
  })

  it.skipIf(!here)('count rate limits as one gateway [gw.setting.rate_limit_shared]', { timeout: 120_000 }, () =>
    countsAsOne(fleet),
  )

  it.skipIf(!here)(
    'count the monthly quota of a consumer as one, exactly, also when one of them is killed [ct.10.4.quota]',
    { timeout: 120_000 },
    async () => {
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

describe.skipIf(!hasRedis)(`three instances with Redis (${redisHere})`, () => {
  const ends = endsOfSuite()
  let redis: Awaited<ReturnType<typeof aRedis>>
  let fleet: Fleet
  beforeAll(async () => {
    if (!hasRedis) return
    redis = await aRedis(ends)
    fleet = await aFleet({ RATE_LIMIT_SHARED: 'true', REDIS_URL: redis.url, RATE_LIMIT_LOGIN: '9' }, 3, ends)
  })

  it(
    'count rate limits in it as one gateway [gw.setting.rate_limit_shared ct.17.effect.redis_url]',
    {
      timeout: 120_000,
    },
    () => countsAsOne(fleet),
  )

  it('count sign-in attempts in it, at whichever instance', { timeout: 120_000 }, async () => {
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

  it('have their shares while it does not answer, report it, and are back within a second', {
    timeout: 120_000,
  }, async () => {
    await limited(fleet, 300)
    const before = await answered(fleet, 30)
    expect(before.ok).toBe(30)
    redis.signal('SIGSTOP')
    const during = await answered(fleet, 450)
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
    const stated = async (): Promise<unknown> => (await fleet.first.admin('/admin-api/instances')).json
    const all = fleet.all.map(() => expect.objectContaining({ limitsDegraded: 'share' }))
    await expect.poll(stated, SOON).toMatchObject({ items: all })
    redis.signal('SIGCONT')
    for (const each of fleet.all)
      await expect.poll(async () => (await reading(each))('mcp_rate_limit_store_up'), SOON).toBe(1)
    expect((await fleet.first.ask('/mcp/petstore')).headers.get('x-rate-limit-degraded')).toBeNull()
    // What was admitted without it counts now.
    const after = await answered(fleet, 60)
    expect(before.ok + during.ok + after.ok).toBeLessThanOrEqual(330)
  })
})

describe.skipIf(!hasRedis)(`while Redis does not answer (${redisHere})`, () => {
  it('a start does not wait for it, and its end and its return cost no call', { timeout: 120_000 }, async () => {
    const redis = await aRedis()
    await redis.end()
    const fleet = await aFleet({ RATE_LIMIT_SHARED: 'true', REDIS_URL: redis.url }, 2)
    expect((await answered(fleet, 40)).ok).toBe(40)
    await redis.again()
    for (const each of fleet.all)
      await expect.poll(async () => (await reading(each))('mcp_rate_limit_store_up'), SOON).toBe(1)
    const calls = answered(fleet, 200)
    await redis.end()
    expect(await calls).toEqual({ ok: 200, others: [] })
  })

  it('refuses calls with RATE_LIMIT_ON_OUTAGE=closed, and allows them with open', { timeout: 120_000 }, async () => {
    const redis = await aRedis()
    const modes = [
      ['closed', 0],
      ['open', 50],
    ] as const
    const shared = { RATE_LIMIT_SHARED: 'true', REDIS_URL: redis.url }
    const fleets = await Promise.all(modes.map(([mode]) => aFleet({ ...shared, RATE_LIMIT_ON_OUTAGE: mode }, 1)))
    for (const fleet of fleets) await limited(fleet, 10)
    await redis.end()
    for (const [at, [, ok]] of modes.entries()) {
      const [fleet] = fleets.slice(at)
      if (fleet) expect((await answered(fleet, 50)).ok).toBe(ok)
    }
  })
})
