// 47 things that a hostile or broken HTTP backend does instead of answering, and what a call becomes then.
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { okText } from './raw-upstream.fixture.ts'

export const LIMIT_BYTES = 1024 * 1024
/** Stored as the credential of the backend. */
export const SECRET = 'sesame-street-9000'

type Answer = (socket: Socket, elsewhere: string) => unknown
export type Misdeed = {
  readonly what: string
  /** The kinds of failure, or `ok`: more than one where HTTP leaves it open. */
  readonly becomes: readonly string[]
  /** What its text must be. */
  readonly text?: RegExp
  readonly answer: Answer
}

const head = (more: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${more}`
const plain = (body: string | Buffer, more = '', status = '200 OK', type = 'text/plain'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      'latin1',
    ),
    Buffer.from(body as string), // Buffer.from takes either
  ])
const encoded =
  (encoding: string, body: Buffer): Answer =>
  (socket) =>
    socket.write(plain(body, `content-encoding: ${encoding}\r\n`, '200 OK', 'application/json'))
const json =
  (body: string): Answer =>
  (socket) =>
    socket.write(okText(body))
const stream = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const endless = (socket: Socket, piece: string): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece)) continue
  }
  socket.on('drain', more)
  more()
}
const drip = (socket: Socket, piece: string): void => {
  const timer = setInterval(() => socket.write(piece), 50)
  socket.on('close', () => clearInterval(timer))
}
const row = (what: string, becomes: string | readonly string[], answer: Answer, text?: RegExp): Misdeed => ({
  what,
  becomes: typeof becomes === 'string' ? [becomes] : becomes,
  answer,
  ...(text === undefined ? {} : { text }),
})

const ZEROS = Buffer.alloc(20 * LIMIT_BYTES)
const DEEP = 5_000
const smuggled = okText('{"smuggled":true}')

const WIRE: readonly Misdeed[] = [
  row('hangs up', 'network', (socket) => socket.end()),
  row('resets the connection', 'network', (socket) => socket.resetAndDestroy()),
  row('sends noise', 'network', (socket) => socket.end(Buffer.from('\u0000\u0001\u00ff no http \r\n\r\n', 'latin1'))),
  row('speaks another protocol', 'network', (socket) => socket.end('220 mail.test ESMTP\r\n\r\n')),
  row('sends a chunk without a size', 'network', (socket) =>
    socket.write(head('transfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n')),
  ),
  row('leaves its chunks open', 'network', (socket) =>
    socket.end(head('transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n')),
  ),
  row('sends less than it announced', 'network', (socket) => socket.end(head('content-length: 1000\r\n\r\n{"half":'))),
  row('announces two lengths', 'network', (socket) =>
    socket.write(head('content-length: 2\r\ncontent-length: 3\r\n\r\n{}')),
  ),
  row('announces a length and chunks', ['network', 'ok'], (socket) =>
    socket.end(head('content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n')),
  ),
  row('sends two status lines', 'network', (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n${head('content-length: 2\r\n\r\n{}')}`),
  ),
  row('sends a header of 1 MiB', 'network', (socket) =>
    socket.write(head(`x: ${'a'.repeat(LIMIT_BYTES)}\r\ncontent-length: 2\r\n\r\n{}`)),
  ),
  row('sends 20,000 headers', ['network', 'ok'], (socket) =>
    socket.write(head(`${'x: a\r\n'.repeat(20_000)}content-length: 2\r\n\r\n{}`)),
  ),
  row('says 100 Continue 10,000 times', ['network', 'ok'], (socket) =>
    socket.write(`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)}${okText('{}')}`),
  ),
  row('switches protocols', ['network', 'bad_response', 'upstream_status'], (socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nx'),
  ),
  row(
    'sends a second answer',
    'ok',
    (socket) => socket.write(okText('{"first":true}') + smuggled),
    /^\{"first":true\}$/,
  ),
  row(
    'sends an answer after an empty one',
    'ok',
    (socket) => socket.write(`HTTP/1.1 204 No Content\r\n\r\n${smuggled}`),
    /^(?!.*smuggled)/,
  ),
]
const SLOW: readonly Misdeed[] = [
  row('says nothing', 'timeout', () => undefined),
  row('drips its head', 'timeout', (socket) => (socket.write('HTTP/1.1 200 OK\r\nx: '), drip(socket, 'a'))),
  row(
    'drips its body',
    'timeout',
    (socket) => (socket.write(head('content-length: 100000\r\n\r\n')), drip(socket, ' ')),
  ),
  row('keeps a stream alive for ever', 'timeout', (socket) => (socket.write(stream), drip(socket, ': ping\n\n'))),
]
const LARGE: readonly Misdeed[] = [
  row(
    'streams events without end',
    'response_too_large',
    (socket) => (socket.write(stream), endless(socket, 'data: 1\n\n'.repeat(100))),
  ),
  row(
    'streams one event without end',
    'response_too_large',
    (socket) => (socket.write(`${stream}data: `), endless(socket, 'x'.repeat(65_536))),
  ),
  row('sends more than the limit', 'response_too_large', (socket) => socket.write(plain('x'.repeat(LIMIT_BYTES + 1)))),
  row('announces more than the limit', 'response_too_large', (socket) =>
    socket.write(head('content-length: 99999999999\r\n\r\n{')),
  ),
  row('sends a gzip bomb', 'response_too_large', encoded('gzip', gzipSync(ZEROS))),
  row('sends a brotli bomb', 'response_too_large', encoded('br', brotliCompressSync(ZEROS, { params: { [1]: 1 } }))),
  row('sends a deflate bomb', 'response_too_large', encoded('deflate', deflateRawSync(ZEROS))),
  row('packs a bomb twice', 'response_too_large', encoded('gzip, gzip', gzipSync(gzipSync(ZEROS)))),
]
const ENCODED: readonly Misdeed[] = [
  row('packs three times', 'bad_response', encoded('gzip, gzip, gzip', gzipSync('{}'))),
  row('cuts what it packed', 'bad_response', encoded('gzip', gzipSync('{"ok":true}').subarray(0, 12))),
  row('names an unknown encoding', 'bad_response', encoded('rot13', Buffer.from('{}'))),
  row('says gzip and sends text', 'bad_response', encoded('gzip', Buffer.from('{"ok":true}'))),
  row('sends HTML as JSON', 'ok', json('<html>'), /^<html>$/),
  row('sends half of a JSON text', 'ok', json('{"a":'), /^\{"a":$/),
  row('nests 5,000 levels', ['ok', 'bad_response'], json(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`)),
  row(
    'sends keys of prototypes',
    'ok',
    json('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
    /polluted/,
  ),
  row(
    'sends numbers beyond 64 bits',
    'ok',
    json('{"a":123456789012345678901234567890,"b":1e400}'),
    /123456789012345678901234567890.*1e400/,
  ),
  row(
    'sends half of a character',
    'ok',
    (socket) => socket.write(plain(Buffer.from([0x61, 0xf0, 0x9f, 0x98]))),
    /^a\ufffd+$/,
  ),
  row('sends half of a pair', 'ok', json('{"a":"\\ud83d"}'), /\ufffd|\\ufffd/),
  row('names an unknown character set', ['ok', 'bad_response'], (socket) =>
    socket.write(plain('a', '', '200 OK', 'text/plain; charset=no-such')),
  ),
  row(
    'sends escapes of a terminal',
    'ok',
    (socket) => socket.write(plain('a\u001b[31mb\u0000c\u009bd\u202ee')),
    /^abce$/,
  ),
]
const LEADING: readonly Misdeed[] = [
  row('redirects elsewhere', 'upstream_status', (socket, to) =>
    socket.write(plain('', `location: ${to}\r\n`, '307 Temporary Redirect')),
  ),
  row('redirects to metadata', 'upstream_status', (socket) =>
    socket.write(plain('', 'location: http://169.254.169.254/latest\r\n', '302 Found')),
  ),
  row(
    'refreshes elsewhere',
    'ok',
    (socket, to) => socket.write(plain('x', `refresh: 0;url=${to}\r\nlink: <${to}>; rel=next\r\n`)),
    /^x$/,
  ),
  row('asks to come back in 30 years', 'upstream_status', (socket) =>
    socket.write(plain('', 'retry-after: 1000000000\r\n', '429 Too Many Requests')),
  ),
  row(
    'repeats the credential',
    'ok',
    (socket) => socket.write(plain(`it was ${SECRET}, ${Buffer.from(SECRET).toString('base64')}`)),
    /^it was (?!.*sesame)/,
  ),
  row(
    'repeats the credential in an error without end',
    'response_too_large',
    (socket) => (
      socket.write(`HTTP/1.1 500 ${SECRET}\r\ncontent-type: text/plain\r\n\r\n`), endless(socket, `${SECRET} `)
    ),
  ),
]

export const MISDEEDS: readonly Misdeed[] = [...WIRE, ...SLOW, ...LARGE, ...ENCODED, ...LEADING]
