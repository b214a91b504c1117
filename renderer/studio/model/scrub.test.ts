import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberIn, numberText, scrubbed } from './scrub.ts'

const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true })

describe('dragging a number', () => {
  it('rejects text that is not a number', () => {
    for (const text of ['', ' ', 'x', '1e999', '1 2', 'NaN', 'Infinity']) expect(numberIn(text, {})).toBeUndefined()
    expect(numberIn(' 0,5 ', {})).toBe(0.5)
    expect(numberIn('2.6', { whole: true, max: 2 })).toBe(2)
  })

  it('covers its range in one drag, finer and coarser with modifier keys', () => {
    const range = { min: 0, max: 1 }
    expect(scrubbed(0, 200, range)).toBe(1)
    expect(scrubbed(0, 100, range, { shiftKey: true, ctrlKey: false })).toBe(0.05)
    expect(scrubbed(0, 10, range, { shiftKey: false, ctrlKey: true })).toBe(0.5)
  })

  it('stays in range, unchanged without a drag, and whole', () => {
    fc.assert(
      fc.property(finite, fc.integer({ min: -5000, max: 5000 }), fc.boolean(), (start, pixels, whole) => {
        const range = { min: -50, max: 50, whole }
        const value = scrubbed(start, pixels, range)
        expect(value).toBeGreaterThanOrEqual(-50)
        expect(value).toBeLessThanOrEqual(50)
        if (whole) expect(Number.isInteger(value)).toBe(true)
        expect(Number(numberText(Math.round(start))) - Math.round(start)).toBeCloseTo(0)
      }),
    )
  })
})
