import { describe, expect, it } from 'vitest'
import { type Counts, countWords, findWords, lowered, risesOf } from './words.ts'

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
})

describe('the baseline', () => {
  const counts = (files: Readonly<Record<string, string>>): Counts =>
    countWords(Object.entries(files).flatMap(([file, text]) => findWords(file, text)))

  it('reports a word that occurs more often in a folder than permitted', () => {
    const baseline = { told: { gateway: 1, docs: 3 } }
    const now = counts({
      'gateway/a.ts': 'told',
      'gateway/b/c.ts': 'told',
      'docs/d.md': 'told',
      'README.md': 'welcome',
    })
    expect(risesOf(now, baseline)).toEqual([
      { phrase: 'told', folder: 'gateway', was: 1, is: 2 },
      { phrase: 'welcome', folder: '.', was: 0, is: 1 },
    ])
  })

  it('falls and never rises', () => {
    const now = counts({ 'gateway/a.ts': 'told told', 'docs/d.md': 'told', 'e2e/e.ts': 'told' })
    expect(lowered(now, { told: { gateway: 1, docs: 3, main: 4 } }, ['told'])).toEqual({
      told: { gateway: 1, docs: 1, e2e: 0 },
    })
  })

  it("starts a word that is new in the list at today's count, also when that is none", () => {
    const now = counts({ 'gateway/a.ts': 'told' })
    expect(lowered(now, {}, ['told', 'welcome'])).toEqual({ told: { gateway: 1 }, welcome: {} })
    expect(lowered(counts({ 'gateway/a.ts': 'welcome' }), { welcome: {} }, ['welcome'])).toEqual({
      welcome: { gateway: 0 },
    })
  })
})
