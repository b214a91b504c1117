// The colours of lines of TypeScript, and what an editor of them completes and inserts.
import { describe, expect, it } from 'vitest'
import { completionsAt, indentAt, newLineAt } from './code-completion.ts'
import { startsOf, tokensOf, type Within } from './code-tokens.ts'

const shown = (line: string, within: Within = 'code') =>
  tokensOf(line, within)
    .tokens.filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind} ${text}`)

describe('a line', () => {
  it('has keywords, texts, numbers, types, calls and comments', () => {
    expect(shown("const a: Input = await call('x\\'y', 1.5) // end")).toEqual([
      'keyword const',
      'type Input',
      'keyword await',
      'call call',
      "text 'x\\'y'",
      'number 1.5',
      'comment // end',
    ])
  })

  it('is the sum of its parts', () => {
    for (const line of ['a / b /* c', '"open', '`${x}` + "\\', 'ü→😀 $_', '/', '*/', "'", ''])
      for (const within of ['code', 'comment', 'template'] as const)
        expect(
          tokensOf(line, within)
            .tokens.map(({ text }) => text)
            .join(''),
        ).toBe(line)
  })

  it('begins inside of a comment or a template that is open', () => {
    expect(startsOf(['/* a', 'b */ `c', 'd', 'e`', "'f", 'g'])).toEqual([
      'code',
      'comment',
      'template',
      'template',
      'code',
      'code',
    ])
    expect(shown('d */ 1', 'comment')).toEqual(['comment d */', 'number 1'])
  })
})

const SOURCE = {
  quoted: [
    { code: 'issues__get', about: '' },
    { code: 'issues__list', about: '' },
  ],
  members: { input: [{ code: 'id', about: 'integer' }] },
  words: [
    { code: 'call', about: '' },
    { code: 'callMany', about: '' },
  ],
}
const completed = (text: string, asked = false) =>
  completionsAt(text, text.length, SOURCE, asked)?.items.map(({ code }) => code)

describe('completions', () => {
  it.each([
    ["call('", ['issues__get', 'issues__list']],
    ["{ tool: 'li", ['issues__list']],
    ['return input.', ['id']],
    ['await ca', ['call', 'callMany']],
    ['await call', ['callMany']],
    ["const text = 'ca", undefined],
    ['a.ca', undefined],
    ['', undefined],
    ['input.__proto__.', undefined],
    ['constructor.', undefined],
  ])('of %s', (text, expected) => {
    expect(completed(text)).toEqual(expected)
  })

  it('are all words where a person asks', () => {
    expect(completed('', true)).toEqual(['call', 'callMany'])
  })
})

const applied = (text: string, { from, to, text: inserted, select }: ReturnType<typeof newLineAt>) => {
  const next = text.slice(0, from) + inserted + text.slice(to)
  return `${next.slice(0, select[0])}|${next.slice(select[0], select[1])}|${next.slice(select[1])}`
}

describe('a key', () => {
  it('makes a line as deep as the one before, and deeper after a bracket', () => {
    expect(applied('  a', newLineAt('  a', 3, 3))).toBe('  a\n  ||')
    expect(applied('  f({})', newLineAt('  f({})', 5, 5))).toBe('  f({\n    ||\n  })')
  })

  it('moves the lines of a selection', () => {
    expect(applied('a\n\nb', indentAt('a\n\nb', 0, 4, false))).toBe('  |a\n\n  b|')
    expect(applied('  a\n b', indentAt('  a\n b', 3, 6, true))).toBe('a|\nb|')
    expect(applied('ab', indentAt('ab', 1, 1, false))).toBe('a  ||b')
  })
})
