// What an upstream cannot send through the gateway: our credential in any spelling, and invisible characters.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutToBytes, foreignBytes, foreignText, foreignValue } from './foreign-text.ts'
import { redaction } from './redact.ts'

const SECRET = 'tok/en-Very+Secret=='
const clean = (text: string, secrets: readonly string[]) => foreignText(text, { secrets })
const cleanedValue = (value: unknown, secrets: readonly string[]) => foreignValue(value, { secrets })
const cleanedBytes = (bytes: Buffer, secrets: readonly string[]) => foreignBytes(bytes, { secrets })

describe('cleaned text', () => {
  it.each([
    ['as it is', SECRET],
    ['split by a zero-width character', `tok/en\u200b-Very+Secret==`],
    ['split by a control character', `tok/en\u0001-Very+Secret==`],
    ['split by an escape sequence', `tok/en-\u001b[31mVery+Secret==`],
    ['split by a tag character', `tok/en-Very\u{e0041}+Secret==`],
    ['inside other text', `before${SECRET}after`],
  ])('holds no credential %s (security case RS-01) [ct.5.11.credential]', (_how, text) => {
    const shown = clean(`"${text}"`, [SECRET])
    expect(shown).not.toContain(SECRET)
    expect(shown).toContain('[credential removed]')
  })

  it.each([
    ['C0 controls', 'a\u0000\u0008\u001fb', 'ab'],
    ['C1 controls', 'a\u0080\u009fb', 'ab'],
    ['ANSI sequences', 'a\u001b[1;31mred\u001b[0mb', 'aredb'],
    ['links in a terminal', 'a\u001b]8;;http://x\u0007b', 'ab'],
    ['bidi overrides', 'a\u202eb\u2066c', 'abc'],
    ['Unicode tags', 'a\u{e0049}\u{e0067}b', 'ab'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ])('%s do not come through [ct.0.10.results]', (_what, text, shown) => {
    expect(clean(text, [])).toBe(shown)
  })

  it('keeps tabs, line breaks and every script', () => {
    const text = 'a\tb\r\nc\n日本語 العربية ünïcödé 👍'
    expect(clean(text, [])).toBe(text)
  })

  it('replaces literally, for any secret (security case RS-03)', () => {
    expect(clean('x $& y', ['$&'])).toBe('x [credential removed] y')
    expect(clean('a.*b', ['.*'])).toBe('a[credential removed]b')
  })

  it('never throws and never leaks the secret in any context (security case RS-03)', () => {
    const noise = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(noise, noise, fc.uint8Array(), (before, after, bytes) => {
        expect(clean(`${before}${SECRET}${after}`, [SECRET])).not.toContain(SECRET)
        expect(clean(Buffer.from(bytes).toString('utf8'), [SECRET]).isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('redacted text', () => {
  it.each([
    ['JSON', '{"pin":"hidden"}'],
    ['JSON with control characters anywhere', '\u0007{\u0001"pin"\u0002:"hidden"}\u001b[0m'],
    ['JSON after invisible characters', '\u00a0\u200b\ufeff{"pin":"hidden"}'],
    ['JSON that no page can run', `)]}',\n{"pin":"hidden"}`],
    ['JSON lines', '{"pin":"hidden"}\n{"pin":"hidden"}'],
    ['events', 'data: {"pin":"hidden"}\n\n'],
  ])('does not hold the value: %s', (_what, text) => {
    const shown = foreignText(text, { secrets: [], redact: redaction(['pin']) })
    expect([shown.includes('hidden'), shown.includes('[REDACTED]')]).toEqual([false, true])
  })
})

describe('the beginning of a long text', () => {
  const cutText = (text: string, redact?: readonly string[]) =>
    foreignText(text, { secrets: [SECRET], redact: redaction(redact) }, 100)

  it('equals the start of the cleaned whole', () => {
    const text = `a\u0007${SECRET}b `.repeat(100_000)
    expect(cutText(text)).toBe(clean(text, [SECRET]).slice(0, 100))
  })

  it.each([
    ['whole', SECRET],
    ['with control characters between its letters', SECRET.split('').join('\u0007')],
  ])('holds no piece of a credential that was cut, %s (security case RS-01)', (_how, written) => {
    for (let at = 1; at < written.length; at += 1) {
      const shown = cutText('\u0007'.repeat(65_536 - at) + written.repeat(2))
      expect(shown.includes(SECRET.slice(0, 4)) ? [at, shown] : []).toEqual([])
    }
  })

  it('is not shown for JSON that a redact path may affect', () => {
    expect(cutText(`{"pin":"hidden","rows":[${'1,'.repeat(100_000)}0]}`, ['pin'])).not.toContain('hidden')
    expect(cutText(`{"rows":[${'1,'.repeat(100_000)}0],"pin":"hidden"}`, ['pin'])).toContain('"rows":[1,1')
  })
})

describe('cleaned values', () => {
  it('are clean in keys and at any depth, and still JSON [ct.0.10.keys]', () => {
    const value = { [SECRET]: [{ a: `x${SECRET}` }], 'b\u200b': 1 }
    expect(cleanedValue(value, [SECRET])).toEqual({
      '[credential removed]': [{ a: 'x[credential removed]' }],
      'b\u200b': 1,
    })
  })

  it('are identical if there was nothing to clean', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: fc.constantFrom('a', 'b', ' ') }), (value) => {
        expect(cleanedValue(value, [SECRET])).toBe(value)
      }),
    )
  })

  it('cannot reach a prototype', () => {
    const value: unknown = JSON.parse('{"__proto__":{"polluted":"a\\u0000b"}}')
    expect(JSON.stringify(cleanedValue(value, []))).toBe('{"__proto__":{"polluted":"ab"}}')
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('cleaned bytes', () => {
  it('hold no credential, and are untouched without one', () => {
    const bytes = Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(SECRET), Buffer.from([0])])
    const shown = cleanedBytes(bytes, [SECRET])
    expect(shown.includes(SECRET)).toBe(false)
    expect([...shown.subarray(0, 3)]).toEqual([0, 255, 254])
    expect(cleanedBytes(bytes, ['other'])).toBe(bytes)
  })
})

describe('a cut', () => {
  it('never exceeds its bytes and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
        const kept = cutToBytes(text, most)
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(most)
        expect(text.startsWith(kept)).toBe(true)
      }),
    )
  })
})

it('is cleaned in one place: no reader of backend data bypasses it', () => {
  const gateway = path.resolve(import.meta.dirname, '..')
  const around = globSync('{mcp,outcome,pipeline,upstream,sockets}/**/*.ts', {
    cwd: gateway,
  })
    .filter((file) => !/\.(test|fixture|suite)\.ts$/.test(file))
    .filter((file) => {
      const source = readFileSync(path.join(gateway, file), 'utf8')
      return /import [^']*\bclean\w+[^']*'[^']*text\/clean\.ts'|text\/(?:credential-mask|readings)\.ts'/.test(source)
    })
  // Arguments are only compared, icons and identifiers validated, JSON-RPC errors written by the gateway.
  expect(around.toSorted()).toEqual([
    'mcp/icons.ts',
    'mcp/json-rpc.ts',
    'outcome/relayed-result.ts',
    'pipeline/2-guardrails/readings.ts',
  ])
})
