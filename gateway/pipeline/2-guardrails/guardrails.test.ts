// What input guardrails see through: characters without a glyph, other forms of a letter, texts made to take long.
import { describe, expect, it } from 'vitest'
import { linearPattern, PatternTooCostly } from '../../text/linear-pattern.ts'
import { aCall } from '../pipeline.fixture.ts'
import { inputGuardrails } from './index.ts'

const rules = (given: object) =>
  inputGuardrails({ denyPatterns: [], blockSecrets: false, scanResponses: false, ...given })
const judge = async (given: object, args: Readonly<Record<string, unknown>>) => await rules(given)?.(aCall({ args }))
const between = (text: string, hidden: string): string => Array.from(text).join(hidden)
const tags = (text: string): string =>
  Array.from(text, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xe0000)).join('')

const DENY = { denyPatterns: ['drop\\s+table', '^rm$'] }
const KEY = 'AKIA'.concat('ABCDEFGHIJKLMNOP')

describe('what has no glyph (security case RX-03)', () => {
  it.each([
    ['zero width space', '\u200b'],
    ['zero width joiner', '\u200d'],
    ['word joiner', '\u2060'],
    ['byte order mark', '\ufeff'],
    ['soft hyphen', '\u00ad'],
    ['right-to-left override', '\u202e'],
    ['isolate', '\u2066'],
    ['variation selector', '\ufe0f'],
    ['variation selector of the second plane', '\u{e0101}'],
    ['Hangul filler', '\u3164'],
    ['combining grapheme joiner', '\u034f'],
    ['a tag', '\u{e0061}'],
    ['NUL', '\u0000'],
    ['escape sequence', '\u001b[8m'],
  ])('hides no denied word and no secret: %s', async (_name, hidden) => {
    for (const args of [
      { sql: between('drop table', hidden) },
      { [between('drop table', hidden)]: 1 },
      { a: [{ b: `x ${between('DROP TABLE', hidden)} y` }] },
      { command: between('rm', hidden) },
    ])
      expect(await judge(DENY, args)).toMatchObject({ code: 'guardrail_input' })
    expect(await judge({ blockSecrets: true }, { a: between(KEY, hidden) })).toMatchObject({ code: 'guardrail_input' })
  })

  it('is read where it spells a text of its own', async () => {
    expect(await judge(DENY, { a: `hello${tags('drop table users')}` })).toMatchObject({ code: 'guardrail_input' })
    expect(await judge({ blockSecrets: true }, { a: tags(KEY) })).toMatchObject({ code: 'guardrail_input' })
  })

  it('is no reason to refuse', async () => {
    expect(
      await judge({ ...DENY, blockSecrets: true }, { a: 'családi 👨‍👩‍👧 ❤️ \u202bשלום\u202c', b: 'tab\tle' }),
    ).toBeUndefined()
  })

  it('can itself be denied', async () => {
    expect(await judge({ denyPatterns: ['\\u202e'] }, { a: 'x\u202ey' })).toMatchObject({ code: 'guardrail_input' })
  })
})

describe('other forms of a letter (security case RX-03)', () => {
  it.each([['ｄｒｏｐ　ｔａｂｌｅ'], ['𝐝𝐫𝐨𝐩 𝐭𝐚𝐛𝐥𝐞'], ['ⓓⓡⓞⓟ ⓣⓐⓑⓛⓔ'], ['dʳop table'.normalize('NFD')]])(
    '%s is read plainly',
    async (text) => {
      expect(await judge(DENY, { a: text })).toMatchObject({ code: 'guardrail_input' })
    },
  )

  it('that become many are refused', async () => {
    expect(await judge(DENY, { a: '\ufdfa'.repeat(10_000) })).toMatchObject({ code: 'guardrail_input' })
    expect(await judge(DENY, { a: '\ufdfa' })).toBeUndefined()
  })
})

describe('a search that takes too long (security case RX-06)', () => {
  // Each letter of the text leads to states that were never seen: two to the power of the count.
  const costly = '(?:a|b)*a(?:a|b){200}c'
  const random = (length: number): string => {
    let seed = 7
    return Array.from({ length }, () => ((seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) & 65_536 ? 'a' : 'b')).join(
      '',
    )
  }

  it('is given up', () => {
    expect(() => linearPattern(costly).test(random(1_000_000))).toThrow(PatternTooCostly)
  })

  it('refuses the call, however its text is divided', async () => {
    const given = { denyPatterns: [costly, 'x'] }
    expect(await judge(given, { a: random(200_000) })).toMatchObject({ code: 'guardrail_input' })
    const text = random(200_000)
    const pieces = Array.from({ length: 400 }, (_none, at) => text.slice(at * 500, at * 500 + 500))
    expect(await judge(given, { a: pieces })).toMatchObject({ code: 'guardrail_input' })
  })

  it('holds up no call that is searched soon', async () => {
    const many = Array.from({ length: 20 }, (_none, at) => `word${at}.*other${at}`)
    expect(await judge({ denyPatterns: many }, { a: 'word of another kind, '.repeat(40_000) })).toBeUndefined()
    expect(await judge({ denyPatterns: many }, { a: 'word7 and other7' })).toMatchObject({ code: 'guardrail_input' })
  })
})
