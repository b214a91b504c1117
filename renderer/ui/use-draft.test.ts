// What a change from elsewhere means for what is being typed, and what is left of it once it was saved.
import { describe, expect, it } from 'vitest'
import { meaningOf, typedSince } from './use-draft.ts'

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

describe('what was typed while a save was under way', () => {
  const sent = { rate: ' 5', deny: 'x', words: { id: 'one', size: 'two' } }
  const saved = { rate: '5', deny: 'x', words: { id: 'one', size: 'two' } }

  it('is nothing where nothing was: what the gateway made of it is taken', () => {
    expect(typedSince(sent, sent, saved)).toEqual(saved)
  })
  it('stays, and only that: the other fields are as they were saved', () => {
    expect(typedSince(sent, { ...sent, deny: 'xy' }, saved)).toEqual({ ...saved, deny: 'xy' })
  })
  it('stays where it is what stood there before the save', () => {
    expect(typedSince({ rate: '7' }, { rate: '' }, { rate: '7' })).toEqual({ rate: '' })
  })
  it('stays in a field of a field', () => {
    const draft = { ...sent, words: { id: 'one', size: 'three' } }
    expect(typedSince(sent, draft, saved)).toEqual({ ...saved, words: { id: 'one', size: 'three' } })
  })
  it('is also what was taken away, and what was added', () => {
    const draft = { ...sent, words: { size: 'two', colour: 'new' } }
    expect(typedSince<unknown>(sent, draft, saved)).toEqual({ ...saved, words: { size: 'two', colour: 'new' } })
  })
  it('keeps a secret out that was saved: its field is empty again', () => {
    const draft = { secret: 'hush', issuer: 'b' }
    expect(typedSince({ secret: 'hush', issuer: 'a' }, draft, { secret: '', issuer: 'a' })).toEqual({
      secret: '',
      issuer: 'b',
    })
  })
  it('stays whole where it is a list', () => {
    expect(typedSince([1, 2], [1, 2, 3], [1, 2])).toEqual([1, 2, 3])
    expect(typedSince([1, 2], [1, 2], [2, 1])).toEqual([2, 1])
  })
})
