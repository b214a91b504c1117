// Bytes that are no good HTTP, and bodies that are not what they seem: each has its name, and nobody else is touched.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aShopProcess, call, failureOf, type Result } from './data-plane.fixture.ts'
import { onLinux, unlessLinux } from './gateway.fixture.ts'
import { type GatewayProcess } from './gateway-process.fixture.ts'
import { aRawUpstream, okText, type RawAnswers } from './raw-upstream.fixture.ts'

const MIB = 1024 * 1024

async function registerPaths(gateway: GatewayProcess, url: string, paths: readonly string[]): Promise<void> {
  const tools = paths.map((path) => ({
    name: path.slice(1),
    method: 'GET',
    endpoint: path,
    description: `Answers with ${path.slice(1)}`,
    inputSchema: { type: 'object', properties: {} },
  }))
  const made = await gateway.admin('/register', { method: 'POST', body: { name: 'petstore', base_url: url, tools } })
  if (made.status !== 200) throw new Error(`Registering answered ${made.status}: ${made.text}`)
}

const kindOf = (result: Result): unknown => failureOf(result).kind ?? 'ok'
const head = (more: string): string => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${more}`
/** Writes until the other side has had enough. */
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

const OF_THE_WIRE: readonly (readonly [name: string, outcomes: readonly string[], answer: RawAnswers[string]])[] = [
  ['nothing', ['network'], (socket) => void socket.end()],
  ['reset', ['network'], (socket) => void socket.resetAndDestroy()],
  [
    'noise',
    ['network'],
    (socket) => void socket.end(Buffer.from('\u0000\u0001\u00ff no http at all \r\n\r\n', 'latin1')),
  ],
  ['otherprotocol', ['network'], (socket) => void socket.end('220 mail.test ESMTP\r\n\r\n')],
  [
    'badchunk',
    ['network'],
    (socket) => void socket.write(head('transfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n')),
  ],
  ['openchunk', ['network'], (socket) => void socket.end(head('transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'))],
  ['longlength', ['network'], (socket) => void socket.end(head('content-length: 1000\r\n\r\n{"half":'))],
  ['twolengths', ['network'], (socket) => void socket.write(head('content-length: 2\r\ncontent-length: 3\r\n\r\n{}'))],
  [
    'bothlengths',
    ['network', 'ok'],
    (socket) => void socket.end(head('content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n')),
  ],
  [
    'twostatuslines',
    ['network'],
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${head('content-length: 2\r\n\r\n{}')}`),
  ],
  [
    'hugeheader',
    ['network'],
    (socket) => void socket.write(head(`x: ${'a'.repeat(MIB)}\r\ncontent-length: 2\r\n\r\n{}`)),
  ],
  [
    'manyheaders',
    ['network', 'ok'],
    (socket) => void socket.write(head(`${'x: a\r\n'.repeat(20_000)}content-length: 2\r\n\r\n{}`)),
  ],
  [
    'continues',
    ['network', 'ok'],
    (socket) => void socket.write(`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)}${okText('{}')}`),
  ],
  [
    'switching',
    ['network', 'bad_response', 'upstream_status'],
    (socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nx'),
  ],
  [
    'endlessevents',
    ['response_too_large'],
    (socket) => (
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'),
      endless(socket, 'data: 1\n\n'.repeat(100))
    ),
  ],
  [
    'oneevent',
    ['response_too_large'],
    (socket) => (
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: '),
      endless(socket, 'x'.repeat(65_536))
    ),
  ],
  [
    'quietevents',
    ['timeout'],
    (socket) => (
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'), drip(socket, ': ping\n\n')
    ),
  ],
  ['drippinghead', ['timeout'], (socket) => (socket.write('HTTP/1.1 200 OK\r\nx: '), drip(socket, 'a'))],
  ['drippingbody', ['timeout'], (socket) => (socket.write(head('content-length: 100000\r\n\r\n')), drip(socket, ' '))],
]

describe('bytes on the wire (security case NF-01)', () => {
  it('each kind of fault has its name, and the calls beside it have their answers', async () => {
    const gateway = await aShopProcess({
      TOOL_CALL_TIMEOUT_MS: '5000',
      RETRY_MAX_ATTEMPTS: '0',
      MAX_RESPONSE_BYTES: String(MIB),
    })
    const upstream = await aRawUpstream(Object.fromEntries(OF_THE_WIRE.map(([name, , answer]) => [`/${name}`, answer])))
    await registerPaths(gateway, upstream.url, [...OF_THE_WIRE.map(([name]) => `/${name}`), '/good'])
    const faults = OF_THE_WIRE.map(async ([name, outcomes]) => {
      const kind = kindOf(await call(gateway, name))
      return outcomes.includes(String(kind)) ? [] : [`${name}: ${String(kind)}`]
    })
    const beside = Array.from({ length: 40 }, async () => {
      const result = await call(gateway, 'good')
      return result.structuredContent?.path === '/good' ? [] : [JSON.stringify(result)]
    })
    expect((await Promise.all([...faults, ...beside])).flat()).toEqual([])
    expect((await gateway.ask('/readyz')).status).toBe(200)
  })

  it('what comes after an answer is never read as the next one (security case NF-03)', async () => {
    const gateway = await aShopProcess({ RETRY_MAX_ATTEMPTS: '0', BACKEND_CONNECTIONS_MAX: '1' })
    const smuggled = okText('{"smuggled":true}')
    const upstream = await aRawUpstream({
      '/second': (socket) => void socket.write(okText('{"first":true}') + smuggled),
      '/later': (socket) => {
        socket.write(okText('{"first":true}'))
        setTimeout(() => socket.write(smuggled), 20)
      },
      '/short': (socket) => void socket.write(head(`content-length: 2\r\n\r\n{}${smuggled}`)),
      '/empty': (socket) => void socket.write(`HTTP/1.1 204 No Content\r\n\r\n${smuggled}`),
    })
    await registerPaths(gateway, upstream.url, ['/second', '/later', '/short', '/empty', '/good'])
    for (const name of ['second', 'later', 'short', 'empty']) {
      expect(JSON.stringify(await call(gateway, name))).not.toContain('smuggled')
      // What comes while a connection is idle spoils it. (What comes after the next question is that question's answer.)
      await pause(200)
      for (let at = 0; at < 3; at++)
        expect([name, (await call(gateway, 'good')).structuredContent]).toEqual([name, { path: '/good' }])
    }
  })
})

describe('a body', () => {
  const zeros = Buffer.alloc(200 * MIB)
  const json = Buffer.from('{"ok":true}')
  const BODIES: Readonly<Record<string, readonly [encoding: string, body: Buffer, outcome: string]>> = {
    '/gzip': ['gzip', gzipSync(zeros), 'response_too_large'],
    '/br': ['br', brotliCompressSync(zeros, { params: { [1]: 1 } }), 'response_too_large'],
    '/zstd': ['zstd', zstdCompressSync(zeros), 'response_too_large'],
    '/raw': ['deflate', deflateRawSync(zeros), 'response_too_large'],
    '/twice': ['gzip, gzip', gzipSync(gzipSync(zeros)), 'response_too_large'],
    '/thrice': ['gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(json))), 'bad_response'],
    '/truncated': ['gzip', gzipSync(json).subarray(0, 12), 'bad_response'],
    '/unknown': ['rot13', json, 'bad_response'],
    '/good': ['gzip', gzipSync(json), 'ok'],
  }

  it.skipIf(!onLinux)(
    `is measured as it unpacks, in bounded memory${unlessLinux} [ct.5.13.cap-decompressed]`,
    async () => {
      const gateway = await aShopProcess({
        TOOL_CALL_TIMEOUT_MS: '60000',
        RETRY_MAX_ATTEMPTS: '0',
        MAX_RESPONSE_BYTES: String(MIB),
      })
      const server = createServer((request, response) => {
        const [encoding, body] = BODIES[request.url ?? ''] ?? ['identity', json]
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      const { port } = server.address() as AddressInfo // a TCP server has one
      await registerPaths(gateway, `http://127.0.0.1:${port}`, Object.keys(BODIES))
      await call(gateway, 'good')
      // The start reached higher than anything after it: the peak is counted from here.
      writeFileSync(`/proc/${gateway.pid}/clear_refs`, '5')
      const before = memoryMiB(gateway.pid)
      for (const [path, [, , outcome]] of Object.entries(BODIES))
        expect([path, kindOf(await call(gateway, path.slice(1)))]).toEqual([path, outcome])
      // The limit is one; two hundred would show.
      expect(memoryMiB(gateway.pid, 'VmHWM') - before).toBeLessThan(100)
    },
  )
})

function memoryMiB(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const kib = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}
