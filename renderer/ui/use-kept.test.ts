// What a change from elsewhere means for what is being typed.
import { describe, expect, it } from 'vitest'
import { meaningOf } from './use-kept.ts'

describe('a record that changes under a draft', () => {
  it.each([
    ['adopt', 'nothing was typed', { before: 'a', draft: 'a', latest: 'b' }],
    ['adopt', 'the same was typed', { before: 'a', draft: 'b', latest: 'b' }],
    ['rebase', 'something beside the draft changed', { before: 'a', draft: 'c', latest: 'a' }],
    ['contest', 'both changed it', { before: 'a', draft: 'c', latest: 'b' }],
  ] as const)('means %s where %s', (meaning, _where, { before, draft, latest }) => {
    expect(meaningOf({ text: before }, { text: draft }, { text: latest })).toBe(meaning)
  })
})
