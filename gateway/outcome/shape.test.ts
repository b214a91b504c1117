// Bodies become blocks: each kind its own, nothing reflected, nothing that crashes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redaction } from '../text/redact.ts'
import { graphqlTrouble } from './graphql-failure.ts'
import { errorExcerpt, type Shaping, shapeBody } from './shape.ts'

const shaping: Shaping = {
  requestId: 'r-1',
  secrets: ['s3cret/value'],
  redact: undefined,
  structured: true,
  maxDepth: 32,
}
const shape = (type: string | undefined, body: string | Buffer, more: Partial<Shaping> = {}) =>
  shapeBody(200, type, Buffer.from(body), { ...shaping, ...more })
const textOf = (shaped: ReturnType<typeof shapeBody>) =>
  'problem' in shaped ? shaped.problem : shaped.content[0]?.text

describe('what is not handed on', () => {
  const deep = `${'['.repeat(33)}${']'.repeat(33)}`

  it('JSON that nests too deep is a bad response (security case BL-02)', () => {
    expect(shape('application/json', deep)).toEqual({ problem: 'the answer nests deeper than 32 levels' })
  })

  it('nor is it taken for text where something in it should be redacted', () => {
    expect(shape('text/plain', deep)).toHaveProperty('content')
    expect(shape('text/plain', deep, { redact: redaction(['a']) })).toHaveProperty('problem')
  })

  it.each([
    ['plain', '{"a":"s3cret/value"}'],
    ['with an escaped slash', '{"a":"s3cret\\/value"}'],
    ['in escapes', '{"a":"\\u0073\\u0033cret/value"}'],
    ['in a key', '{"s3cret/value":1}'],
    ['hidden by a second key', '{"a":"s3cret\\/value","a":1}'],
  ])('a credential reflected %s [ct.5.11.credential]', (_how, body) => {
    const shaped = JSON.stringify(shape('application/json', body))
    expect(shaped).not.toMatch(/s3cret\\*\/value/)
  })

  it('a value that is to be redacted in a text that is JSON itself', () => {
    const inner = JSON.stringify({ pin: 'p-1', kept: 1 })
    const cases: readonly (readonly [string, unknown])[] = [
      ['application/json', inner],
      ['application/json', { body: inner, list: [inner] }],
      ['text/plain', { body: inner }],
    ]
    for (const [type, given] of cases) {
      const shown = JSON.stringify(shape(type, JSON.stringify(given), { redact: redaction(['pin', '**.pin']) }))
      expect([type, shown.includes('p-1'), shown.includes('kept')]).toEqual([type, false, true])
    }
  })

  it('a value that is to be redacted and hides behind a second key', () => {
    const redact = redaction(['user.password', '**.pin'])
    for (const hidden of ['{"user":{"password":"p-1"},"user":1}', '{"pin":"p-1","p\\u0069n":"2","a":[]}'])
      expect(JSON.stringify(shape('application/json', hidden, { redact }))).not.toContain('p-1')
    const plain = '{ "user": {"name": "p-1"} }'
    expect(textOf(shape('application/json', plain, { redact }))).toBe(plain)
  })

  it('a credential in binary bodies and media', () => {
    for (const type of ['application/octet-stream', 'image/png']) {
      const shaped = JSON.stringify(shape(type, '\u0000s3cret/value\u0000'))
      const data = /"(?:blob|data)":"([^"]+)"/.exec(shaped)?.[1] ?? ''
      expect(Buffer.from(data, 'base64').toString()).toBe('\u0000[credential removed]\u0000')
    }
  })

  it('a credential in the charset a JSON body names, or as its media type', () => {
    const body = Buffer.from('{"a":"s3cret/value","pin":"p-1"}', 'utf16le')
    const redact = redaction(['pin'])
    for (const [type, bytes] of [
      ['application/json; charset=utf-16le', body],
      ['application/json', Buffer.concat([Buffer.from([0xff, 0xfe]), body])],
      [undefined, Buffer.concat([Buffer.from([0xff, 0xfe]), body])],
    ] as const)
      expect(shape(type, bytes, { redact })).toMatchObject({
        structuredContent: { a: '[credential removed]', pin: '[REDACTED]' },
      })
    expect(JSON.stringify(shape('image/s3cret-value', '\0', { secrets: ['s3cret-value'] }))).not.toContain('s3cret')
  })

  it('a credential or a redacted value in the errors of GraphQL', () => {
    const answer = { data: null, errors: [{ message: 'no s3cret/value' }, { message: 'x', code: 1 }] }
    const trouble = (paths: string[]) =>
      graphqlTrouble(Buffer.from(JSON.stringify(answer), 'utf16le'), 'application/json; charset=utf-16le', {
        ...shaping,
        redact: redaction(paths),
      })
    expect(trouble(['a'])).toMatchObject({ text: 'GraphQL: no [credential removed]; x' })
    expect(trouble(['errors.1.message'])).toMatchObject({ text: 'GraphQL: no [credential removed]; [REDACTED]' })
    expect(trouble(['errors'])).toMatchObject({ text: 'GraphQL: [REDACTED]' })
  })

  it('a type that is no media type', () => {
    expect(shape('image/"><script>', '\u0000')).toMatchObject({
      content: [{ resource: { mimeType: 'application/octet-stream' } }],
    })
  })
})

describe('what is handed on', () => {
  it('a JSON object is one text block as received, and an object [ct.5.13.object]', () => {
    const body = '{ "id": 5,\n "name": "Rex\\n" }'
    expect(shape('application/json; charset=utf-8', body)).toEqual({
      content: [{ type: 'text', text: body }],
      structuredContent: { id: 5, name: 'Rex\n' },
    })
    expect(shape('application/json', body, { structured: false })).not.toHaveProperty('structuredContent')
  })

  it('keeps control characters in keys as escapes', () => {
    expect(shape('application/json', '{"a\\u009b\\u202eb\\udb40\\udc41":"\\u009b31mred"}')).toEqual({
      content: [{ type: 'text', text: '{"a\\u009b\\u202eb\\udb40\\udc41":"red"}' }],
      structuredContent: { 'a\u009b\u202eb\u{e0041}': 'red' },
    })
  })

  it('a changed one is compact JSON', () => {
    const redact = redaction(['name'])
    expect(shape('application/problem+json', '{ "id": 5, "name": "Rex" }', { redact })).toEqual({
      content: [{ type: 'text', text: '{"id":5,"name":"[REDACTED]"}' }],
      structuredContent: { id: 5, name: '[REDACTED]' },
    })
  })

  it.each(['[1, 2]', '"text"', '5', 'null', 'true'])(
    '%s, which is no object, is compact JSON text [ct.5.13.json]',
    (body) => {
      expect(shape('application/json', body)).toEqual({
        content: [{ type: 'text', text: JSON.stringify(JSON.parse(body)) }],
      })
    },
  )

  it('JSON is recognised when its type is missing or wrong', () => {
    expect(shape(undefined, '{"a":1}')).toHaveProperty('structuredContent', { a: 1 })
    expect(shape('text/html', '\ufeff[1]')).toEqual({ content: [{ type: 'text', text: '[1]' }] })
  })

  it.each([
    ['text/plain', 'just text'],
    ['text/html; charset=utf-8', '<p>hi</p>'],
    ['application/xml', '<a/>'],
    ['image/svg+xml', '<svg/>'],
    ['application/json', '{not json'],
    ['application/x-unknown', 'printable'],
    [undefined, 'no reason'],
  ])('%s is one text block [ct.5.13.text]', (type, body) => {
    expect(shape(type, body)).toEqual({ content: [{ type: 'text', text: body }] })
  })

  it('text is read in the charset it names', () => {
    expect(textOf(shape('text/plain; charset=iso-8859-1', Buffer.from([0x63, 0x61, 0x66, 0xe9])))).toBe('café')
    expect(textOf(shape('text/plain; charset=klingon', 'café'))).toBe('café')
  })

  it.each([
    ['image/png', 'image'],
    ['audio/mpeg', 'audio'],
  ])('%s is a Base64 block [ct.5.13.media]', (mimeType, type) => {
    expect(shape(`${mimeType}; x=y`, 'bytes')).toEqual({
      content: [{ type, data: Buffer.from('bytes').toString('base64'), mimeType }],
    })
  })

  it('other binary is a resource [ct.5.13.binary]', () => {
    expect(shape('application/pdf', '%PDF\u0000')).toEqual({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'gantry://call/r-1',
            mimeType: 'application/pdf',
            blob: Buffer.from('%PDF\u0000').toString('base64'),
          },
        },
      ],
    })
  })

  it('nothing is reported as nothing [ct.5.13.empty]', () => {
    expect(textOf(shapeBody(204, undefined, Buffer.alloc(0), shaping))).toBe('HTTP 204 (no content)')
  })

  it('for all bytes and all declared types', () => {
    const types = fc.constantFrom(
      'application/json',
      'text/plain',
      'image/png',
      'text/plain; charset=utf-16',
      '',
      'x/y',
    )
    fc.assert(
      fc.property(types, fc.uint8Array(), (type, bytes) => {
        const shaped = shapeBody(200, type, Buffer.from(bytes), { ...shaping, redact: redaction(['**.a']) })
        expect(JSON.parse(JSON.stringify(shaped))).toBeTypeOf('object')
      }),
    )
  })
})

describe('an excerpt of an error', () => {
  const excerpt = (type: string, body: string, more: Partial<Shaping> = {}) =>
    errorExcerpt(type, Buffer.from(body), { ...shaping, ...more })

  it('is redacted however large the body is', () => {
    const body = JSON.stringify({ password: 'hunter2', pad: 'x'.repeat(100_000) })
    const text = excerpt('application/json', body, { redact: redaction(['password']) })
    expect(text).not.toContain('hunter2')
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192)
  })

  it('is cut by bytes, not by characters', () => {
    expect(Buffer.byteLength(excerpt('text/plain', 'é'.repeat(8_000)))).toBe(8_192)
  })

  it('names what cannot be shown', () => {
    expect(excerpt('image/png', 'x')).toBe('(image/png content)')
    expect(excerpt('text/plain', '')).toBe('(no content)')
  })
})

describe('what a backend would have shown, run or opened (security case RS-07)', () => {
  it.each([
    ['a picture that holds scripts', 'image/svg+xml', '<svg onload="alert(1)"/>'],
    ['a page', 'text/html', '<script>alert(1)</script>'],
    ['a page that says it is JSON', 'application/json', '<script>alert(1)</script>'],
    ['a script', 'application/javascript', 'alert(1)'],
    ['a link to a file', 'text/plain', '[here](file:///etc/passwd)'],
    ['a link that is a script', 'text/markdown', '[here](javascript:alert(1))'],
    ['JSON of links', 'application/json', '{"href":"javascript:alert(1)","at":"file:///etc/passwd"}'],
  ])('%s stays text, letter by letter', (_what, type, body) => {
    expect(shape(type, body)).toMatchObject({ content: [{ type: 'text', text: body }] })
  })

  it.each([
    ['a page that says it is a picture', 'image/png', 'image', 'image/png'],
    ['a type that is more than a type', 'image/png"><script>', 'resource', 'application/octet-stream'],
    ['a type with a parameter', 'image/png; x="<script>"', 'image', 'image/png'],
    ['nothing it says about itself', undefined, 'resource', 'application/octet-stream'],
  ])('%s is bytes under a type that is one', (_what, type, kind, mimeType) => {
    const bytes = Buffer.from('\u0000<script>alert(1)</script>')
    const shaped = shape(type, bytes)
    const [block] = 'problem' in shaped ? [] : shaped.content
    const data = { mimeType, [kind === 'image' ? 'data' : 'blob']: bytes.toString('base64') }
    expect(block).toEqual(
      kind === 'image' ? { type: kind, ...data } : { type: kind, resource: { uri: 'gantry://call/r-1', ...data } },
    )
  })
})
