import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import type { RateFamily } from '../contract/route.ts'
import { httpSettings, openFront } from './http.fixture.ts'
import { createLimits } from './limits.ts'

type Refused = { error: { code: string; details: unknown; retryAfterMs: number; retry_after: number } }
const statuses = async (url: string, times: number, headers: Record<string, string> = {}): Promise<number[]> => {
  const seen: number[] = []
  for (let index = 0; index < times; index += 1) {
    const answer = await request(url, { headers })
    await answer.body.dump()
    seen.push(answer.statusCode)
  }
  return seen
}

describe('the global budget', () => {
  it('refuses beyond RATE_LIMIT_GLOBAL with everything a client needs to wait (security case RL-09) [ct.18.rate_limited ct.1.5.retry ct.1.5.retry-after gw.setting.rate_limit_global]', async () => {
    const limited: string[] = []
    const front = await openFront(
      { RATE_LIMIT_GLOBAL: 3 },
      { observe: { limited: (tier) => limited.push(tier), evicted: () => {} } },
    )
    expect(await statuses(`${front.url}/nowhere`, 3)).toEqual([404, 404, 404])
    const answer = await request(`${front.url}/docs`)
    const { error } = (await answer.body.json()) as Refused
    expect(answer.statusCode).toBe(429)
    expect(error).toMatchObject({ code: 'RATE_LIMITED', details: { limit: 3, windowMs: 60_000, tier: 'global' } })
    expect(error.retryAfterMs).toBeGreaterThan(0)
    expect(error.retry_after).toBe(Math.ceil(error.retryAfterMs / 1000))
    expect(answer.headers['retry-after']).toBe(String(error.retry_after))
    expect(limited).toEqual(['global'])
    expect(front.limits.sizes()['global']).toBe(1)
    await front.stop()
  })

  it('is not spent by probes, metrics and the guide, nor escaped by a forged address [ct.3.exempt]', async () => {
    const front = await openFront({ RATE_LIMIT_GLOBAL: 2 })
    for (const path of ['/health', '/livez', '/readyz', '/metrics', '/llms.txt'])
      expect(await statuses(front.url + path, 4)).not.toContain(429)
    const forged = [1, 2, 3].map((last) => statuses(`${front.url}/x`, 1, { 'x-forwarded-for': `203.0.113.${last}` }))
    expect((await Promise.all(forged)).flat().toSorted((a, b) => a - b)).toEqual([404, 404, 429])
    await front.stop()
  })

  it('counts what a trusted proxy vouches for, one IPv6 /64 as one caller [gw.limits.per_source]', async () => {
    const front = await openFront({ RATE_LIMIT_GLOBAL: 1 }, { trust: (_address, hop) => hop === 0 })
    const from = (address: string) => statuses(`${front.url}/x`, 1, { 'x-forwarded-for': address })
    expect(await from('203.0.113.1')).toEqual([404])
    expect(await from('::ffff:203.0.113.1')).toEqual([429])
    expect(await from('::FFFF:cb00:7101')).toEqual([429])
    expect(await from('203.0.113.2')).toEqual([404])
    expect(await from('2001:db8:1:2::1')).toEqual([404])
    expect(await from('2001:DB8:1:2:ffff::9')).toEqual([429])
    expect(await from('2001:db8:1:3::1')).toEqual([404])
    await front.stop()
  })
})

describe('the families', () => {
  const FAMILIES: readonly (readonly [RateFamily, string])[] = [
    ['login', 'RATE_LIMIT_LOGIN'],
    ['register', 'RATE_LIMIT_REGISTER'],
    ['backup', 'RATE_LIMIT_BACKUP'],
    ['sso', 'RATE_LIMIT_SSO'],
    ['expensive', 'RATE_LIMIT_EXPENSIVE'],
    ['install_link', 'RATE_LIMIT_INSTALL_LINK'],
    ['llms', 'RATE_LIMIT_LLMS_TXT'],
  ]

  // cites: gw.setting.rate_limit_login gw.setting.rate_limit_backup gw.setting.rate_limit_expensive ct.17.effect.rate_limit_llms_txt
  it.each(FAMILIES)('%s spends %s, beside the others', async (family, setting) => {
    const front = await openFront({ [setting]: 2 }, {}, ({ app }) => {
      app.get('/one', { config: { rateLimit: family } }, () => 'ok')
      app.get('/two', { config: { rateLimit: family } }, () => 'ok')
      app.get('/other', { config: { rateLimit: family === 'sso' ? 'login' : 'sso' } }, () => 'ok')
    })
    expect(await statuses(`${front.url}/one`, 3)).toEqual([200, 200, 429])
    const perRoute = family === 'expensive' || family === 'register'
    expect(await statuses(`${front.url}/two`, 1)).toEqual([perRoute ? 200 : 429])
    expect(await statuses(`${front.url}/other`, 1)).toEqual([200])
    await front.stop()
  })
})

/** Without a store nothing waits. */
function at<T>(given: T | Promise<T>): T {
  if (given instanceof Promise) throw new Error('It waits')
  return given
}

describe('install links', () => {
  it('cannot be guessed from many addresses faster than from fifty: security case LK-01, the cap over all', () => {
    const now = 1_000
    const limits = createLimits(httpSettings({ RATE_LIMIT_GLOBAL: 1_000_000 }), () => now)
    const limit = httpSettings().RATE_LIMIT_INSTALL_LINK
    let passed = 0
    let refused: unknown
    for (let guess = 0; guess < 100_000; guess += 1) {
      const error = at(limits.spend('install_link', `10.${guess >> 16}.${(guess >> 8) & 255}.${guess & 255}`))
      if (error === undefined) passed += 1
      else refused ??= error.extras.details
    }
    expect(passed).toBe(limit * 50)
    expect(refused).toEqual({ limit: limit * 50, windowMs: 60_000, tier: 'install_link' })
    // Who logs in, or reads the guide, is another matter.
    expect([limits.spend('login', '10.0.0.1'), limits.spend('llms', '10.0.0.1')]).toEqual([undefined, undefined])
    void limits.close()
  })
})
