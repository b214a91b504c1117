// What a hostile upstream answers: JSON, text, events, GraphQL and MCP, each valid first and then spoiled in its JSON, its bytes, its headers or its framing.
import fc from 'fast-check'
import type { Env } from '../scenarios/gateway.fixture.ts'
import { type ByteChange, byteChange, bytesOf, type Change, change, cuts, written } from './hostile.ts'
import { CANARY } from './watched.ts'

/** The credential of every backend. No answer to a caller may hold it, in none of the forms the gateway promises to find. */
export const SECRET = 'sesame street/9+open&wide'
export const SECRET_FORMS = [SECRET, Buffer.from(SECRET).toString('base64'), encodeURIComponent(SECRET)] as const
/** Of one call. Its end shows that it is whole: cut in the number it would be that of another call. */
/** Twice, so that no changed byte makes it another's. */
export const canaryOf = (nonce: number): string => `${CANARY}-${nonce}-${nonce}-end`
/** The nonces of the canaries in a text. */
export const canariesIn = (text: string): readonly number[] =>
  [...text.matchAll(new RegExp(`${CANARY}-(\\d+)-\\1-end`, 'g'))].map(([, nonce]) => Number(nonce))
/** The value at each redacted path. */
export const HIDDEN = 'hidden-value-77'

export const REST_TOOLS = {
  plain: {},
  redacted: { redactPaths: ['**.pin'] },
  transformed: {
    transform: {
      response: [
        { op: 'remove', path: 'items.0' },
        { op: 'copy', from: 'text', to: 'a.b.c' },
      ],
    },
  },
  paged: {
    pagination: {
      strategy: 'cursor',
      itemsPath: 'items',
      cursorResponsePath: 'next',
      cursorParam: 'after',
      maxPages: 2,
    },
  },
  linked: { pagination: { strategy: 'link', itemsPath: 'items', cursorResponsePath: 'next', maxPages: 2 } },
  events: { streaming: { format: 'sse', maxEvents: 20 } },
  lines: { streaming: { format: 'ndjson', maxEvents: 20 } },
  cut: { contextBudget: { mode: 'truncate', maxResponseBytes: 300 } },
  scanned: { guardrails: { scanResponses: true } },
  kept: { cache: { ttlSeconds: 60 } },
} as const
export type RestTool = keyof typeof REST_TOOLS
export const TARGETS = [...(Object.keys(REST_TOOLS) as RestTool[]), 'graphql', 'modern', 'legacy'] as const

export type Case = {
  readonly target: (typeof TARGETS)[number]
  readonly status: number
  readonly headers: Env
  readonly body: 'json' | 'text' | 'events' | 'lines' | 'error' | 'empty'
  readonly changes: readonly Change[]
  readonly bytes: ByteChange
  /** One character many times: the worst case of most patterns. */
  readonly run: { readonly text: string; readonly times: number }
  readonly framing:
    | 'length'
    | 'chunked'
    | 'close'
    | 'tooLong'
    | 'tooShort'
    | 'badChunk'
    | 'both'
    | 'noise'
    | 'continues'
  readonly cuts: readonly number[]
}

const headers: fc.Arbitrary<Env> = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-16le',
      'application/json; charset=iso-8859-1',
      'application/json; charset=no-such',
      'text/plain',
      'text/html; charset=utf-8',
      'text/event-stream',
      'application/x-ndjson',
      'application/octet-stream',
      'image/png',
      '',
      'x',
    ),
    'content-encoding': fc.constantFrom('gzip', 'br', 'identity', 'x', 'gzip, gzip, gzip'),
    'set-cookie': fc.constant(`a=${CANARY}`),
    location: fc.constant(`http://127.0.0.1:1/${CANARY}`),
    link: fc.constantFrom('</x>; rel=next', '<http://127.0.0.1:1/>; rel=next', `<${'a'.repeat(3_000)}>; rel="next"`),
    'retry-after': fc.constantFrom('0', '1e9', '-1', CANARY),
    'www-authenticate': fc.constant(`Bearer realm="${CANARY}"`),
    'mcp-session-id': fc.constant(CANARY),
    'x-echo': fc.constant(`${CANARY}\u00ff\u009b31m`),
  },
  { requiredKeys: [] },
)

/** As JSON writes them, so that a printed case shows them. */
const RUNS = [
  '\\u009d',
  '\\u001b[',
  '\\u200b',
  'eyJ-',
  'a',
  '<!--',
  '{',
  '[',
  '\\"',
  '\\\\',
  ' ',
  '\\n',
  '\\u0301',
  '&#',
  'ignore ',
  'data:',
]
const runOf = ({ run }: Case): string => (JSON.parse(`"${run.text}"`) as string).repeat(run.times) // text between quotes
/** Within what a backend may answer. */
const LONGEST_RUN = 1_000_000

export const answers: fc.Arbitrary<Case> = fc.record({
  target: fc.constantFrom(...TARGETS),
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    { weight: 2, arbitrary: fc.constantFrom(100, 101, 201, 204, 301, 400, 401, 404, 429, 500, 503, 999) },
  ),
  headers: fc.oneof({ weight: 1, arbitrary: fc.constant<Env>({}) }, { weight: 1, arbitrary: headers }),
  body: fc.oneof(
    { weight: 4, arbitrary: fc.constant('json' as const) },
    { weight: 2, arbitrary: fc.constantFrom('text', 'events', 'lines', 'error', 'empty') },
  ),
  changes: fc.array(change, { maxLength: 2 }),
  bytes: byteChange,
  run: fc.oneof(
    { weight: 12, arbitrary: fc.constant({ text: '', times: 0 }) },
    {
      weight: 1,
      arbitrary: fc
        .record({ text: fc.constantFrom(...RUNS), times: fc.integer({ min: 1_000, max: LONGEST_RUN }) })
        .map(({ text, times }) => ({ text, times: Math.floor(times / (text.startsWith('\\u') ? 1 : text.length)) })),
    },
  ),
  framing: fc.oneof(
    { weight: 5, arbitrary: fc.constant('length' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('chunked', 'close', 'tooLong', 'tooShort', 'badChunk', 'both', 'noise', 'continues'),
    },
  ),
  cuts,
})

/** Stands for the id of the request that is answered. */
const ID = '@id@'

function valueOf(one: Case, nonce: number): object {
  const { target, body } = one
  const own = {
    id: nonce,
    text: canaryOf(nonce),
    pin: HIDDEN,
    items: [{ id: 1, pin: HIDDEN, deep: { a: [1, { pin: HIDDEN }] } }, { id: 2 }],
    next: '/x?after=2',
    reflected: SECRET_FORMS[nonce % SECRET_FORMS.length],
    sentence: `it says ${SECRET}.`,
    run: runOf(one),
  }
  if (target === 'graphql')
    return body === 'error'
      ? { data: null, errors: [{ message: `${canaryOf(nonce)} ${SECRET}`, extensions: own }] }
      : { data: { pet: { name: own.text, id: own.run, sentence: own.sentence } } }
  if (target !== 'modern' && target !== 'legacy') return own
  if (body === 'error') return { jsonrpc: '2.0', id: ID, error: { code: -32_000, message: own.sentence, data: own } }
  const content = [
    { type: 'text', text: JSON.stringify(own) },
    { type: 'resource', resource: { uri: 'x://y', text: own.sentence } },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ]
  return {
    jsonrpc: '2.0',
    id: ID,
    result: { resultType: 'complete', content, structuredContent: own, _meta: { 'x/y': own.text } },
  }
}

function bodyOf(one: Case, nonce: number, id: unknown): Buffer {
  if (one.body === 'empty') return Buffer.alloc(0)
  const value = valueOf(one, nonce)
  const json = written(value, one.changes).replaceAll(JSON.stringify(ID), JSON.stringify(id) ?? 'null')
  switch (one.body) {
    case 'text':
      return bytesOf(`${canaryOf(nonce)} ${SECRET} ${runOf(one)}`, one.bytes)
    case 'events': {
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }
      const before = `: ${CANARY}\nretry: 1\n\nevent: message\ndata: ${written(progress, one.changes)}\n\n`
      return bytesOf(`${before}id: 1\ndata: ${json}\r\n\r\ndata: [DONE]\n\n`, one.bytes)
    }
    case 'lines':
      return bytesOf(`${json}\n\n{broken\n${json}\n`, one.bytes)
    default:
      return bytesOf(json, one.bytes)
  }
}

const typeOf = ({ body }: Case): string =>
  body === 'events'
    ? 'text/event-stream'
    : body === 'lines'
      ? 'application/x-ndjson'
      : body === 'text'
        ? 'text/plain'
        : 'application/json'

function chunkedOf(body: Buffer, { cuts: [at = 0] }: Case): Buffer {
  const pieces = [body.subarray(0, at % (body.length + 1)), body.subarray(at % (body.length + 1))]
  const whole = pieces
    .filter(({ length }) => length > 0)
    .flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
  return Buffer.concat([...whole, Buffer.from('0\r\n\r\n')])
}

export type Answer = {
  readonly bytes: Buffer /** The connection can serve the next request. */
  readonly reusable: boolean
}

/** The bytes on the wire. */
export function answerOf(one: Case, nonce: number, id: unknown): Answer {
  const body = bodyOf(one, nonce, id)
  const lines = Object.entries({ 'content-type': typeOf(one), ...one.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = (framing: string): Buffer =>
    Buffer.from(`HTTP/1.1 ${one.status} Reason ${CANARY}\r\n${lines.join('')}${framing}\r\n`, 'latin1')
  const lengthOf = (more: number): string => `content-length: ${Math.max(0, body.length + more)}\r\n`
  const chunkedHead = 'transfer-encoding: chunked\r\n'
  const ended = (...parts: readonly Buffer[]): Answer => ({ bytes: Buffer.concat(parts), reusable: false })
  switch (one.framing) {
    case 'length':
      return { bytes: Buffer.concat([head(lengthOf(0)), body]), reusable: true }
    case 'chunked':
      return { bytes: Buffer.concat([head(chunkedHead), chunkedOf(body, one)]), reusable: true }
    // What is left over lies in front of the next answer on this connection.
    case 'tooShort':
      return { bytes: Buffer.concat([head(lengthOf(-3)), body]), reusable: true }
    case 'close':
      return ended(head('connection: close\r\n'), body)
    case 'tooLong':
      return ended(head(lengthOf(9)), body)
    case 'badChunk':
      return ended(head(chunkedHead), Buffer.from('zz\r\n'), body)
    case 'both':
      return ended(head(lengthOf(0) + chunkedHead), chunkedOf(body, one))
    case 'noise':
      return ended(Buffer.from([0, 255, 1, 13, 10]), head(lengthOf(0)), body)
    case 'continues':
      return ended(Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)), head(lengthOf(0)), body)
  }
}
