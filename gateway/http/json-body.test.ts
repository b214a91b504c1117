import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/error.ts'
import { growthOf } from '../text/growth.fixture.ts'
import { nestsDeeper } from '../text/json-depth.ts'
import { bodyOf, type Front, openFront, rawExchange, statusOf } from './http.fixture.ts'
import { decodeJson, parseJson } from './json-body.ts'

const LIMIT = 2048
let front: Front
beforeAll(async () => {
  front = await openFront(
    { MAX_BODY_BYTES: LIMIT, MAX_REGISTER_BODY_BYTES: 2 * LIMIT },
    {},
    ({ app, registerBodyBytes }) => {
      app.post('/echo', (request, reply) => reply.send({ got: request.body ?? null }))
      app.delete('/echo', (request, reply) => reply.send({ got: request.body ?? null }))
      app.post('/big', { bodyLimit: registerBodyBytes }, () => ({ got: true }))
    },
  )
})
afterAll(() => front.stop())

type Answer = { readonly status: number; readonly code?: string; readonly got?: unknown }
function answerOf(response: string): Answer {
  const body = JSON.parse(bodyOf(response)) as { error?: { code: string }; got?: unknown }
  return { status: statusOf(response), ...(body.error && { code: body.error.code }), got: body.got }
}
function post(
  body: string,
  { type = 'Content-Type: application/json\r\n', path = '/echo', extra = '', method = 'POST' } = {},
): Promise<Answer> {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${front.port}\r\n${type}${extra}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  return rawExchange(front.port, head + body).then(answerOf)
}
const chunked = (body: string): Promise<Answer> =>
  rawExchange(
    front.port,
    `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${front.port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ).then(answerOf)
const sized = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('refused bodies', () => {
  it.each([
    ['text/plain', 'Content-Type: text/plain\r\n'],
    ['a form', 'Content-Type: application/x-www-form-urlencoded\r\n'],
    ['multipart', 'Content-Type: multipart/form-data; boundary=x\r\n'],
    ['no type', ''],
    ['a patch type', 'Content-Type: application/json-patch+json\r\n'],
    ['a longer name', 'Content-Type: application/jsonx\r\n'],
    ['another charset', 'Content-Type: application/json; charset=utf-16\r\n'],
    ['a smuggled second type', 'Content-Type: application/json, text/plain\r\n'],
    ['a foreign parameter', 'Content-Type: application/json; boundary=x\r\n'],
    ['an encoded body', 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n'],
  ])(
    '415 for %s (security cases BL-11, BL-17) [ct.1.3.content-type ct.18.unsupported_media_type]',
    async (_what, type) => {
      expect(await post('{}', { type })).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    },
  )

  it('413 one byte over the limit, by length or chunked (security case BL-01) [ct.1.3.max-body ct.18.payload_too_large ct.17.effect.max_body_bytes]', async () => {
    const over = { status: 413, code: 'PAYLOAD_TOO_LARGE' }
    expect(await post(sized(LIMIT + 1))).toMatchObject(over)
    expect(await chunked(sized(LIMIT + 1))).toMatchObject(over)
    expect(await post(sized(LIMIT))).toMatchObject({ status: 200 })
    expect(await chunked(sized(LIMIT))).toMatchObject({ status: 200 })
    expect(await post(sized(2 * LIMIT), { path: '/big' })).toMatchObject({ status: 200 })
    expect(await post(sized(2 * LIMIT + 1), { path: '/big' })).toMatchObject(over)
  })

  it('413 for a length that is announced and never sent (security case BL-01)', async () => {
    const response = await new Promise<string>((resolve) => {
      const socket = connect(front.port, '127.0.0.1')
      socket.setEncoding('latin1')
      socket.once('data', (chunk: string) => {
        socket.destroy()
        resolve(chunk)
      })
      socket.write(
        `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${front.port}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{`,
      )
    })
    expect(statusOf(response)).toBe(413)
  })

  it.each([33, 200, 1000])(
    '400 JSON_TOO_DEEP at depth %i (security case BL-02) [ct.1.3.depth ct.18.json_too_deep]',
    async (depth) => {
      expect(await post(nested(depth))).toMatchObject({ status: 400, code: 'JSON_TOO_DEEP' })
    },
  )

  it.each([
    ['nothing closed', '{"a":1'],
    ['a bare word', 'yes'],
    ['two values', '{}{}'],
    ['a byte order mark', '\xef\xbb\xbf{}'],
    ['a lone byte order mark', '\xef\xbb\xbf'],
    ['UTF-16', '\xff\xfe{\x00}\x00'],
    ['invalid UTF-8', '"\xc3\x28"'],
    ['an encoded surrogate', '"\xed\xa0\x80"'],
    ['__proto__', '{"__proto__":{"x":1}}'],
    ['a nested __proto__', '{"a":[{"__proto__":1}]}'],
    ['an escaped __proto__', '{"\\u005f_proto__":{"x":1}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"x":1}}}'],
  ])(
    '400 INVALID_JSON for %s (security cases BL-05, BL-16) [ct.1.3.malformed ct.18.invalid_json]',
    async (_what, body) => {
      expect(await post(body)).toMatchObject({ status: 400, code: 'INVALID_JSON' })
      expect(({} as { x?: unknown }).x).toBeUndefined()
    },
  )
})

describe('numbers', () => {
  it.each(['9007199254740993', '-9007199254740993', '123456789012345678901', '1e400', '-1e999', '1E+309'])(
    '%s is refused: it would become another one (security case BL-04)',
    async (number) => {
      const answer = await post(`{"a":[{"id":${number}}]}`)
      expect(answer).toMatchObject({ status: 400, code: 'INVALID_JSON' })
    },
  )

  it.each([
    '9007199254740991',
    '9007199254740992',
    '123456789012345680000',
    '1e20',
    '0.12345678901234567890',
    '-1.5E-300',
  ])('%s is taken', async (number) => {
    expect(await post(`{"a":${number},"text":"9007199254740993 1e400"}`)).toMatchObject({
      got: { a: Number(number) },
    })
  })
})

describe('accepted bodies', () => {
  it('take depth 32, brackets in strings and harmless keys [gw.setting.max_json_depth]', async () => {
    expect(await post(nested(32))).toMatchObject({ status: 200 })
    expect(await post(JSON.stringify('['.repeat(100)))).toMatchObject({ status: 200 })
    expect(await post('{"constructor":"Ford"}')).toMatchObject({ got: { constructor: 'Ford' } })
    expect(await post('{}', { type: 'Content-Type: application/json; charset=UTF-8\r\n' })).toMatchObject({
      status: 200,
    })
  })

  it('may be absent where a route needs none', async () => {
    expect(await post('', { type: '' })).toEqual({ status: 200, got: null })
    expect(await post('', { method: 'DELETE' })).toEqual({ status: 200, got: null })
  })

  it('a slow scan does not come from depth: 200,000 levels are refused at once', () => {
    expect(() => parseJson(nested(200_000), 32)).toThrow(GatewayError)
    expect(() => parseJson(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 32)).toThrow(/32 levels/)
  })
})

describe('a body made to be slow to read (security case BL-03)', () => {
  const MIB = 1_048_576
  /** As many as fit. */
  function filled(size: number, open: string, item: (at: number) => string, close: string): string {
    const parts: string[] = []
    for (let length = 2, at = 0; ; at += 1) {
      const part = item(at)
      length += part.length + 1
      if (length > size) return open + parts.join(',') + close
      parts.push(part)
    }
  }
  const read = (text: string) => () => {
    try {
      parseJson(text, 32)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
    }
  }
  const plain = filled(MIB, '{', (at) => `"key ${at}":${at}`, '}')

  it.each([
    ['a million elements', () => filled(6 * MIB, '[', String, ']')],
    ['a million keys', () => filled(6 * MIB, '{', (at) => `"${at}":0`, '}')],
    ['a million empty lists', () => filled(6 * MIB, '[', () => '[]', ']')],
    ['keys that look like numbers of one hash', () => filled(6 * MIB, '{', (at) => `"${at * 16_777_216}":0`, '}')],
  ])('%s is refused before it is read', (_what, text) => {
    const given = text()
    expect(() => parseJson(given, 32)).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }))
    expect(growthOf(read(plain), read(given), 20)).toBeLessThan(20)
  })

  it.each([
    ['a key of all the bytes', `{"${'k'.repeat(MIB)}":1}`],
    ['a text of backslashes', `{"a":"${'\\\\'.repeat(MIB / 2)}"}`],
    ['a text of quotes', `{"a":"${'\\"'.repeat(MIB / 2)}"}`],
    ['escapes in every key', filled(MIB, '{', (at) => `"\\u0061${at}":0`, '}')],
    ['long numbers', filled(MIB, '{', (at) => `"${at}":1234567890123456`, '}')],
    ['keys that look like numbers of one hash', filled(MIB, '{', (at) => `"${at * 16_777_216}":0`, '}')],
  ])('%s costs no more than many times a plain one', (_what, text) => {
    expect(growthOf(read(plain), read(text), 20)).toBeLessThan(20)
  })
})

describe('the depth scan', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

  it('agrees with the parsed value, for any strings', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8, noUnicodeString: false }),
        fc.integer({ min: 0, max: 8 }),
        (value, limit) => {
          expect(nestsDeeper(JSON.stringify(value), limit)).toBe(depthOf(JSON.parse(JSON.stringify(value))) > limit)
        },
      ),
    )
  })

  it('is not fooled by quotes and backslashes', () => {
    for (const tricky of ['\\', '\\"[', '"[{', '\\\\"[[[', '[[['])
      expect(nestsDeeper(JSON.stringify([tricky, [tricky]]), 2)).toBe(false)
    expect(nestsDeeper('"unclosed [[[', 0)).toBe(false)
  })

  it('keeps values as they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        fc.pre(!/__proto__|constructor/.test(text))
        expect(decodeJson(Buffer.from(text), 1000)).toEqual(JSON.parse(text))
      }),
    )
  })
})
