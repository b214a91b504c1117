// Retries: what is never sent twice, how long is waited, and that a cancelled call stops waiting.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failed, Outcome } from '../../outcome/outcome.ts'
import { type Attempt, boundMs, mayRetry, retryAfter, withRetries } from './retry.ts'

const settings = { RETRY_MAX_ATTEMPTS: 2, RETRY_BASE_DELAY_MS: 100, RETRY_AFTER_MAX_MS: 30_000 }
const ok: Outcome = { kind: 'ok', result: { content: [] } }
const failed = (failure: Failed['failure'], status?: number): Failed => ({
  kind: 'failed',
  failure,
  text: '',
  retryable: true,
  ...(status === undefined ? {} : { status }),
})

async function attempts(
  answers: readonly Attempt[],
  allowed = true,
  cancelAfter = Number.POSITIVE_INFINITY,
  {
    timeoutMs = 30_000,
    tookMs = 0,
    admitted = Number.POSITIVE_INFINITY,
  }: { timeoutMs?: number; tookMs?: number; admitted?: number } = {},
) {
  const waits: number[] = []
  const clock = { ms: 0 }
  let made = 0
  const attempt = async () => {
    clock.ms += tookMs
    return answers[Math.min(made++, answers.length - 1)] ?? { outcome: ok }
  }
  const stop = {
    get cancelled() {
      return made >= cancelAfter
    },
    wait: async (ms: number) => {
      clock.ms += ms
      waits.push(ms)
    },
  }
  let retried = 0
  const observed = { attempt: () => undefined, retrying: () => void (retried += 1), settled: () => undefined }
  const first = await attempt()
  const done = await withRetries({
    settings,
    first,
    firstMs: tookMs,
    timeoutMs,
    allowed,
    attempt,
    mayGoOn: async () => made < admitted,
    observed,
    monotonic: () => clock.ms,
    stop,
    random: () => 0.5,
  })
  expect(retried).toBe(made - 1)
  return { ...done, waits, allMs: clock.ms }
}

describe('a retry', () => {
  it.each([
    ['POST', false, false],
    ['PATCH', false, false],
    ['OPTIONS', true, false],
    ['POST', true, true],
    ['PATCH', true, true],
    ['GET', false, true],
    ['HEAD', false, true],
    ['PUT', false, true],
    ['DELETE', false, true],
  ])('of %s with retry_non_safe_methods %s may be: %s [ct.5.13.retry-unsafe]', (method, unsafe, may) => {
    expect(mayRetry(method, unsafe)).toBe(may)
  })

  it('is not made where it is not allowed (security case CB-07)', async () => {
    expect(await attempts([{ outcome: failed('network') }], false)).toMatchObject({ attempts: 1, waits: [] })
  })

  it.each([
    ['bad_response', undefined],
    ['response_too_large', undefined],
    ['cancelled', undefined],
    ['upstream_status', 400],
    ['upstream_status', 404],
    ['upstream_status', 500],
    ['upstream_status', 501],
  ] as const)('is not made for %s %s', async (failure, status) => {
    expect(await attempts([{ outcome: failed(failure, status) }])).toMatchObject({ attempts: 1 })
  })

  it.each([
    ['network', undefined],
    ['timeout', undefined],
    ['upstream_status', 408],
    ['upstream_status', 429],
    ['upstream_status', 502],
    ['upstream_status', 503],
    ['upstream_status', 504],
  ] as const)('is made for %s %s, until the attempts are used up [ct.5.13.retry]', async (failure, status) => {
    const outcome = failed(failure, status)
    expect(await attempts([{ outcome }])).toMatchObject({ attempts: 3, outcome })
    expect(await attempts([{ outcome }, { outcome: ok }])).toMatchObject({ attempts: 2, outcome: ok })
  })

  it('waits twice as long each time, with jitter up to the base [ct.5.13.retry-delay]', async () => {
    expect((await attempts([{ outcome: failed('timeout') }])).waits).toEqual([150, 250])
  })

  it('waits as the upstream asks, and no longer than the ceiling', async () => {
    const outcome = failed('upstream_status', 429)
    expect((await attempts([{ outcome, retryAfterMs: 7_000 }])).waits).toEqual([7_000, 7_000])
    expect((await attempts([{ outcome, retryAfterMs: 1e12 }])).waits).toEqual([30_000, 30_000])
  })

  it('is not made when the call may not go on after the wait, and the attempt before it is reported', async () => {
    const outcome = failed('upstream_status', 503)
    expect(await attempts([{ outcome }], true, undefined, { admitted: 1 })).toMatchObject({
      attempts: 1,
      outcome,
      waits: [150],
    })
    expect(await attempts([{ outcome }], true, undefined, { admitted: 2 })).toMatchObject({
      attempts: 2,
      outcome,
      waits: [150, 250],
    })
  })

  it('has its whole time where every attempt takes all of it, also when timers are late', async () => {
    const outcome = failed('timeout')
    const punctual = await attempts([{ outcome }], true, Infinity, { timeoutMs: 50, tookMs: 50 })
    expect(punctual).toMatchObject({ attempts: 3, waits: [150, 250] })
    expect(punctual.allMs).toBeLessThanOrEqual(boundMs(settings, 50))
    expect(await attempts([{ outcome }], true, Infinity, { timeoutMs: 50, tookMs: 90 })).toMatchObject({ attempts: 3 })
  })

  it('is not made, nor waited for, past what all attempts may take', async () => {
    const outcome = failed('upstream_status', 503)
    expect(await attempts([{ outcome, retryAfterMs: 1_000 }], true, Infinity, { timeoutMs: 100 })).toMatchObject({
      attempts: 1,
      waits: [],
      outcome,
    })
    // 3 × 1 s and the longest back-offs: room for one such wait, and for no second one.
    const once = await attempts([{ outcome, retryAfterMs: 2_000 }], true, Infinity, { timeoutMs: 1_000 })
    expect(once).toMatchObject({ attempts: 2, waits: [2_000] })
  })

  it('never takes a call past its bound, for every behaviour of the upstream (security case CB-08)', async () => {
    const answer = fc.record({
      failure: fc.constantFrom('timeout', 'network', 'upstream_status'),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (answers, timeoutMs, share) => {
          const given = answers.map(({ failure, retryAfterMs }) => ({
            outcome: failed(failure, failure === 'upstream_status' ? 503 : undefined),
            ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
          }))
          const { allMs } = await attempts(given, true, Infinity, { timeoutMs, tookMs: timeoutMs * share })
          // Fractions of a millisecond are lost in adding up.
          expect(allMs).toBeLessThanOrEqual(boundMs(settings, timeoutMs) + 0.001)
        },
      ),
    )
  })

  it('is not made for a call that was cancelled', async () => {
    expect(await attempts([{ outcome: failed('network') }], true, 1)).toMatchObject({ attempts: 1, waits: [] })
  })
})

describe('Retry-After (security case CB-08)', () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT')

  it.each([
    ['-1'],
    ['1e3'],
    ['120, 120'],
    ['soon'],
    ['NaN'],
    [''],
    ['2099'.repeat(4)],
    ['Wed, 21 Oct 2026 07:27:00 GMT'],
    ['21 Oct 2026 07:29:00'],
  ])('%j says nothing', (text) => {
    expect(retryAfter(429, text, now)).toBeUndefined()
  })

  it('is believed with the statuses that define it only', () => {
    expect([408, 500, 502, 504].map((status) => retryAfter(status, '1', now))).toEqual(Array(4).fill(undefined))
    expect([429, 503].map((status) => retryAfter(status, ' 2 ', now))).toEqual([2_000, 2_000])
    expect(retryAfter(503, 'Wed, 21 Oct 2026 07:29:00 GMT', now)).toBe(60_000)
    expect(retryAfter(503, undefined, now)).toBeUndefined()
  })
})
