import { describe, expect, it } from 'vitest'
import { findWords } from './words.ts'

const phrasesIn = (text: string): string[] => findWords('gateway/x.ts', text).map(({ phrase }) => phrase)

describe('findWords', () => {
  it('finds whole words and phrases in any case', () => {
    expect(phrasesIn('// Whoever calls: a Time-Out,\nsent as it came.')).toEqual(['whoever', 'time-out', 'as it came'])
  })

  it('returns the longest phrase that begins with a word', () => {
    expect(phrasesIn('Tells when it happens; tells it')).toEqual(['tells when', 'tells'])
  })

  it('ignores parts of words and of names', () => {
    expect(phrasesIn('retold sayWelcome is_told unmended dearth')).toEqual([])
  })

  it('returns the line of an occurrence', () => {
    expect(findWords('docs/a.md', 'one\n  a welcome two\n')).toEqual([
      { phrase: 'welcome', file: 'docs/a.md', line: 2, text: 'a welcome two' },
    ])
  })

  it('leaves the comparison of Python and the element of HTML', () => {
    expect(phrasesIn('module is None; <aside></aside>')).toEqual([])
    expect(phrasesIn('this is none')).toEqual(['is none'])
  })
})
