import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growthOf } from './growth.fixture.ts'
import { linearPattern } from './linear-pattern.ts'
import { UnsafePattern } from './pattern-syntax.ts'

describe('what is refused (security case RX-02)', () => {
  it.each([
    '(a)\\1',
    '(?=a)b',
    'a(?i)b',
    '(?m)a',
    '(?i:a)',
    '(?!a)b',
    '(?<=a)b',
    '(?<n>a)\\k<n>',
    '(',
    ')',
    '[',
    'a**',
    '*a',
    'a{2,1}',
    '\\',
    '^*',
    '(a{1000}){1000}',
    '{',
    '('.repeat(200),
  ])('%s', (pattern) => {
    expect(() => linearPattern(pattern)).toThrow(UnsafePattern)
  })
})

it('takes (?i) at the start, for patterns that ignore case', () => {
  for (const pattern of ['(?i)password', '(?:(?i)secret)|(?:(?i)password)']) {
    expect(linearPattern(pattern).test('my PassWord')).toBe(true)
    expect(linearPattern(pattern).test('pass')).toBe(false)
  }
  expect(() => linearPattern('(?i)a', 'u')).toThrow('except (?i) at its start')
})

describe('agrees with JavaScript’s engine', () => {
  const patterns = [
    'abc',
    'a|b|',
    'drop\\s+table',
    '^a',
    'a$',
    '^a$',
    '^$',
    '\\bcat\\b',
    '\\Bcat',
    'a+b*c?',
    '(ab)+c',
    '(?:a|bc)*d',
    '[a-c]+x',
    '[^a]b',
    'a.c',
    '\\d{3}-\\d{2,4}',
    'x{0}y',
    'x{2}',
    '(a|b){2,3}c',
    '\\u0041',
    '\\u{1F600}',
    '\\p{L}+1',
    '[\\p{N}_]x',
    '(?<word>\\w+)!',
    'a{2,}',
    '(^a|b)c',
    '(a?)*b',
    '(a*)*b',
    '(a|a)*b',
    '\\$\\{',
    '[\\]]',
    'é',
    'ß',
  ]
  const texts = [
    '',
    'a',
    'abc',
    'ABC',
    'xx abc yy',
    'DROP   TABLE',
    'cat',
    'a cat.',
    'concat',
    'aaab',
    'ababc',
    'bcbcd',
    '123-45',
    'x',
    'y',
    'xx',
    'abbc',
    'abc\n',
    'a\nc',
    '😀',
    'ÉTÉ',
    'straSSe',
    'bc',
    'ac',
    'héllo1',
    '${',
    ']',
    'word!',
    '\ud800',
    'ſ cat',
  ]
  it.each(patterns)('/%s/iu', (pattern) => {
    const ours = linearPattern(pattern)
    const native = new RegExp(pattern, 'iu')
    for (const text of texts) expect([text, ours.test(text)]).toEqual([text, native.test(text)])
  })

  it('over random patterns and texts', () => {
    const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^b]', '\\w', '\\s', '\\b', '^', '$')
    const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
      pattern: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
      piece: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        fc
          .tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{1,2}'))
          .map(([inner, count]) => `(?:${inner})${count}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '\n'), maxLength: 12 })
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(linearPattern(source).test(subject)).toBe(new RegExp(source, 'iu').test(subject))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('time (security case RX-02)', () => {
  it.each(['^(a+)+$', '(a|a)*c', '(.*a){12}c', 'a*a*a*a*a*a*b', '(x+x+)+y'])(
    '%s stays linear where backtracking explodes',
    (pattern) => {
      const ours = linearPattern(pattern)
      const run = (length: number) => (round: number) => ours.test(`${'a'.repeat(length + round)}!`)
      // Ten times the text in well under a hundred times the time: quadratic growth fails.
      expect(growthOf(run(20_000), run(200_000), 60)).toBeLessThan(60)
    },
  )
})
