// What an upstream may not send through us: our own credential in any spelling, and characters nobody sees.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanBytes, cleanText, cleanValue, cutToBytes } from './clean.ts'

const SECRET = 'tok/en-Very+Secret=='

describe('cleaned text', () => {
  it.each([
    ['as it is', SECRET],
    ['split by a zero-width character', `tok/en\u200b-Very+Secret==`],
    ['split by a control character', `tok/en\u0001-Very+Secret==`],
    ['split by an escape sequence', `tok/en-\u001b[31mVery+Secret==`],
    ['split by a tag character', `tok/en-Very\u{e0041}+Secret==`],
    ['inside other text', `before${SECRET}after`],
  ])('holds no credential %s (security case RS-01) [ct.5.11.credential]', (_how, text) => {
    const clean = cleanText(`"${text}"`, [SECRET])
    expect(clean).not.toContain(SECRET)
    expect(clean).toContain('[credential removed]')
  })

  it('holds no credential that only its normal form spells', () => {
    // U+212A, the Kelvin sign, becomes a K.
    expect(cleanText('\u212aEY-1234', ['KEY-1234'])).toBe('[credential removed]')
  })

  it.each([
    ['C0 controls', 'a\u0000\u0008\u001fb', 'ab'],
    ['C1 controls', 'a\u0080\u009fb', 'ab'],
    ['ANSI sequences', 'a\u001b[1;31mred\u001b[0mb', 'aredb'],
    ['links in a terminal', 'a\u001b]8;;http://x\u0007b', 'ab'],
    ['bidi overrides', 'a\u202eb\u2066c', 'abc'],
    ['zero-width characters', 'a\u200b\u200d\u2060\ufeffb', 'ab'],
    ['Unicode tags', 'a\u{e0049}\u{e0067}b', 'ab'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
    ['decomposed letters', 'e\u0301', '\u00e9'],
  ])('%s do not come through [ct.5.11.sanitize]', (_what, text, clean) => {
    expect(cleanText(text, [])).toBe(clean)
  })

  it('keeps tabs, line breaks and every script', () => {
    const text = 'a\tb\r\nc\n日本語 العربية ünïcödé 👍'
    expect(cleanText(text, [])).toBe(text)
  })

  it('replaces literally, whatever the secret is made of (security case RS-03)', () => {
    expect(cleanText('x $& y', ['$&'])).toBe('x [credential removed] y')
    expect(cleanText('a.*b', ['.*'])).toBe('a[credential removed]b')
  })

  it('never crashes and never lets the secret through, whatever surrounds it (security case RS-03)', () => {
    const noise = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(noise, noise, fc.uint8Array(), (before, after, bytes) => {
        expect(cleanText(`${before}${SECRET}${after}`, [SECRET])).not.toContain(SECRET)
        expect(cleanText(Buffer.from(bytes).toString('utf8'), [SECRET]).isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('cleaned values', () => {
  it('are clean in keys and at any depth, and JSON all the same', () => {
    const value = { [SECRET]: [{ a: `x${SECRET}` }], 'b\u200b': 1 }
    expect(cleanValue(value, [SECRET])).toEqual({ '[credential removed]': [{ a: 'x[credential removed]' }], b: 1 })
  })

  it('are the very same when there was nothing to clean', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: fc.constantFrom('a', 'b', ' ') }), (value) => {
        expect(cleanValue(value, [SECRET])).toBe(value)
      }),
    )
  })

  it('cannot reach a prototype', () => {
    const value: unknown = JSON.parse('{"__proto__":{"polluted":"a\\u200bb"}}')
    expect(JSON.stringify(cleanValue(value, []))).toBe('{"__proto__":{"polluted":"ab"}}')
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('cleaned bytes', () => {
  it('hold no credential, and are untouched without one', () => {
    const bytes = Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(SECRET), Buffer.from([0])])
    const clean = cleanBytes(bytes, [SECRET])
    expect(clean.includes(SECRET)).toBe(false)
    expect([...clean.subarray(0, 3)]).toEqual([0, 255, 254])
    expect(cleanBytes(bytes, ['other'])).toBe(bytes)
  })
})

describe('a cut', () => {
  it('never exceeds its bytes and never halves a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
        const kept = cutToBytes(text, most)
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(most)
        expect(text.startsWith(kept)).toBe(true)
      }),
    )
  })
})
