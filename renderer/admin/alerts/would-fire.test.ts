import { describe, expect, it } from 'vitest'
import { timesFired } from './would-fire.ts'

const SPANS = { recent: 1, baseline: 4 }
const pointsOf = (...counts: readonly (readonly [calls: number, errors?: number, refused?: number])[]) =>
  counts.map(([calls, errors = 0, refused = 0], at) => ({ t: at, calls, errors, refused, avgMs: 0, p95Ms: 0 }))
const quiet = [[0], [0], [0]] as const

describe('how often a rule would have fired', () => {
  const errors = { eventType: 'error_rate', threshold: null, minCalls: null } as const

  it('counts each time the error rate starts to exceed the threshold, without refusals', () => {
    expect(timesFired(errors, pointsOf(...quiet, [10, 5], [10, 9], [10, 0], [10, 5]), SPANS)).toBe(2)
    expect(timesFired(errors, pointsOf(...quiet, [9, 9], [20, 4, 12], [100, 49]), SPANS)).toBe(0)
    expect(timesFired({ ...errors, threshold: 0.1, minCalls: 1 }, pointsOf(...quiet, [9, 1]), SPANS)).toBe(1)
    expect(timesFired({ ...errors, threshold: 0 }, pointsOf(...quiet, [0]), SPANS)).toBe(0)
  })

  it('counts each start of a usage spike', () => {
    const spike = { eventType: 'usage_spike', threshold: null, minCalls: null } as const
    expect(timesFired(spike, pointsOf([10], [10], [10], [30], [10], [10], [10], [29]), SPANS)).toBe(1)
    expect(timesFired(spike, pointsOf(...quiet, [20]), SPANS)).toBe(1)
    expect(timesFired(spike, pointsOf(...quiet, [19]), SPANS)).toBe(0)
  })

  it('counts nothing without enough data', () => {
    expect(timesFired(errors, pointsOf([10, 10], [10, 10]), SPANS)).toBe(0)
  })
})
