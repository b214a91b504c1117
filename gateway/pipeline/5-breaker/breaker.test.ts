import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Breaker, type BreakerLimits, type BreakerState, type Permit, type Verdict } from './breaker.ts'

const limits: BreakerLimits = { failureThreshold: 3, windowMs: 1_000, resetTimeoutMs: 500, halfOpenTimeoutMs: 100 }

function breakerAt(given: BreakerLimits = limits) {
  const clock = { ms: 1_000_000 }
  const moves: string[] = []
  const breaker = new Breaker({
    limits: given,
    monotonic: () => clock.ms,
    onTransition: (from, to) => moves.push(`${from}>${to}`),
  })
  const fail = (times = 1): void => {
    for (let index = 0; index < times; index++) breaker.settle('failure', permitOf(breaker))
  }
  return { breaker, clock, moves, fail }
}

function permitOf(breaker: Breaker): Permit {
  const admission = breaker.admit()
  if (!admission.admitted) throw new Error('expected to be let in')
  return admission
}

function probeOf(breaker: Breaker): Permit {
  const permit = permitOf(breaker)
  if (!permit.probe) throw new Error('expected a probe')
  return permit
}

describe('opening', () => {
  it('opens at the threshold inside the window, and says when to come back', () => {
    const { breaker, fail } = breakerAt()
    fail(2)
    expect(breaker.admit()).toMatchObject({ admitted: true })
    fail()
    expect(breaker.current()).toBe('open')
    expect(breaker.admit()).toEqual({ admitted: false, reason: 'open', retryAfterMs: 500 })
  })

  it('forgets failures that left the window (security case CB-05)', () => {
    const { breaker, clock, fail } = breakerAt()
    fail(2)
    clock.ms += 1_000
    fail()
    expect(breaker.failuresInWindow()).toBe(1)
    expect(breaker.current()).toBe('closed')
  })

  it('a success while closed does not clear the window', () => {
    const { breaker, fail } = breakerAt()
    fail(2)
    breaker.settle('success', permitOf(breaker))
    fail()
    expect(breaker.current()).toBe('open')
  })
})

describe('a slow call from before the breaker opened (security case CB-04)', () => {
  function tripped() {
    const made = breakerAt()
    const slow = [permitOf(made.breaker), permitOf(made.breaker), permitOf(made.breaker)]
    made.fail(3)
    const failSlow = (): void => {
      for (const permit of slow) made.breaker.settle('failure', permit)
    }
    return { ...made, failSlow }
  }

  it('does not prolong the open time', () => {
    const { breaker, clock, failSlow } = tripped()
    clock.ms += 400
    failSlow()
    expect(breaker.halfOpenInMs()).toBe(100)
  })

  it('does not speak for the probe', () => {
    const { breaker, clock, failSlow } = tripped()
    clock.ms += 500
    probeOf(breaker)
    failSlow()
    expect(breaker.current()).toBe('half_open')
  })

  it('does not open it again once it closed', () => {
    const { breaker, clock, failSlow, moves } = tripped()
    clock.ms += 500
    breaker.settle('success', probeOf(breaker))
    failSlow()
    expect(breaker.failuresInWindow()).toBe(0)
    expect(moves).toEqual(['closed>open', 'open>half_open', 'half_open>closed'])
  })

  it('does not undo a reset by hand', () => {
    const { breaker, failSlow } = tripped()
    breaker.reset()
    failSlow()
    expect(breaker.current()).toBe('closed')
  })
})

describe('half-open', () => {
  it('admits exactly one probe and refuses everyone else at once (security case CB-01)', () => {
    const { breaker, clock, fail } = breakerAt()
    fail(3)
    clock.ms += 500
    const probe = probeOf(breaker)
    expect(breaker.admit()).toEqual({ admitted: false, reason: 'probing', retryAfterMs: 100 })
    breaker.settle('success', probe)
    expect(breaker.current()).toBe('closed')
    expect(breaker.failuresInWindow()).toBe(0)
  })

  it('admits one of 200 calls at the moment it opens half, in each of 100 rounds (security case CB-01)', () => {
    for (let round = 0; round < 100; round += 1) {
      const { breaker, clock, fail } = breakerAt()
      fail(3)
      clock.ms += 500
      const admitted = Array.from({ length: 200 }, () => breaker.admit()).filter((one) => one.admitted)
      expect(admitted).toHaveLength(1)
    }
  })

  it('a failed probe opens again with the whole time ahead', () => {
    const { breaker, clock, fail } = breakerAt()
    fail(3)
    clock.ms += 500
    breaker.settle('failure', probeOf(breaker))
    expect(breaker.halfOpenInMs()).toBe(500)
  })

  it('a probe without outcome leaves the next call to probe (security case CB-03)', () => {
    const { breaker, clock, fail } = breakerAt()
    fail(3)
    clock.ms += 500
    breaker.settle('none', probeOf(breaker))
    expect(breaker.current()).toBe('half_open')
    expect(probeOf(breaker)).toBeDefined()
  })

  it('a probe that never ends opens the breaker again, and its late outcome counts for nothing (security case CB-02)', () => {
    const { breaker, clock, fail } = breakerAt()
    fail(3)
    clock.ms += 500
    const lost = probeOf(breaker)
    clock.ms += 100
    expect(breaker.admit()).toMatchObject({ admitted: false, reason: 'open' })
    breaker.settle('success', lost)
    expect(breaker.current()).toBe('open')
  })
})

describe('reset', () => {
  it('closes from any state and says where it was (security case CB-06)', () => {
    const { breaker, clock, fail } = breakerAt()
    fail(3)
    expect(breaker.reset()).toBe('open')
    fail(3)
    clock.ms += 500
    const probe = probeOf(breaker)
    expect(breaker.reset()).toBe('half_open')
    breaker.settle('failure', probe)
    expect(breaker.current()).toBe('closed')
    expect(breaker.reset()).toBe('closed')
  })
})

type Step =
  | { readonly wait: number }
  | { readonly call: Verdict }
  | { readonly begin: true }
  | { readonly end: Verdict }
  | { readonly reset: true }

type ModelCall = { readonly probe: number | undefined; readonly closings: number }

/** The same rules, written from the text in the dullest way: everything is recomputed from the whole history. */
class Model {
  state: BreakerState = 'closed'
  failures: number[] = []
  openedAt = 0
  probing: { at: number; id: number } | undefined
  /** How often it was closed: what a call saw of it when it began. */
  closings = 0
  private ids = 0
  private readonly limits: BreakerLimits
  constructor(given: BreakerLimits) {
    this.limits = given
  }
  admit(at: number): 'yes' | 'no' | { probe: number } {
    if (this.state === 'half_open' && this.probing && at >= this.probing.at + this.limits.halfOpenTimeoutMs) {
      this.probing = undefined
      this.state = 'open'
      this.openedAt = at
    }
    if (this.state === 'open' && at >= this.openedAt + this.limits.resetTimeoutMs) this.state = 'half_open'
    if (this.state === 'closed') return 'yes'
    if (this.state === 'open' || this.probing) return 'no'
    this.probing = { at, id: ++this.ids }
    return { probe: this.probing.id }
  }
  settle(verdict: Verdict, { probe, closings }: ModelCall, at: number): void {
    if (probe !== undefined) {
      if (this.probing?.id !== probe) return
      this.probing = undefined
      if (verdict === 'success') this.reset()
      if (verdict === 'failure') {
        this.state = 'open'
        this.openedAt = at
      }
    } else if (verdict === 'failure' && this.state === 'closed' && closings === this.closings) {
      this.failures.push(at)
      if (this.failures.filter((when) => when > at - this.limits.windowMs).length >= this.limits.failureThreshold) {
        this.state = 'open'
        this.openedAt = at
      }
    }
  }
  reset(): void {
    this.state = 'closed'
    this.failures = []
    this.probing = undefined
    this.closings += 1
  }
}

describe('against the model', () => {
  const verdict = fc.constantFrom<Verdict>('success', 'failure', 'none')
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 700 }) }) },
    { weight: 4, arbitrary: fc.record({ call: verdict }) },
    { weight: 3, arbitrary: fc.record({ begin: fc.constant(true as const) }) },
    { weight: 3, arbitrary: fc.record({ end: verdict }) },
    { weight: 1, arbitrary: fc.record({ reset: fc.constant(true as const) }) },
  )
  const anyLimits = fc.record({
    failureThreshold: fc.integer({ min: 1, max: 4 }),
    windowMs: fc.integer({ min: 100, max: 2_000 }),
    resetTimeoutMs: fc.integer({ min: 0, max: 600 }),
    halfOpenTimeoutMs: fc.integer({ min: 1, max: 300 }),
  })

  it('admits, refuses and moves as the model does, over any history', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(step, { maxLength: 60 }), (given, steps) => {
        const { breaker, clock } = breakerAt(given)
        const model = new Model(given)
        const open: { real: Permit; model: ModelCall }[] = []
        const begin = (): boolean => {
          const real = breaker.admit()
          const expected = model.admit(clock.ms)
          expect(real.admitted).toBe(expected !== 'no')
          if (!real.admitted) return false
          const probe = typeof expected === 'object' ? expected.probe : undefined
          open.push({ real, model: { probe, closings: model.closings } })
          expect(real.probe !== undefined).toBe(typeof expected === 'object')
          return true
        }
        const end = (outcome: Verdict): void => {
          const call = open.shift()
          if (!call) return
          breaker.settle(outcome, call.real)
          model.settle(outcome, call.model, clock.ms)
        }
        for (const each of steps) {
          if ('wait' in each) clock.ms += each.wait
          else if ('reset' in each) {
            breaker.reset()
            model.reset()
          } else if ('begin' in each) begin()
          else if ('end' in each) end(each.end)
          else if (begin()) {
            const last = open.pop()
            if (last) open.unshift(last)
            end(each.call)
          }
          expect(breaker.current() === 'closed').toBe(model.state === 'closed')
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('another instance', () => {
  it('opens and closes it, without a report of its own', () => {
    const moves: (readonly [string, boolean])[] = []
    const clock = { ms: 0 }
    const breaker = new Breaker({
      limits,
      monotonic: () => clock.ms,
      onTransition: (_from, to, followed) => moves.push([to, followed]),
    })
    breaker.follow('open')
    expect(breaker.admit()).toMatchObject({ admitted: false, reason: 'open', retryAfterMs: 500 })
    breaker.follow('closed')
    expect(breaker.admit()).toMatchObject({ admitted: true, probe: undefined })
    for (let call = 0; call < 3; call += 1) breaker.settle('failure', permitOf(breaker))
    expect(moves).toEqual([
      ['open', true],
      ['closed', true],
      ['open', false],
    ])
  })

  it('may probe instead: this one waits for what it announces, and probes again when it stays silent', () => {
    const { breaker, clock, fail } = breakerAt()
    fail(3)
    clock.ms += 500
    breaker.giveAway(probeOf(breaker))
    expect(breaker.admit()).toMatchObject({ admitted: false, reason: 'probing' })
    breaker.follow('open')
    expect(breaker.admit()).toMatchObject({ admitted: false, reason: 'open' })
    clock.ms += 500
    breaker.giveAway(probeOf(breaker))
    clock.ms += 100
    const own = probeOf(breaker)
    // An older failure elsewhere does not overtake an own probe.
    breaker.follow('open')
    breaker.settle('success', own)
    expect(breaker.current()).toBe('closed')
  })
})
