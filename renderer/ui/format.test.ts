// Numbers and times as people read them.
import { describe, expect, it } from 'vitest'
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatForInput,
  formatMoment,
  formatShare,
  formatSpan,
  formatTools,
} from './format.ts'

const AT = '2026-03-04T05:06:07.000Z'
const now = (ms: number): number => Date.parse(AT) + ms

describe('counts and shares', () => {
  it('says of one tool that it is one', () => {
    expect([0, 1, 12_345].map(formatTools)).toEqual(['0 tools', '1 tool', '12.3K tools'])
  })
  it.each([
    [0, '0'],
    [9999, '9,999'],
    [10_000, '10K'],
    [48_213, '48.2K'],
    [2_500_000, '2.5M'],
  ])('%d is %s', (value, text) => expect(formatCount(value)).toBe(text))

  it.each([
    [512, '512 bytes'],
    [1536, '1.5 KB'],
    [20 * 1024 ** 2, '20 MB'],
    [4 * 1024 ** 3, '4 GB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it('shares nothing of nothing', () => {
    expect(formatShare(0, 0)).toBe('–')
    expect(formatShare(1, 8)).toBe('12.5%')
  })
})

describe('spans', () => {
  it.each([
    [0, '0 ms'],
    [84.2, '84 ms'],
    [1000, '1 s'],
    [2440, '2.4 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [185_000, '3 min 5 s'],
    [3_600_000, '1 h'],
    [187_200_000, '2 d 4 h'],
  ])('%d ms is %s', (ms, text) => expect(formatSpan(ms)).toBe(text))
})

describe('times', () => {
  it.each([
    [9_000, 'now'],
    [-9_000, 'now'],
    [59_000, '59 s ago'],
    [240_000, '4 min ago'],
    [-10_800_000, 'in 3 h'],
    [86_400_000 * 29, '29 d ago'],
  ])('seen %d ms later it is %s', (ms, text) => expect(formatAgo(AT, now(ms))).toBe(text))

  it('becomes a date after a month', () => {
    expect(formatAgo(AT, now(86_400_000 * 40))).toContain('2026')
  })

  it('survives the way through an input, to the minute', () => {
    expect(new Date(formatForInput(AT)).toISOString()).toBe('2026-03-04T05:06:00.000Z')
    expect(formatMoment(AT)).toMatch(/^2026-03-0[345] \d\d:\d\d:07$/)
  })
})
