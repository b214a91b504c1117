// WebSocket frames of a hostile backend and of a hostile client through the proxy: what is passed on is well-formed, clean and without the credential, and no connection is left over.
import { createHash, randomBytes } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { openWsBackend, type WsBackend } from '../../gateway/sockets/ws-backend.fixture.ts'
import { bearer, mint } from '../scenarios/access.fixture.ts'
import type { Env } from '../scenarios/gateway.fixture.ts'
import { cuts, hostileText, unsafeIn } from './hostile.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from './mode.ts'
import { cutAt } from './raw-client.ts'
import { startWatched, type Watched } from './watched.ts'

type Frame = {
  readonly opcode: number
  readonly fin: boolean
  readonly reserved: number
  readonly masked: boolean
  readonly text: string
  /** What the length field says more than there is; -1 writes it in 64 bits. */
  readonly lie: number
}
type Case = {
  readonly frames: readonly Frame[]
  readonly cuts: readonly number[]
  readonly leave: 'end' | 'reset' | 'close'
}

const frame: fc.Arbitrary<Frame> = fc.record({
  opcode: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(1, 2) },
    { weight: 3, arbitrary: fc.constantFrom(0, 8, 9, 10, 3, 15) },
  ),
  fin: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  reserved: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 4, 7) }),
  masked: fc.boolean(),
  text: fc.oneof(fc.constant('plain'), hostileText),
  lie: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 3, 100_000) }),
})
const cases: fc.Arbitrary<Case> = fc.record({
  frames: fc.array(frame, { minLength: 1, maxLength: 4 }),
  cuts,
  leave: fc.constantFrom('end', 'reset', 'close'),
})

function bytesOf({ opcode, fin, reserved, masked, text, lie }: Frame): Buffer {
  const payload = Buffer.from(text)
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode
  const length = payload.length + Math.max(0, lie)
  const head = lie === -1 || length > 65_535 ? Buffer.alloc(10) : Buffer.alloc(length > 125 ? 4 : 2)
  head[0] = first
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  else if (head.length === 4) head.writeUInt16BE(length, 2)
  head[1] = (masked ? 0x80 : 0) | (head.length === 10 ? 127 : head.length === 4 ? 126 : length)
  return Buffer.concat([head, ...(masked ? [Buffer.alloc(4)] : []), payload])
}

let watched: Watched
let honest: WsBackend
let headers: Env
let current: Case = { frames: [], cuts: [], leave: 'end' }
const open = new Set<Socket>()

/** As a client sends it. */
const CLOSE = Buffer.from([0x88, 0x80, 0, 0, 0, 0])

async function send(socket: Socket, { frames, cuts: places, leave }: Case): Promise<void> {
  for (const piece of cutAt(Buffer.concat(frames.map(bytesOf)), places)) {
    if (socket.destroyed) return
    socket.write(piece)
    await new Promise((next) => setImmediate(next))
  }
  if (leave === 'reset') socket.resetAndDestroy()
  else if (leave === 'end') socket.end()
  else socket.write(CLOSE)
}

/** Opens every WebSocket as it should and then sends the frames of the case. */
const hostile = createServer((socket) => {
  open.add(socket)
  socket.on('close', () => open.delete(socket))
  socket.on('error', () => undefined)
  let text = ''
  const handshake = (chunk: Buffer): void => {
    text += chunk.toString('latin1')
    const key = /^sec-websocket-key: (\S+)/im.exec(text)?.[1]
    if (key === undefined || !text.includes('\r\n\r\n')) return
    socket.off('data', handshake)
    socket.on('data', () => undefined)
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    )
    void send(socket, current)
  }
  socket.on('data', handshake)
})

beforeAll(async () => {
  const { port } = await listening(hostile)
  ;[watched, honest] = await Promise.all([
    startWatched({ CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1000', WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES: '8192' }),
    openWsBackend(),
  ])
  headers = bearer((await mint(watched.gateway)).key)
  for (const [name, backendWsUrl] of [
    ['hostile', `ws://127.0.0.1:${port}/`],
    ['honest', `${honest.url}/echo`],
  ]) {
    const body = { name, backendWsUrl }
    const { status, text } = await watched.gateway.admin('/admin-api/ws-proxy-targets', { method: 'POST', body })
    expect([status, text]).toEqual([201, text])
  }
  await watched.baseline(async () => {
    const frames = [{ opcode: 1, fin: true, reserved: 0, masked: true, text: 'plain', lie: 0 }]
    for (let at = 0; at < 20; at += 1) await client('honest', { frames, cuts: [], leave: 'close' })
  })
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  hostile.close()
  await Promise.all([watched.gateway.end(), honest.close()])
})

/** What comes back on a raw connection until it closes; `sent` is what the client writes after the handshake. */
function client(target: string, sent: Case | undefined): Promise<{ status: number; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const socket = connect(watched.port, '127.0.0.1')
    const key = randomBytes(16).toString('base64')
    let bytes = Buffer.alloc(0)
    let begun = false
    socket.setTimeout(20_000, () => reject(new Error('The connection stays open')))
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      const head = bytes.indexOf('\r\n\r\n')
      if (head === -1) return
      if (!begun && sent) void send(socket, sent)
      begun = true
      // A close without an answer is waited for, which is not what a case is about.
      if (sent || !socket.writable) return
      if ([...framesIn(bytes.subarray(head + 4))].some(({ first }) => (first & 15) === 8)) socket.end(CLOSE)
    })
    socket.on('close', () => {
      const end = bytes.indexOf('\r\n\r\n')
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1])
      resolve({ status, bytes: bytes.subarray(end + 4) })
    })
    socket.write(
      `GET /ws-proxy/${target} HTTP/1.1\r\nhost: 127.0.0.1:${watched.port}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\nauthorization: ${headers.authorization}\r\n\r\n`,
    )
  })
}

/** The frames that are whole: a connection that was reset may end in the middle of one. */
function* framesIn(bytes: Buffer): Generator<{ first: number; second: number; payload: Buffer; end: number }> {
  for (let at = 0; at + 2 <= bytes.length; ) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2)
    const short = second & 127
    const from = at + (short === 127 ? 10 : short === 126 ? 4 : 2)
    if (from > bytes.length) return
    const length =
      short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short
    if (from + length > bytes.length) return
    at = from + length
    yield { first, second, payload: bytes.subarray(from, at), end: at }
  }
}

/** The frames of a server: never masked, nothing reserved, text in UTF-8 and clean, a close frame at most once and last. */
function wellFormed(bytes: Buffer): void {
  for (const { first, second, payload, end } of framesIn(bytes)) {
    expect([first & 0x70, second & 0x80, [0, 1, 2, 8, 9, 10].includes(first & 15)]).toEqual([0, 0, true])
    if ((first & 15) === 1) expect(unsafeIn(new TextDecoder('utf-8', { fatal: true }).decode(payload))).toBeUndefined()
    if ((first & 15) === 8) expect(end).toBe(bytes.length)
  }
}

async function nothingLeft(): Promise<void> {
  const left = async (): Promise<number[]> => {
    const { json } = await watched.gateway.admin('/admin-api/ws-proxy-targets')
    return (json as { items: { activeConnections: number }[] }).items.map(({ activeConnections }) => activeConnections)
  }
  await expect.poll(left).toEqual([0, 0])
  await expect.poll(() => open.size).toBe(0)
  await expect.poll(honest.open).toBe(0)
}

it(
  'passes on well-formed frames only, with any bytes from a backend (security cases WS-02, WS-08, RS-04)',
  async () => {
    await fuzz(
      cases,
      async (one) => {
        current = one
        const { status, bytes } = await client('hostile', undefined)
        expect(status).toBe(101)
        wellFormed(bytes)
        await watched.sound()
      },
      { runs: 200 },
    )
    await nothingLeft()
  },
  FUZZ_TIMEOUT_MS,
)

it(
  'closes what a client spoils, and leaves nothing open at the backend (security cases WS-02, WS-08)',
  async () => {
    await fuzz(
      cases,
      async (one) => {
        const { status, bytes } = await client('honest', one)
        expect(status).toBe(101)
        wellFormed(bytes)
        await watched.sound()
      },
      { runs: 200 },
    )
    await nothingLeft()
  },
  FUZZ_TIMEOUT_MS,
)
