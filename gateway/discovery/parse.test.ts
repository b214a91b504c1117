// A document that is wrong, huge or hostile gets one clear answer, soon.
import { describe, expect, it } from 'vitest'
import { parseText } from './parse.ts'

const bomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1} [${Array.from({ length: 10 }, () => `*a${n}`).join(', ')}]`,
  ),
].join('\n')
const mergeBomb = [
  'a0: &a0 { k: v }',
  ...Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1}\n${Array.from({ length: 9 }, (_, k) => `  k${k}: { <<: *a${n} }`).join('\n')}`,
  ),
].join('\n')

describe('refuses (security case BL-06)', () => {
  it.each([
    ['nothing', '  \n', /empty/],
    ['a web page', '<!DOCTYPE html><html><body>login</body></html>', /HTML page/],
    ['XML', '<?xml version="1.0"?><a/>', /XML/],
    ['a compressed file', '\x1f\x8b\x08\x00abc', /not text/],
    ['plain text', 'hello there', /plain text/],
    ['half a JSON document', '{"openapi":"3.0.0","paths":{"/a":', /cut off/],
    ['broken YAML', 'openapi: 3.0.0\npaths: {a: [b}\n', /not valid YAML.*line 2/],
    ['too much text', ' '.repeat(10 * 1024 * 1024 + 1), /10 MiB/],
    ['deep JSON', '['.repeat(200_000) + ']'.repeat(200_000), /nests deeper/],
    ['deep YAML', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`, /nests (?:deeper|too deep)/],
    [
      'deep YAML blocks',
      Array.from({ length: 2000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
      /nests (?:deeper|too deep)/,
    ],
    ['aliases that multiply', bomb, /not valid YAML/],
    ['merge keys that multiply', mergeBomb, /not valid YAML/],
  ])('%s', (_, text, message) => {
    expect(() => parseText(text)).toThrow(message)
    expect(() => parseText(text)).toThrow(expect.objectContaining({ code: 'DISCOVERY_ERROR' }))
  })
})

describe('reads', () => {
  it('JSON, YAML, and JSON that is only YAML', () => {
    expect(parseText('\ufeff{"a":1}')).toEqual({ value: { a: 1 }, format: 'json' })
    expect(parseText('a: 1\nb: [x, yes]\n2: c')).toEqual({ value: { a: 1, b: ['x', 'yes'], 2: 'c' }, format: 'yaml' })
    expect(parseText('{"a": 1, // why\n}'.replace('// why', '# why'))).toEqual({ value: { a: 1 }, format: 'yaml' })
  })

  it('aliases, merge keys and duplicate keys, where the last wins', () => {
    expect(parseText('x: &x { a: 1 }\ny: { <<: *x, b: 2 }\ny: { c: 3 }').value).toEqual({ x: { a: 1 }, y: { c: 3 } })
    expect(parseText('{"a":1,"a":2}').value).toEqual({ a: 2 })
  })

  it('no tag that makes code or dates, and no prototype (security cases BL-05, BL-06)', () => {
    const { value } = parseText('a: !!js/function "function () {}"\nd: 2026-01-01\n__proto__: { polluted: true }')
    expect(value).toMatchObject({ a: 'function () {}', d: '2026-01-01' })
    expect('polluted' in {}).toBe(false)
  })
})
