// What a hostile or broken MCP upstream does instead of answering a call, and the failure that each becomes.
import type { ServerResponse } from 'node:http'
import type { PeerRequest } from './mcp-peer.fixture.ts'

export type Attack = (request: PeerRequest) => unknown

export const events = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })
export const json = (response: ServerResponse, body: string | Buffer): unknown =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
export const message = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
export const note = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(500) } }
export const resultOf = (id: PeerRequest['id'], result: unknown) => ({ jsonrpc: '2.0', id, result })

/** Writes for as long as the connection is there. */
export function forever(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 2)
  response.on('close', () => clearInterval(timer))
}

const DEEP = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`

export const ATTACKS: readonly (readonly [what: string, failure: string, attack: Attack])[] = [
  ['says nothing', 'timeout', () => undefined],
  ['drips', 'timeout', ({ response }) => forever(response.writeHead(200, { 'content-type': 'application/json' }), ' ')],
  ['keeps a stream alive for ever', 'timeout', ({ response }) => forever(events(response), ': ping\n\n')],
  ['cuts the connection', 'network', ({ response }) => response.destroy()],
  [
    'cuts the connection in the middle',
    'network',
    ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 }).write('{"jsonrpc"')
      setTimeout(() => response.destroy(), 20)
    },
  ],
  ['ends a stream without the answer', 'network', ({ response }) => events(response).end(message(note))],
  [
    'answers a page',
    'bad_response',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  ],
  ['answers nothing', 'bad_response', ({ response }) => response.writeHead(202).end()],
  ['answers null', 'bad_response', ({ response }) => json(response, 'null')],
  ['answers an empty list', 'bad_response', ({ response }) => json(response, '[]')],
  [
    'answers half a message',
    'bad_response',
    ({ response, id }) => json(response, JSON.stringify({ jsonrpc: '2.0', id })),
  ],
  [
    'answers another protocol',
    'bad_response',
    ({ response, id }) => json(response, JSON.stringify({ id, result: {} })),
  ],
  ['answers bytes', 'bad_response', ({ response }) => json(response, Buffer.from([0xff, 0xfe, 0x00, 0x80]))],
  [
    'answers too deep',
    'bad_response',
    ({ response, id }) => json(response, `{"jsonrpc":"2.0","id":${id},"result":${DEEP}}`),
  ],
  [
    'answers another request',
    'bad_response',
    ({ response }) => json(response, JSON.stringify(resultOf(4_711, { content: [] }))),
  ],
  [
    'answers the id as text',
    'bad_response',
    ({ response, id }) => json(response, JSON.stringify(resultOf(String(id), { content: [] }))),
  ],
  [
    'answers another request in a stream',
    'bad_response',
    ({ response }) => events(response).end(message(resultOf(4_711, { content: [] }))),
  ],
  [
    'answers no request in a stream',
    'bad_response',
    ({ response }) => events(response).end(message({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } })),
  ],
  ['sends noise in a stream', 'bad_response', ({ response }) => events(response).end('data: {nonsense\n\n')],
  [
    'answers compressed',
    'bad_response',
    ({ response }) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
  ],
  [
    'answers a text as result',
    'bad_response',
    ({ response, id }) => json(response, JSON.stringify(resultOf(id, 'text'))),
  ],
  [
    'answers no list of blocks',
    'bad_response',
    ({ response, id }) => json(response, JSON.stringify(resultOf(id, { content: 'x' }))),
  ],
  [
    'answers blocks that are none',
    'bad_response',
    ({ response, id }) => json(response, JSON.stringify(resultOf(id, { content: ['x', null] }))),
  ],
  ['answers too much', 'response_too_large', ({ response }) => json(response, Buffer.alloc(300_000, 32))],
  [
    'sends an event without end',
    'response_too_large',
    ({ response }) => forever(events(response), `data: ${'x'.repeat(20_000)}`),
  ],
  [
    'sends events without end',
    'response_too_large',
    ({ response }) => forever(events(response), message(note).repeat(20)),
  ],
  ['sends elsewhere', 'upstream_status', ({ response }) => response.writeHead(307, { location: '/other' }).end()],
  [
    'has an endless error page',
    'upstream_status',
    ({ response }) => forever(response.writeHead(500), 'x'.repeat(5_000)),
  ],
]
