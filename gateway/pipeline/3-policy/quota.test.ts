// The quota of a month to the exact call, also with concurrent callers.
import { describe, expect, it } from 'vitest'
import { createRateWindow } from '../../http/rate-window.ts'
import type { ToolCall } from '../call.ts'
import { aCall, aCaller } from '../pipeline.fixture.ts'
import { createQuota } from './quota.ts'

const LIMITS = { id: 1, monthlyQuota: 3, endUserRateLimitPerMin: null }

function aQuota(limits: object = {}, used = 0) {
  const time = { nowMs: Date.UTC(2026, 0, 31, 23, 59, 59) }
  const window = createRateWindow({ maxBuckets: 100, monotonic: () => time.nowMs })
  const quota = createQuota({
    clock: { now: () => time.nowMs },
    endUsers: {
      take(bucket, limit) {
        const verdict = window.take(bucket, limit)
        return verdict.allowed ? { ok: true } : { ok: false, retryAfterMs: verdict.retryAfterMs }
      },
    },
  })
  quota.set(1, { ...LIMITS, ...limits }, used)
  const by = (consumerId: number | null, endUser: string | null = null): ToolCall =>
    aCall({ caller: aCaller({ consumerId }), reserved: { confirm: false, approvalId: null, endUser } })
  /** A call that passes, or the refusal it met. */
  const pass = (call = by(1), passed = true) => {
    const refused = quota.guard(call)
    if (refused === undefined) quota.settle(call, passed)
    return refused
  }
  return { quota, time, by, pass }
}

describe('a monthly quota', () => {
  it('refuses the call after the last, until the month is over', () => {
    const { pass, time, quota } = aQuota()
    expect([pass(), pass(), pass()]).toEqual([undefined, undefined, undefined])
    expect(pass()).toMatchObject({ kind: 'refused', code: 'quota', reason: 'monthly', retryAfterMs: 1_000 })
    expect(pass()).toHaveProperty('text', expect.stringContaining('2026-02-01'))
    time.nowMs += 1_000
    expect([pass(), quota.used(1), quota.month().name]).toEqual([undefined, 1, '2026-02'])
    // A clock that is set back does not bring the old month again.
    time.nowMs -= 86_400_000
    expect([pass(), quota.used(1)]).toEqual([undefined, 2])
  })

  it('is not passed by calls that are under way at the same time', () => {
    const { quota, by } = aQuota()
    const calls = Array.from({ length: 10 }, () => by(1))
    const refused = calls.filter((call) => quota.guard(call) !== undefined)
    expect(refused).toHaveLength(7)
    for (const call of calls) quota.settle(call, true)
    expect(quota.used(1)).toBe(3)
  })

  it('counts no call that a later gate held: its place is free again', () => {
    const { pass, quota, by } = aQuota({ monthlyQuota: 1 })
    for (let at = 0; at < 5; at += 1) expect(pass(by(1), false)).toBeUndefined()
    expect([quota.used(1), pass(), quota.used(1)]).toEqual([0, undefined, 1])
    expect(pass()).toMatchObject({ code: 'quota' })
  })

  it('counts each consumer by itself, without limit where none is set, and not callers without a consumer', () => {
    const { quota, pass, by } = aQuota({ monthlyQuota: 1 })
    quota.set(2, { id: 2, monthlyQuota: null, endUserRateLimitPerMin: null })
    expect([pass(by(1)), pass(by(1))]).toMatchObject([undefined, { code: 'quota' }])
    for (let at = 0; at < 5; at += 1)
      expect([pass(by(2)), pass(by(null)), pass(by(99))]).toEqual([undefined, undefined, undefined])
    expect([quota.used(1), quota.used(2), quota.used(99)]).toEqual([1, 5, 0])
  })

  it('that is changed holds at once, and keeps what was used', () => {
    const { quota, pass } = aQuota({}, 2)
    expect([pass(), pass()]).toMatchObject([undefined, { code: 'quota' }])
    quota.set(1, { ...LIMITS, monthlyQuota: 4 })
    expect([pass(), pass()]).toMatchObject([undefined, { code: 'quota' }])
    quota.set(1, null)
    expect(pass()).toBeUndefined()
  })
})

describe('the rate of end users', () => {
  it('holds for each that is named, and for no other', () => {
    const { pass, by, quota, time } = aQuota({ monthlyQuota: null, endUserRateLimitPerMin: 2 })
    expect([pass(by(1, 'ada')), pass(by(1, 'ada')), pass(by(1, 'bob'))]).toEqual([undefined, undefined, undefined])
    expect(pass(by(1, 'ada'))).toMatchObject({ code: 'quota', reason: 'end_user', retryAfterMs: 60_000 })
    for (let at = 0; at < 5; at += 1) expect(pass()).toBeUndefined()
    expect(quota.used(1)).toBe(8)
    time.nowMs += 60_000
    expect(pass(by(1, 'ada'))).toBeUndefined()
  })
})

it('returns the month for which a call is counted, and none for a call that is not', () => {
  const { quota, by, time } = aQuota({ monthlyQuota: null })
  const settled = (call: ToolCall, passed = true) => {
    void quota.guard(call)
    return quota.settle(call, passed)
  }
  expect([settled(by(1)), settled(by(1), false), settled(by(null))]).toEqual(['2026-01', null, null])
  time.nowMs += 1_000
  expect(settled(by(1))).toBe('2026-02')
})
