// The rows in view are always among those that are drawn.
import { describe, expect, it } from 'vitest'
import { rangeOf } from './row-window.ts'

const ROW = 36

describe('the window of a long list', () => {
  it('holds every row in view, wherever it is scrolled to', () => {
    for (const count of [300, 1000, 10_000])
      for (const height of [200, 640, 1400])
        for (let top = 0; top <= count * ROW - height; top += 97) {
          const { from, to } = rangeOf(top, height, ROW, count)
          expect(from).toBeLessThanOrEqual(Math.floor(top / ROW))
          expect(to).toBeGreaterThanOrEqual(Math.min(count, Math.ceil((top + height) / ROW)))
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeLessThanOrEqual(count)
        }
  })

  it('is small, however long the list', () => {
    const { from, to } = rangeOf(180_000, 800, ROW, 10_000)
    expect(to - from).toBeLessThan(120)
  })

  it('stands still for a small move', () => {
    expect(rangeOf(36_005, 800, ROW, 5000)).toEqual(rangeOf(36_030, 800, ROW, 5000))
  })

  it('takes a list that shrank under it', () => {
    const { from, to } = rangeOf(90_000, 800, ROW, 260)
    expect(from).toBeLessThan(to)
  })
})
