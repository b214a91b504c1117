// Instances that share limits, on a clock that the test moves: checked against the exact rolling minute of one instance.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  PERMIT_WINDOW_MS,
  type PermitAnswer,
  type PermitStore,
  type Runs,
  refundedRuns,
  takenRuns,
} from '../storage/permits.ts'
import { createSharedLimits, type OnOutage, type SharedLimits, type SharedVerdict } from './shared-limits.ts'

beforeEach(
  () =>
    void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'] }),
)
afterEach(() => void vi.useRealTimers())

/** A store in the process, on the same clock. Answers and refusals arrive after `delayMs`. */
function aStore(delayMs: () => number) {
  const held = new Map<string, Runs>()
  const state = { up: true, takes: 0 }
  function take(...[wants, refunds]: Parameters<PermitStore['take']>): PermitAnswer {
    const nowMs = Date.now()
    for (const refund of refunds) held.set(refund.key, refundedRuns(held.get(refund.key) ?? [], refund, nowMs))
    const taken = wants.map((each) => takenRuns(held.get(each.key) ?? [], each, nowMs))
    const index = taken.findIndex(({ ok }) => !ok)
    const refused = taken[index]
    if (refused && !refused.ok) return { ok: false, index, retryAfterMs: refused.retryAfterMs }
    for (const [at, { runs }] of taken.entries()) held.set(wants[at]?.key ?? '', runs)
    return {
      ok: true,
      grants: taken.map((each) => (each.ok ? { count: each.count, run: each.run } : { count: 0, run: 0 })),
    }
  }
  const store: PermitStore = {
    async take(wants, refunds) {
      state.takes += 1
      const wait = delayMs() / 2
      await new Promise((resolve) => setTimeout(resolve, wait))
      if (!state.up) throw new Error('away')
      const answer = take(wants, refunds)
      await new Promise((resolve) => setTimeout(resolve, wait))
      return answer
    },
    up: () => state.up,
    close: () => Promise.resolve(),
  }
  return { store, state }
}

function fleetOf(store: PermitStore, instances: number, onOutage: OnOutage = 'share'): readonly SharedLimits[] {
  return Array.from({ length: instances }, () =>
    createSharedLimits({
      store,
      onOutage,
      instances: () => instances,
      maxBuckets: () => 100,
      monotonic: () => Date.now(),
    }),
  )
}

type Load = { readonly passMs: number; readonly at: number; readonly calls: number }
const load = fc.record({
  passMs: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 30_000 })),
  at: fc.nat({ max: 2 }),
  calls: fc.integer({ min: 1, max: 40 }),
})

/** The times at which calls were admitted. */
async function admittedBy(fleet: readonly SharedLimits[], loads: readonly Load[], limit: number): Promise<number[]> {
  const admitted: number[] = []
  const note = (verdict: SharedVerdict): void => {
    if (verdict.allowed) admitted.push(Date.now())
  }
  const all: Promise<void>[] = []
  for (const { passMs, at, calls } of loads) {
    await vi.advanceTimersByTimeAsync(passMs)
    for (let call = 0; call < calls; call += 1) {
      const verdict = fleet[at]?.take('tool', [{ key: 'k', limit }])
      if (verdict instanceof Promise) all.push(verdict.then(note))
      else if (verdict) note(verdict)
    }
  }
  await vi.advanceTimersByTimeAsync(100)
  await Promise.all(all)
  return admitted
}

const most = (admitted: readonly number[]): number =>
  Math.max(
    0,
    ...admitted.map((at) => admitted.filter((other) => other > at - PERMIT_WINDOW_MS + 20 && other <= at).length),
  )

describe('instances that share a limit', () => {
  it('together admit no more than the limit in any rolling minute, wherever the calls arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(load, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 8 }),
        async (loads, limit, delayMs) => {
          const { store } = aStore(() => delayMs)
          const fleet = fleetOf(store, 3)
          expect(most(await admittedBy(fleet, loads, limit))).toBeLessThanOrEqual(limit)
          for (const each of fleet) void each.close()
          await vi.advanceTimersByTimeAsync(10)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('admit all calls that fit, however unevenly they arrive', async () => {
    for (const limit of [10, 100, 1000]) {
      const { store } = aStore(() => 2)
      const fleet = fleetOf(store, 3)
      const loads = Array.from({ length: limit / 2 }, (_none, turn) => ({
        passMs: 20,
        at: turn % 7 === 0 ? 1 : 0,
        calls: 2,
      }))
      expect(await admittedBy(fleet, loads, limit)).toHaveLength(limit)
    }
  })

  it('lease in batches: a store is asked about four times a second and instance, at any rate', async () => {
    const { store, state } = aStore(() => 1)
    const fleet = fleetOf(store, 3)
    const loads = Array.from({ length: 6000 }, (_none, turn) => ({ passMs: turn % 2, at: turn % 3, calls: 4 }))
    const admitted = await admittedBy(fleet, loads, 1_000_000)
    expect(admitted).toHaveLength(24_000)
    expect(state.takes / admitted.length).toBeLessThan(0.02)
  })

  it('ask no store for calls over the limit, and say when there is room', async () => {
    const { store, state } = aStore(() => 1)
    const [one] = fleetOf(store, 1)
    await admittedBy([one as SharedLimits], [{ passMs: 0, at: 0, calls: 5 }], 5)
    const before = state.takes
    for (let turn = 0; turn < 200; turn += 1)
      await admittedBy([one as SharedLimits], [{ passMs: 0, at: 0, calls: 5 }], 5)
    // Twenty seconds of it: once a second.
    expect(state.takes - before).toBeLessThan(60)
    const verdict = await one?.take('tool', [{ key: 'k', limit: 5 }])
    expect(verdict).toMatchObject({ allowed: false, limit: 5 })
  })

  it('ask again at once where the limit was raised', async () => {
    const { store } = aStore(() => 1)
    const fleet = fleetOf(store, 1)
    expect(await admittedBy(fleet, [{ passMs: 0, at: 0, calls: 6 }], 5)).toHaveLength(5)
    expect(await admittedBy(fleet, [{ passMs: 0, at: 0, calls: 6 }], 9)).toHaveLength(4)
  })

  it('take all limits of a call or none', async () => {
    const { store } = aStore(() => 1)
    const [one] = fleetOf(store, 1)
    const both = [
      { key: 'session', limit: 10 },
      { key: 'principal', limit: 3 },
    ]
    const all = Promise.all(Array.from({ length: 10 }, async () => one?.take('mcp', both)))
    await vi.advanceTimersByTimeAsync(100)
    const verdicts = await all
    expect(verdicts.filter((each) => each?.allowed)).toHaveLength(3)
    expect(verdicts.at(-1)).toMatchObject({ allowed: false, limit: 3 })
    await vi.advanceTimersByTimeAsync(1000)
    const rest = admittedBy([one as SharedLimits], [{ passMs: 0, at: 0, calls: 1 }], 10)
    await vi.advanceTimersByTimeAsync(100)
    expect(await rest).toHaveLength(1)
  })
})

describe('while the store does not answer', () => {
  const both = (onOutage: OnOutage) => {
    const { store, state } = aStore(() => 1)
    return { fleet: fleetOf(store, 3, onOutage), state }
  }
  const even = (turns: number): Load[] =>
    Array.from({ length: turns }, (_none, turn) => ({ passMs: 30, at: turn % 3, calls: 1 }))

  it('each admits its share of the limit, and what it admitted before counts', async () => {
    const { fleet, state } = both('share')
    const before = await admittedBy(fleet, even(30), 60)
    state.up = false
    const during = await admittedBy(fleet, even(300), 60)
    expect(fleet.map((each) => each.degraded())).toEqual(['share', 'share', 'share'])
    expect(most([...before, ...during])).toBeLessThanOrEqual(66)
    expect(before.length + during.length).toBeGreaterThan(50)
    state.up = true
    expect(fleet.map((each) => each.degraded())).toEqual([undefined, undefined, undefined])
    expect(most([...before, ...during, ...(await admittedBy(fleet, even(100), 60))])).toBeLessThanOrEqual(66)
  })

  it('admits every call or none where it is set so', async () => {
    for (const [onOutage, admitted] of [
      ['open', 300],
      ['closed', 0],
    ] as const) {
      const { fleet, state } = both(onOutage)
      state.up = false
      expect(await admittedBy(fleet, even(300), 60)).toHaveLength(admitted)
    }
  })
})
