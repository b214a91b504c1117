// The health loop: eviction, backoff, and an undisturbed rhythm.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOutbound } from '../net/outbound.ts'
import { createLog } from '../telemetry/log.ts'
import { someBackend } from './backend.fixture.ts'
import type { Backend, HealthState } from './backend.ts'
import { createHealthLoop, type HealthSettings } from './health.ts'
import { type ProbeResult } from './probe.ts'
import type { LiveRegistry } from './registry.ts'

const outbound = createOutbound({ allowPrivate: true, connections: 4 })
const aBackend = (name: string, more: Partial<Backend> = {}): Backend =>
  someBackend({
    id: Buffer.from(name).reduce((sum, byte) => sum * 31 + byte, 7),
    name,
    baseUrl: 'http://127.0.0.1:81',
    pins: { base: outbound.repin('http://127.0.0.1:81', ['127.0.0.1']), servers: {} },
    ...more,
  })

const INTERVAL = 1_000
const SETTINGS: HealthSettings = {
  MAX_CONSECUTIVE_FAILURES: 3,
  HEALTH_CHECK_INTERVAL_MS: INTERVAL,
  HEALTH_CHECK_MAX_CONCURRENT: 4,
  HEALTH_RESTORE_MAX_FACTOR: 10,
}

/** A double of the registry's part that the loop uses; registry.test.ts covers storage. */
function aDouble(backends: readonly Backend[]) {
  const states = new Map<string, HealthState>(
    backends.map(({ name }) => [
      name,
      {
        status: 'healthy',
        consecutiveFailures: 0,
        lastCheckedAt: null,
        lastSeenAt: null,
        lastError: null,
        evictedAt: null,
      },
    ]),
  )
  const current = new Map(backends.map((backend) => [backend.name, backend]))
  const registry = {
    get: (name: string) => current.get(name),
    list: () => [...current.values()],
    health: (name: string) => states.get(name),
    isLive: (name: string) => current.has(name),
    isEvicted: (name: string) => states.get(name)?.evictedAt != null,
    note: (name: string, health: Partial<HealthState>) => void Object.assign(states.get(name) ?? {}, health),
  }
  // The loop uses nothing else.
  return { registry: registry as unknown as LiveRegistry, states, current }
}

function aLoop(
  backends: readonly Backend[],
  answer: (backend: Backend) => boolean | Promise<boolean>,
  more: Partial<HealthSettings> & { record?: () => Promise<void>; random?: () => number } = {},
) {
  const { record, random = () => 0.5, ...settings } = more
  const double = aDouble(backends)
  const probed: { name: string; at: number }[] = []
  const recorded: string[] = []
  const loop = createHealthLoop({
    registry: double.registry,
    probe: async (backend): Promise<ProbeResult> => {
      probed.push({ name: backend.name, at: Math.round((Date.now() - startedAt) / INTERVAL) })
      const ok = await answer(backend)
      return { ok, latencyMs: 1, error: ok ? null : 'answered 500' }
    },
    settings: { ...SETTINGS, ...settings },
    log: createLog({ format: 'json', level: 'error', write: () => undefined }),
    clock: { now: Date.now },
    monotonic: () => performance.now(),
    random,
    record: async (backend, what) => {
      recorded.push(`${what} ${backend.name}`)
      await record?.()
    },
  })
  const startedAt = Date.now()
  return { ...double, loop, probed, recorded }
}
const passes = (count: number) => vi.advanceTimersByTimeAsync(count * INTERVAL)

describe('the loop', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('evicts after MAX_CONSECUTIVE_FAILURES and not before [gw.state.evicted gw.registration.2-health gw.setting.max_consecutive_failures ct.9.5.health]', async () => {
    const { loop, states, recorded } = aLoop([aBackend('a')], () => false)
    loop.start()
    const seen: unknown[] = []
    for (let pass = 0; pass < 4; pass += 1) {
      await passes(1)
      const { status, consecutiveFailures, evictedAt } = states.get('a') ?? {}
      seen.push([status, consecutiveFailures, evictedAt !== null])
    }
    expect(seen.slice(0, 3)).toEqual([
      ['degraded', 1, false],
      ['degraded', 2, false],
      ['unreachable', 3, true],
    ])
    expect(recorded).toEqual(['evict a'])
    await loop.stop()
  })

  it('resets the count after a success', async () => {
    const answers = [false, false, true, false, false, true]
    const { loop, states, recorded } = aLoop([aBackend('a')], () => answers.shift() ?? true)
    loop.start()
    await passes(7)
    expect([states.get('a')?.status, recorded]).toEqual(['healthy', []])
    await loop.stop()
  })

  it('probes an evicted backend at 1x, 2x, 4x, 8x and then 10x the interval [ct.9.5.evicted gw.setting.health_check_interval_ms]', async () => {
    const { loop, probed } = aLoop([aBackend('a')], () => false)
    loop.start()
    await passes(50)
    const at = probed.map((each) => each.at)
    expect(at.slice(0, 3)).toEqual([1, 2, 3])
    const gaps = at.slice(3).map((each, index) => each - (at[index + 2] ?? 0))
    expect(gaps.slice(0, 6)).toEqual([1, 2, 4, 8, 10, 10])
    await loop.stop()
  })

  it.each([3_600_000, -3_600_000, 315_360_000_000])(
    'keeps its rhythm when the clock is set by %d ms (security case NF-10)',
    async (byMs) => {
      const { loop, probed } = aLoop([aBackend('a')], () => false)
      loop.start()
      const counts: number[] = []
      await passes(4)
      vi.setSystemTime(Date.now() + byMs)
      for (let pass = 0; pass < 12; pass += 1) {
        await passes(1)
        counts.push(probed.length)
      }
      // The third failure evicts; then it waits one, two, four, eight intervals.
      expect(counts).toEqual([4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6])
      await loop.stop()
    },
  )

  it('limits the backoff to HEALTH_RESTORE_MAX_FACTOR [ct.17.effect.health_restore_max_factor]', async () => {
    const { loop, probed } = aLoop([aBackend('a')], () => false, { HEALTH_RESTORE_MAX_FACTOR: 2 })
    loop.start()
    await passes(12)
    expect(probed.map((each) => each.at)).toEqual([1, 2, 3, 4, 6, 8, 10, 12])
    await loop.stop()
  })

  it('restores it at the first success, and resets the backoff', async () => {
    let up = false
    const { loop, states, recorded, probed } = aLoop([aBackend('a')], () => up)
    loop.start()
    await passes(10)
    up = true
    await passes(8)
    expect(states.get('a')).toMatchObject({ status: 'healthy', consecutiveFailures: 0, evictedAt: null })
    expect(recorded).toEqual(['evict a', 'restore a'])
    up = false
    const before = probed.length
    await passes(5)
    // Three to be evicted again, one after one interval, the next only two later.
    expect(probed.length - before).toBe(4)
    await loop.stop()
  })

  it('does not probe disabled and in-process backends', async () => {
    const { loop, probed } = aLoop([aBackend('off', { enabled: false }), aBackend('local', { pins: null })], () => true)
    loop.start()
    await passes(3)
    expect(probed).toEqual([])
    await loop.stop()
  })

  it('probes at most HEALTH_CHECK_MAX_CONCURRENT at a time, and all of them [gw.setting.health_check_max_concurrent]', async () => {
    let running = 0
    let most = 0
    const backends = Array.from({ length: 30 }, (_, at) => aBackend(`b${at}`))
    const { loop, probed } = aLoop(backends, async () => {
      most = Math.max(most, (running += 1))
      await new Promise((resolve) => setTimeout(resolve, 10))
      running -= 1
      return true
    })
    loop.start()
    await passes(1.5)
    expect([most, new Set(probed.map(({ name }) => name)).size]).toEqual([4, 30])
    await loop.stop()
  })

  it('jitters the interval by at most a twentieth', async () => {
    for (const [drawn, after] of [
      [0, 0.95],
      [0.999, 1.05],
    ] as const) {
      const { loop, probed } = aLoop([aBackend('a')], () => true, { random: () => drawn })
      loop.start()
      await passes(after - 0.01)
      expect(probed).toHaveLength(0)
      await passes(0.02)
      expect(probed).toHaveLength(1)
      await loop.stop()
    }
  })

  it('never overlaps two passes (security case NF-15)', async () => {
    let running = 0
    let overlaps = 0
    const { loop, probed } = aLoop([aBackend('a')], async () => {
      overlaps += running
      running += 1
      await new Promise((resolve) => setTimeout(resolve, 3.5 * INTERVAL))
      running -= 1
      return true
    })
    loop.start()
    await passes(20)
    expect([overlaps, probed.length > 2]).toEqual([0, true])
    const stopping = loop.stop()
    await passes(5)
    await stopping
    const after = probed.length
    await passes(10)
    expect(probed.length).toBe(after)
  })

  it('continues when a result cannot be stored', async () => {
    const { loop, probed } = aLoop([aBackend('a'), aBackend('b')], () => false, {
      record: async () => Promise.reject(new Error('disk full')),
    })
    loop.start()
    await passes(4)
    expect(probed.filter(({ name }) => name === 'b').length).toBeGreaterThan(2)
    await loop.stop()
  })

  it('ignores a result of a backend replaced in the meantime (security case CB-11)', async () => {
    const { loop, states, current, recorded } = aLoop([aBackend('a')], () => {
      current.set('a', aBackend('a', { id: 999 }))
      return false
    })
    expect(await loop.check(aBackend('a'))).toMatchObject({ restored: false })
    expect([states.get('a')?.consecutiveFailures, recorded]).toEqual([0, []])
  })

  it('a manual check restores it without changing the rhythm', async () => {
    let up = false
    const a = aBackend('a')
    const { loop, probed, recorded } = aLoop([a], () => up)
    loop.start()
    await passes(4)
    for (let times = 0; times < 5; times += 1) expect(await loop.check(a)).toMatchObject({ ok: false, restored: false })
    const before = probed.length
    await passes(2)
    expect(probed.length).toBe(before + 1)
    up = true
    expect(await loop.check(a)).toMatchObject({ ok: true, restored: true, status: 'healthy' })
    expect(recorded).toEqual(['evict a', 'restore a'])
    await loop.stop()
  })
})
