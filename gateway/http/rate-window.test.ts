import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRateWindow, WINDOW_MS } from './rate-window.ts'

function clocked(maxBuckets = 100) {
  const clock = { ms: 0 }
  let evictions = 0
  const window = createRateWindow({ maxBuckets, monotonic: () => clock.ms, onEvicted: () => (evictions += 1) })
  return { clock, window, evictions: () => evictions }
}

describe('a rolling minute (security case RL-05)', () => {
  it('never lets more than the limit through in any 60 seconds, and never fewer than it owes', () => {
    const arrivals = fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (gaps, limit) => {
        const { clock, window } = clocked()
        const accepted: number[] = []
        for (const gap of gaps) {
          clock.ms += gap
          const inLastMinute = accepted.filter((at) => clock.ms - at < WINDOW_MS).length
          const surelyFree = accepted.filter((at) => clock.ms - at < WINDOW_MS + 2).length < limit
          const { allowed } = window.take('a', limit)
          if (allowed) expect(inLastMinute).toBeLessThan(limit)
          if (surelyFree) expect(allowed).toBe(true)
          if (allowed) accepted.push(clock.ms)
        }
      }),
    )
  })

  it('says what it would say, and spends nothing by being looked at', () => {
    const { clock, window } = clocked()
    for (let index = 0; index < 5; index += 1) expect(window.look('a', 2)).toEqual({ allowed: true, remaining: 2 })
    expect(window.size()).toBe(0)
    window.take('a', 2)
    expect(window.look('a', 2)).toEqual({ allowed: true, remaining: 1 })
    // Under another limit, as one that is not in force yet.
    expect(window.look('a', 1)).toEqual({ allowed: false, retryAfterMs: WINDOW_MS })
    clock.ms = WINDOW_MS
    expect(window.look('a', 1)).toEqual({ allowed: true, remaining: 1 })
  })

  it('allows no double burst at a window edge, and states exactly when to come back', () => {
    const { clock, window } = clocked()
    clock.ms = 59_000
    for (let index = 0; index < 10; index += 1) expect(window.take('a', 10).allowed).toBe(true)
    clock.ms = 61_000
    expect(window.take('a', 10)).toEqual({ allowed: false, retryAfterMs: 58_000 })
    clock.ms = 118_999
    expect(window.take('a', 10)).toEqual({ allowed: false, retryAfterMs: 1 })
    clock.ms = 119_000
    expect(window.take('a', 10)).toEqual({ allowed: true, remaining: 9 })
  })

  it('counts a million requests of one key without keeping a million entries', () => {
    const { clock, window } = clocked()
    for (let index = 0; index < 1_000_000; index += 1) {
      clock.ms += 0.01
      if (!window.take('a', 1_000_000_000).allowed) throw new Error('refused below its limit')
    }
    expect(window.take('a', 1_000_001)).toEqual({ allowed: true, remaining: 0 })
    expect(window.take('a', 1_000_001).allowed).toBe(false)
  })
})

describe('bounded memory (security case RL-01)', () => {
  it('a flood of new keys never gives an attacker a fresh budget', () => {
    const { clock, window } = clocked(1000)
    let accepted = 0
    for (let round = 0; round < 20; round += 1) {
      for (let index = 0; index < 50; index += 1) if (window.take('attacker', 10).allowed) accepted += 1
      for (let index = 0; index < 3000; index += 1) window.take(`other-${round}-${index}`, 10)
      clock.ms += 100
    }
    expect(accepted).toBe(10)
    expect(window.size()).toBe(1000)
  })

  it('who comes while all buckets are in use shares one strict budget', () => {
    const { window } = clocked(2)
    window.take('a', 3)
    window.take('b', 3)
    const newcomers = Array.from({ length: 10 }, (_, index) => window.take(`new-${index}`, 3).allowed)
    expect(newcomers.filter(Boolean)).toHaveLength(3)
    expect(window.take('a', 3).allowed).toBe(true)
  })

  it('reuses the place of a key whose budget is full again, the longest quiet one first [gw.setting.rate_limit_max_buckets_global]', () => {
    const { clock, window, evictions } = clocked(2)
    window.take('a', 2)
    clock.ms = 30_000
    window.take('b', 2)
    window.take('b', 2)
    clock.ms = 60_000
    expect(window.take('c', 2)).toEqual({ allowed: true, remaining: 1 })
    expect(evictions()).toBe(1)
    expect(window.take('b', 2).allowed).toBe(false)
    expect(window.size()).toBe(2)
  })

  it('a sweep forgets exactly the full budgets [gw.setting.rate_limit_cleanup_interval_ms]', () => {
    const { clock, window } = clocked()
    for (let index = 0; index < 50; index += 1) window.take(`old-${index}`, 5)
    clock.ms = 40_000
    window.take('old-7', 5)
    window.take('young', 5)
    clock.ms = 60_000
    window.sweep()
    expect(window.size()).toBe(2)
    clock.ms = 100_000
    window.sweep()
    expect(window.size()).toBe(0)
    expect(window.take('young', 5)).toEqual({ allowed: true, remaining: 4 })
  })
})
