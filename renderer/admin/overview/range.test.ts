// The time range of the overview.
import { describe, expect, it } from 'vitest'
import { bucketFor, RANGES, rangeOf, rangeWithCalls, spanOf } from './range.ts'

const DAY = 86_400_000

describe('the time of the overview', () => {
  it.each([
    {},
    { range: 'for ever' },
    { from: '5' },
    { from: '9', to: '5' },
    { from: 'x', to: 'y' },
    { from: '1', to: '1e99' },
  ])('is the last day where the address means nothing: %j', (params) => {
    expect(rangeOf(params)).toEqual({ kind: 'recent', value: '24h', lengthMs: DAY })
  })

  it('ends now, or is the selected part', () => {
    expect(spanOf(rangeOf({ range: '7d' }), 10 * DAY)).toEqual({ fromMs: 3 * DAY, toMs: 10 * DAY })
    expect(spanOf(rangeOf({ range: '7d', from: '5', to: '9' }), 10 * DAY)).toEqual({ fromMs: 5, toMs: 9 })
  })

  it('is chosen by where calls are', () => {
    const chosen = (...counts: number[]) => {
      const range = rangeWithCalls(counts)
      return range.kind === 'recent' && range.value
    }
    expect(chosen(0, 0, 0, 0)).toBe('24h')
    expect(chosen(5, 5, 5, 5)).toBe('1h')
    expect(chosen(5, 9, 9, 9)).toBe('24h')
    expect(chosen(0, 0, 3, 9)).toBe('7d')
    expect(chosen(0, 0, 0, 9)).toBe('30d')
  })

  it('has visible and selectable points', () => {
    for (const length of [60_000, ...RANGES.map(({ lengthMs }) => lengthMs), 400 * DAY, 9000 * DAY]) {
      const points = length / bucketFor(length)
      expect(points).toBeLessThanOrEqual(100)
      expect(bucketFor(length)).toBeGreaterThanOrEqual(60_000)
    }
    expect(bucketFor(DAY)).toBe(900_000)
  })
})
