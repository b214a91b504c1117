// Shortcuts: what must not fire, then what must.
import { describe, expect, it } from 'vitest'
import { createKeySequence, type Stroke } from './key-sequence.ts'

const BINDINGS = new Map(['g o', 'g a', '?', '[', 'mod+k', 'r'].map((keys) => [keys, keys]))

function board() {
  let nowMs = 0
  const press = createKeySequence(BINDINGS, () => nowMs)
  return {
    press: (key: string, more: Partial<Stroke> = {}) => press({ key, mod: false, alt: false, typing: false, ...more }),
    rest: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('what must not fire', () => {
  it('ignores letters while the person is typing, and forgets what was begun', () => {
    const { press } = board()
    expect(press('r', { typing: true })).toBeUndefined()
    press('g')
    expect(press('o', { typing: true })).toBeUndefined()
    expect(press('o')).toBeUndefined()
  })

  it('forgets the first key after a pause', () => {
    const { press, rest } = board()
    press('g')
    rest(1201)
    expect(press('o')).toBeUndefined()
  })

  it('ignores Alt, named keys and unbound letters', () => {
    const { press } = board()
    expect(press('r', { alt: true })).toBeUndefined()
    expect(press('Enter')).toBeUndefined()
    expect(press('x')).toBeUndefined()
  })

  it('does not take a plain k for the palette, nor Ctrl-R for the refresh', () => {
    const { press } = board()
    expect(press('k')).toBeUndefined()
    expect(press('r', { mod: true })).toBeUndefined()
  })
})

describe('what must fire', () => {
  it('handles one stroke and two in a row', () => {
    const { press } = board()
    expect(press('?')).toBe('?')
    press('g')
    expect(press('a')).toBe('g a')
  })

  it('takes a new first key after a wrong second one', () => {
    const { press } = board()
    press('g')
    expect(press('g')).toBeUndefined()
    expect(press('o')).toBe('g o')
  })

  it('lets a second key fall back to its own binding', () => {
    const { press } = board()
    press('g')
    expect(press('?')).toBe('?')
  })

  it('opens the palette from within a text field, in either case', () => {
    const { press } = board()
    expect(press('K', { mod: true, typing: true })).toBe('mod+k')
  })
})
