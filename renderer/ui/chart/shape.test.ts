// The geometry of charts.
import { describe, expect, it } from 'vitest'
import { labelled, linePath, pointAt, roundedUp, topOf } from './shape.ts'

describe('the scale of a chart', () => {
  it.each([
    [0, 1],
    [Number.NaN, 1],
    [0.03, 0.04],
    [0.2, 0.2],
    [1, 1],
    [3, 4],
    [6, 6],
    [12, 20],
    [999, 1000],
    [1001, 2000],
  ])('is round above %d: %d', (most, top) => {
    expect(roundedUp(most)).toBeCloseTo(top, 10)
  })

  it('covers the sums of stacked series', () => {
    const series = [
      { name: 'a', tone: 'ok', values: [3, 1] },
      { name: 'b', tone: 'bad', values: [4, null] },
    ] as const
    expect([topOf(series, true), topOf(series, false), topOf([], true)]).toEqual([8, 4, 1])
  })
})

describe('a line', () => {
  it('passes the centre of its points and breaks at gaps', () => {
    expect(linePath([0, 5, null, 10], { width: 40, height: 10, top: 10 })).toBe('M5 10h0L15 5M35 0h0')
    expect(linePath([], { width: 40, height: 10, top: 10 })).toBe('')
  })
})

describe('the axis', () => {
  it('labels a subset of many points, and each of few', () => {
    expect(labelled(3, 6)).toEqual([0, 1, 2])
    expect(labelled(24, 6)).toEqual([0, 4, 8, 12, 16, 20])
    expect(labelled(0, 6)).toEqual([])
  })

  it('finds the nearest point, also outside the chart', () => {
    expect([-5, 0, 9, 10, 99, 500].map((x) => pointAt(x, 100, 10))).toEqual([0, 0, 0, 1, 9, 9])
    expect(pointAt(5, 0, 10)).toBe(0)
  })
})
