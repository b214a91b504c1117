// MCP messages as clients send them, of both eras, and the ways a case spoils them: the JSON, the bytes, the headers, the framing.
import fc from 'fast-check'
import type { Env } from '../scenarios/gateway.fixture.ts'
import { type ByteChange, byteChange, bytesOf, type Change, change, cuts, hostileText, written } from './hostile.ts'
import { CANARY } from './watched.ts'

export const MODERN = '2026-07-28'
export const KEY = 'the-key-of-the-fuzzed-caller'

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: CANARY, version: '1' },
}

type Template = { readonly method: string; readonly params?: object; readonly notification?: true }
const TEMPLATES: readonly Template[] = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: CANARY, version: '1' } },
  },
  { method: 'server/discover' },
  { method: 'ping' },
  { method: 'tools/list' },
  { method: 'tools/list', params: { cursor: CANARY } },
  { method: 'tools/call', params: { name: 'read', arguments: { id: 5, note: CANARY } } },
  { method: 'tools/call', params: { name: 'read', arguments: { id: 5 }, _meta: { progressToken: CANARY } } },
  { method: 'tools/call', params: { name: 'write', arguments: { name: CANARY, tags: ['a', { b: [1, null] }] } } },
  { method: 'tools/call', params: { name: 'echo', arguments: { text: CANARY, deep: { a: [1, 2, { b: null }] } } } },
  { method: 'tools/call', params: { name: 'rest__read', arguments: { id: 7, __end_user: CANARY } } },
  { method: 'tools/call', params: { name: 'search_tools', arguments: { query: CANARY } } },
  { method: 'tools/call', params: { name: CANARY, arguments: {} } },
  { method: 'resources/list' },
  { method: 'resources/read', params: { uri: `file:///${CANARY}` } },
  { method: 'prompts/get', params: { name: CANARY, arguments: { a: 'b' } } },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: CANARY }, argument: { name: 'a', value: 'b' } },
  },
  { method: 'logging/setLevel', params: { level: 'debug' } },
  { method: 'tasks/get', params: { taskId: CANARY } },
  { method: 'notifications/initialized', notification: true },
  { method: 'notifications/cancelled', params: { requestId: 1, reason: CANARY }, notification: true },
  { method: 'notifications/progress', params: { progressToken: 1, progress: 1 }, notification: true },
]

export const PATHS = ['/mcp/rest', '/mcp/up', '/mcp-custom/both', '/mcp'] as const

export type Case = {
  readonly template: number
  readonly path: (typeof PATHS)[number]
  readonly era: 'bare' | 'session' | 'old-session' | 'modern'
  readonly id: unknown
  readonly changes: readonly Change[]
  readonly bytes: ByteChange
  readonly batch: number
  readonly headers: Env
  readonly framing: 'length' | 'chunked' | 'tooLong' | 'tooShort' | 'both' | 'twice'
  readonly cuts: readonly number[]
}

const id = fc.oneof(
  { weight: 4, arbitrary: fc.integer() },
  { weight: 2, arbitrary: fc.string() },
  { weight: 1, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.constantFrom(null, true, 1.5, -0, 2 ** 53 + 2, [], {}, [1]) },
)

/** What a header says; a name is spoiled by its value only, because a bad name is no HTTP. */
const headers: fc.Arbitrary<Env> = fc.record(
  {
    accept: fc.constantFrom('application/json', 'text/event-stream', '*/*', 'text/html', 'application/json;q=0', 'x'),
    'content-type': fc.constantFrom(
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'application/json\t',
      'text/plain',
      'application/jsonx',
      'multipart/form-data; boundary=x',
    ),
    'content-encoding': fc.constantFrom('gzip', 'identity', 'br, gzip'),
    'mcp-session-id': fc.constantFrom('', 'v1.x', 'a'.repeat(3_000), '../x'),
    'mcp-protocol-version': fc.constantFrom('2025-11-25', MODERN, '2025-03-26', '2024-11-05', 'x', ''),
    'mcp-method': fc.constantFrom('tools/call', 'tools/list', 'x', ''),
    'mcp-name': fc.constantFrom('read', '=?base64?cmVhZA==?=', '=?base64?/////w==?=', 'x'),
    'x-request-id': fc.constantFrom('short', 'a'.repeat(300), 'a b', '{"a":1}', 'a-valid-one'),
    traceparent: fc.constantFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x', '00-0-0-0'),
    'last-event-id': fc.constantFrom('1', 'x'),
    expect: fc.constantFrom('100-continue', 'x'),
    'x-forwarded-for': fc.constantFrom('10.0.0.1', 'x, y', '::1'),
  },
  { requiredKeys: [] },
)

export const messages: fc.Arbitrary<Case> = fc.record({
  template: fc.nat(TEMPLATES.length - 1),
  path: fc.constantFrom(...PATHS),
  era: fc.constantFrom('bare', 'session', 'old-session', 'modern'),
  id,
  changes: fc.array(change, { maxLength: 2 }),
  bytes: byteChange,
  batch: fc.oneof({ weight: 8, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.constantFrom(0, 1, 2, 51) }),
  headers: fc.oneof({ weight: 3, arbitrary: fc.constant<Env>({}) }, { weight: 1, arbitrary: headers }),
  framing: fc.oneof(
    { weight: 8, arbitrary: fc.constant('length' as const) },
    { weight: 2, arbitrary: fc.constantFrom('chunked', 'tooLong', 'tooShort', 'both', 'twice') },
  ),
  cuts,
})

export type Request = {
  readonly bytes: Buffer
  /** One request on the wire; otherwise the framing is wrong and the connection may just end. */
  readonly framed: boolean
  /** The id of the one message, when it is known to be well-formed. */
  readonly id: string | number | undefined
}

function messageOf({ template, era, id: given }: Case): object {
  const { method, params, notification } = TEMPLATES[template] ?? { method: 'ping' }
  const own =
    era === 'modern'
      ? { ...params, _meta: { ...META, ...(params && '_meta' in params ? (params._meta as object) : {}) } }
      : params
  return { jsonrpc: '2.0', ...(notification ? {} : { id: given }), method, ...(own && { params: own }) }
}

function eraHeaders(one: Case, sessions: Readonly<Record<string, Env>>): Env {
  if (one.era === 'bare') return {}
  if (one.era !== 'modern') return sessions[`${one.path} ${one.era}`] ?? {}
  const { method = '', params = {} } = TEMPLATES[one.template] ?? {}
  const named = 'name' in params ? params.name : 'uri' in params ? params.uri : undefined
  return {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof named === 'string' && { 'mcp-name': named }),
  }
}

function framed(body: Buffer, { framing, cuts: places }: Case): { head: string; body: Buffer } {
  const lengthOf = (more: number): string => `content-length: ${Math.max(0, body.length + more)}\r\n`
  const whole = (): Buffer => {
    const at = (places[0] ?? 0) % (body.length + 1)
    const pieces = [body.subarray(0, at), body.subarray(at)].filter(({ length }) => length > 0)
    const written = pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ])
    return Buffer.concat([...written, Buffer.from('0\r\n\r\n')])
  }
  switch (framing) {
    case 'length':
      return { head: lengthOf(0), body }
    case 'chunked':
      return { head: 'transfer-encoding: chunked\r\n', body: whole() }
    case 'tooLong':
      return { head: lengthOf(7), body }
    case 'tooShort':
      return { head: lengthOf(-3), body }
    case 'both':
      return { head: `${lengthOf(0)}transfer-encoding: chunked\r\n`, body: whole() }
    case 'twice':
      return { head: lengthOf(0) + lengthOf(1), body }
  }
}

export function requestOf(one: Case, port: number, sessions: Readonly<Record<string, Env>>): Request {
  const text = written(messageOf(one), one.changes)
  const batched = one.batch < 0 ? text : `[${Array.from({ length: one.batch }, () => text).join(',')}]`
  const { head, body } = framed(bytesOf(batched, one.bytes), one)
  const all: Env = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...eraHeaders(one, sessions),
    ...one.headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  // A body of another type is not read, so its id is not known.
  const isRead = !('content-type' in one.headers) && !('content-encoding' in one.headers)
  const whole = isRead && one.bytes.how === 'none' && one.batch < 0 && one.changes.length === 0
  const ofOne =
    whole && (typeof one.id === 'string' || Number.isSafeInteger(one.id)) ? (one.id as string | number) : undefined
  return {
    bytes: Buffer.concat([Buffer.from(`POST ${one.path} HTTP/1.1\r\n${lines.join('')}${head}\r\n`), body]),
    framed: one.framing === 'length' || one.framing === 'chunked',
    id: TEMPLATES[one.template]?.notification ? undefined : ofOne,
  }
}
