// What a captured call leaves: arguments and a preview, without what redact paths name and without what looks like a secret.
import { describe, expect, it } from 'vitest'
import { redaction } from '../../text/redact.ts'
import { keptArguments } from './kept-arguments.ts'
import { previewOf } from './preview.ts'

const AWS = `AKIA${'A2'.repeat(8)}`
const JWT = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(30)}`
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow'.repeat(40)}\n-----END RSA PRIVATE KEY-----`
const kept = (args: Record<string, unknown>, paths?: readonly string[]) =>
  keptArguments(args, 'redacted', redaction(paths))

describe('the arguments of a captured call', () => {
  it('are kept as they are where nothing hides in them', () => {
    const args = { id: 5, deep: { list: ['a', null, true] } }
    expect(kept(args)).toEqual({ json: JSON.stringify(args), redacted: false })
  })

  it('lose what looks like a secret, all of it, wherever it stands [ct.8.6.content]', () => {
    const { json, redacted } = kept({ note: `see ${PEM} and ${JWT}.`, list: [{ key: AWS }], [AWS]: 1 })
    expect(redacted).toBe(true)
    expect(JSON.parse(String(json))).toEqual({
      note: 'see [SECRET] and [SECRET]',
      list: [{ key: '[SECRET]' }],
      '[SECRET]': 1,
    })
  })

  it('lose a secret without a shape of its own, which its name gives away', () => {
    const { json, redacted } = kept({ secret_access_key: 'a'.repeat(40), name: 'a'.repeat(40) })
    expect({ json, redacted }).toEqual({
      json: JSON.stringify({ secret_access_key: '[SECRET]', name: 'a'.repeat(40) }),
      redacted: true,
    })
  })

  it('keep what an issuer writes instead of a key', () => {
    const args = { key: 'AKIAIOSFODNN7EXAMPLE' }
    expect(kept(args)).toEqual({ json: JSON.stringify(args), redacted: false })
  })

  it('lose what redact paths name [ct.8.4.redacted]', () => {
    expect(kept({ pin: '1234', deep: [{ pin: 7, name: 'x' }] }, ['**.pin'])).toEqual({
      json: '{"pin":"[REDACTED]","deep":[{"pin":"[REDACTED]","name":"x"}]}',
      redacted: true,
    })
    expect(kept({ name: 'x' }, ['**.pin']).redacted).toBe(false)
    expect(kept({ name: 'x' }, ['**'])).toEqual({ json: null, redacted: true })
  })

  it('are not kept at all where that is configured, or where they are too long', () => {
    const none = { json: null, redacted: true }
    expect(keptArguments({ id: 5 }, 'none', undefined)).toEqual(none)
    expect(kept({ text: 'x'.repeat(1_048_576) })).toEqual(none)
  })
})

describe('the preview of an answer', () => {
  const text = (...texts: readonly string[]) => texts.map((each) => ({ type: 'text', text: each }))
  const IMAGE = { type: 'image', mimeType: 'image/png', data: Buffer.alloc(1234).toString('base64') }

  it('is its texts, cut at the limit, and a note for other content [ct.8.6.preview]', () => {
    expect(previewOf([...text('one'), IMAGE, ...text('two')], 100, undefined)).toEqual({
      text: 'one\n[image image/png 1234 bytes]\ntwo',
      truncated: false,
    })
    expect(previewOf(text('one', 'two'), 5, undefined)).toEqual({ text: 'one\nt', truncated: true })
    expect(previewOf(text('x'.repeat(100_000), 'y'), 7, undefined)).toEqual({ text: 'xxxxxxx', truncated: true })
    expect(previewOf(text('\u{1f600}'), 1, undefined)).toEqual({ text: '', truncated: true })
    expect(previewOf(text('one'), 0, undefined)).toEqual({ text: '', truncated: true })
  })

  it.each([
    [
      'a resource',
      { type: 'resource', resource: { uri: 'x:y', mimeType: 'text/css', text: 'body' } },
      '[resource text/css 4 bytes]',
    ],
    ['a resource in bytes', { type: 'resource', resource: { blob: 'AAAA' } }, '[resource 3 bytes]'],
    ['a link', { type: 'resource_link', uri: 'x:y' }, '[resource_link 0 bytes]'],
  ])('describes %s by its kind and size', (_what, block, note) => {
    expect(previewOf([block], 100, undefined).text).toBe(note)
  })

  it('holds no secret, also not one across the cut', () => {
    expect(previewOf(text(`key ${JWT}`), 20, undefined)).toEqual({ text: 'key [SECRET]', truncated: false })
    const cut = previewOf(text(`${'x'.repeat(95)} ${PEM} more`), 100, undefined)
    expect(cut).toEqual({ text: `${'x'.repeat(95)} [SEC`, truncated: true })
  })

  it('lost what redact paths name, also in an answer written by a person', () => {
    const redact = redaction(['pin'])
    expect(previewOf(text('{"pin":1234}', 'no JSON of a pin'), 100, redact).text).toBe(
      '{"pin":"[REDACTED]"}\nno JSON of a pin',
    )
  })
})
