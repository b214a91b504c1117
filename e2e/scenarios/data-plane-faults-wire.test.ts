// Bytes after an answer, and bodies that are not what they seem. `hostile-rest.test.ts` has the other faults of the wire.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { aShopProcess, call, failureOf, type Result } from './data-plane.fixture.ts'
import { onLinux, unlessLinux } from './gateway.fixture.ts'
import { type GatewayProcess } from './gateway-process.fixture.ts'
import { aRawUpstream, okText } from './raw-upstream.fixture.ts'

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

describe('bytes on the wire ', () => {
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
      const { url, close } = await listening(server)
      onTestFinished(close)
      await registerPaths(gateway, url, Object.keys(BODIES))
      await call(gateway, 'good')
      // The start reached higher than anything after it: the peak is counted from here.
      writeFileSync(`/proc/${gateway.pid}/clear_refs`, '5')
      const before = memoryMiB(gateway.pid)
      for (const [path, [, , outcome]] of Object.entries(BODIES))
        expect([path, kindOf(await call(gateway, path.slice(1)))]).toEqual([path, outcome])
      // The limit is one; two hundred would show.
      expect(memoryMiB(gateway.pid, 'VmHWM') - before).toBeLessThan(150)
    },
  )
})

function memoryMiB(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const kib = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}
