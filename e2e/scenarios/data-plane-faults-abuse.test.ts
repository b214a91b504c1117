// Callers that mean harm or mean nothing: slow ones, many, random bytes, floods of sessions, stops in the middle. Memory and good callers are unharmed.
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { Pool } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { IS_LONG } from '../fuzz/mode.ts'
import {
  anUpstream,
  aProcessShop,
  aShop,
  aShopProcess,
  call,
  openSession,
  register,
  rpc,
} from './data-plane.fixture.ts'
import { onLinux, unlessLinux } from './gateway.fixture.ts'
import { type GatewayProcess } from './gateway-process.fixture.ts'

const RANDOM = IS_LONG ? 1_500 : 500

const portOf = ({ url }: GatewayProcess): number => Number(new URL(url).port)

function aSocket(gateway: GatewayProcess): Socket {
  const socket = connect(portOf(gateway), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('data', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Descriptors a process holds: what is leaked is among them. */
const openFiles = ({ pid }: GatewayProcess): number => readdirSync(`/proc/${pid}/fd`).length
const residentMiB = ({ pid }: GatewayProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

describe('two thousand slow clients (security case BL-12)', () => {
  it.skipIf(!onLinux)(
    `are closed, and no other caller notices${unlessLinux}`,
    async () => {
      const { gateway } = await aProcessShop()
      const before = openFiles(gateway)
      let closed = 0
      const slow = Array.from({ length: 2_000 }, (_none, at) => {
        const socket = aSocket(gateway)
        socket.on('close', () => (closed += 1))
        socket.write(
          at % 2 === 0
            ? 'POST /mcp/petstore HTTP/1.1\r\nhost: 127.0.0.1\r\nx: '
            : `POST /mcp/petstore HTTP/1.1\r\nhost: 127.0.0.1:${portOf(gateway)}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
        )
        return socket
      })
      const dripping = setInterval(() => {
        for (const socket of slow) if (socket.writable) socket.write('a')
      }, 4_000)
      onTestFinished(() => clearInterval(dripping))
      let calls = 0
      let failed = 0
      const until = { over: false }
      const calling = Array.from({ length: 4 }, async () => {
        while (!until.over) {
          const { isError } = await call(gateway, 'ok')
          calls += 1
          if (isError) failed += 1
          // Often enough to notice, and no load of their own.
          await pause(200)
        }
      })
      await vi.waitUntil(() => closed === slow.length, { timeout: 110_000, interval: 200 })
      until.over = true
      await Promise.all(calling)
      expect(calls).toBeGreaterThan(20)
      expect(failed).toBe(0)
      await vi.waitUntil(() => openFiles(gateway) < before + 50, { timeout: 30_000, interval: 200 })
    },
    180_000,
  )
})

describe('random messages (security case MC-05)', () => {
  const id = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.constant(2 ** 53 + 1), fc.boolean())
  const method = fc.oneof(
    fc.constantFrom('initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'subscriptions/listen/x'),
    fc.constantFrom('notifications/initialized', 'notifications/cancelled', 'resources/read', 'prompts/get'),
    fc.string(),
  )
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: fc.oneof(fc.constantFrom('ok', 'getPetById', 'search_tools', '__proto__', 'constructor'), fc.string()),
        arguments: fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), __confirm: fc.jsonValue() })),
        cursor: fc.jsonValue(),
        requestId: fc.jsonValue(),
        protocolVersion: fc.oneof(fc.constantFrom('2025-11-25', '2026-07-28'), fc.jsonValue()),
        _meta: fc.oneof(
          fc.jsonValue(),
          fc.record({
            progressToken: fc.jsonValue(),
            'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constantFrom('2026-07-28', '1'), fc.jsonValue()),
            'io.modelcontextprotocol/clientCapabilities': fc.jsonValue(),
          }),
        ),
      },
      { requiredKeys: [] },
    ),
  )
  const message = fc.record(
    { jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()), id, method, params, result: fc.jsonValue() },
    { requiredKeys: ['jsonrpc'] },
  )
  const bytes = fc.oneof(
    { weight: 6, arbitrary: message.map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.array(message, { maxLength: 4 }).map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((value) => Buffer.from(value)) },
    // Cut off, and with a byte changed.
    {
      weight: 2,
      arbitrary: fc.tuple(message, fc.nat(), fc.nat(255)).map(([value, at, byte]) => {
        const text = Buffer.from(JSON.stringify(value))
        const where = at % text.length
        if (byte % 2 === 0) return text.subarray(0, where)
        text[where] = byte
        return text
      }),
    },
  )
  const headers = fc.record(
    {
      accept: fc.constantFrom('application/json', 'text/event-stream', '*/*', 'x'),
      'mcp-session-id': fc.constantFrom('', 'v1.x', 'own'),
      'mcp-protocol-version': fc.constantFrom('2025-11-25', '2026-07-28', '2025-03-26', 'x'),
      'mcp-method': fc.constantFrom('tools/call', 'tools/list', 'x'),
      'mcp-name': fc.constantFrom('ok', '=?base64?b2s=?=', 'x'),
    },
    { requiredKeys: [] },
  )

  it(`are answered, each with its request id and none with a defect (${RANDOM} of them; in the long mode: 1500)`, async () => {
    const { gateway } = await aProcessShop()
    const sessions = [await openSession(gateway), await openSession(gateway, '2025-03-26')]
    const pool = new Pool(gateway.url, { connections: 4 })
    onTestFinished(() => pool.destroy())
    const send = async (body: Buffer, given: Readonly<Record<string, string>>, at: number) => {
      const own = given['mcp-session-id'] === 'own' ? sessions[at % 2] : {}
      const {
        statusCode,
        headers: reply,
        body: answer,
      } = await pool.request({
        method: 'POST',
        path: '/mcp/petstore',
        headers: { 'content-type': 'application/json', ...given, ...own },
        body,
      })
      return { status: statusCode, requestId: reply['x-request-id'], text: await answer.text() }
    }
    await fc.assert(
      fc.asyncProperty(bytes, headers, fc.nat(), async (body, given, at) => {
        const { status, requestId, text } = await send(body, given, at)
        expect(status).toBeLessThan(500)
        expect(requestId).toMatch(/^[\w-]{36}$/)
        expect(text).not.toMatch(/Internal error|-32603|\.js:\d|at \w+ \(/)
      }),
      { seed: 20_260_728, numRuns: RANDOM, interruptAfterTimeLimit: 60_000 },
    )
    expect(await call(gateway, 'ok')).toMatchObject({ structuredContent: { ok: true } })
    expect(gateway.output()).not.toContain('"level":"error"')
  }, 120_000)

  it('keep their numbers and ids exactly, or are refused', async () => {
    const { gateway, upstream } = await aShop()
    const ask = async (body: string) => (await gateway.ask('/mcp/petstore', { method: 'POST', body })).text
    const of = (id: string, args: string): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"getPetById","arguments":{"id":${args}}}}`
    expect(await ask(of('"9007199254740993"', '5'))).toContain('"id":"9007199254740993"')
    for (const unkept of ['9007199254740993', '-9007199254740993', '1e400', '-1e999'])
      for (const body of [of(unkept, '5'), of('1', unkept)])
        expect(await ask(body)).toContain(`The number ${unkept} cannot be kept exactly`)
    expect(await ask(of('1', '9007199254740992'))).toContain('/pets/9007199254740992')
    upstream.answer = (_request, response) =>
      void response
        .setHeader('content-type', 'application/json')
        .end('{"big":9007199254740993,"tiny":-0.0,"huge":1e400}')
    expect(await ask(of('1', '5'))).toContain('"structuredContent":{"big":9007199254740993,"tiny":-0.0,"huge":1e400}')
  })
})

describe('floods', () => {
  it.skipIf(!onLinux)(
    `of sessions stop at the cap, take nothing from another key, and leave memory alone${unlessLinux}`,
    async () => {
      const keys = ['the-key-of-the-flood', 'the-key-of-another']
      const gateway = await aShopProcess({ MCP_API_KEYS: keys.join(','), MAX_SESSIONS: '200' })
      const upstream = await anUpstream()
      await register(gateway, upstream)
      const [flood, other] = keys.map((key) => ({ authorization: `Bearer ${key}` }))
      const before = residentMiB(gateway)
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a'.repeat(10_000), version: '1' },
      }
      const statuses = new Map<number, number>()
      for (let round = 0; round < 15; round++) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => rpc(gateway, 'initialize', params, { headers: flood ?? {} })),
        )
        for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      expect(Object.fromEntries(statuses)).toEqual({ 200: 300 })
      const { json } = await gateway.admin('/admin-api/mcp-sessions?limit=500')
      expect(json).toMatchObject({ items: { length: 200 } })
      const session = await openSession(gateway, '2025-11-25', '/mcp/petstore', other ?? {})
      const answer = await rpc(gateway, 'tools/call', { name: 'ok' }, { headers: { ...other, ...session } })
      expect(answer.json).toMatchObject({ result: { structuredContent: { ok: true } } })
      // The sessions are six MiB; how much its collector leaves lying is a matter of load.
      expect(residentMiB(gateway) - before).toBeLessThan(450)
    },
    120_000,
  )

  it.skipIf(!onLinux)(
    `of calls that are left in the middle leave nothing behind (security cases BL-15, NF-12)${unlessLinux}`,
    async () => {
      const { gateway, upstream } = await aProcessShop({ TOOL_CALL_TIMEOUT_MS: '2000' })
      await call(gateway, 'ok')
      const before = openFiles(gateway)
      const version = '2026-07-28'
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang', _meta } })
      const text = `POST /mcp/petstore HTTP/1.1\r\nhost: 127.0.0.1:${portOf(gateway)}\r\ncontent-type: application/json\r\nmcp-protocol-version: ${version}\r\nmcp-method: tools/call\r\nmcp-name: hang\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      for (let round = 0; round < 10; round++) {
        const asked = upstream.seen.length
        const sockets = Array.from({ length: 30 }, () => aSocket(gateway))
        // A third before its body is there, the rest with the call under way.
        for (const [at, socket] of sockets.entries()) socket.write(at % 3 === 0 ? text.slice(0, -40) : text)
        await vi.waitUntil(() => upstream.seen.length >= asked + 20, { timeout: 30_000 })
        for (const socket of sockets) socket.resetAndDestroy()
      }
      await vi.waitUntil(() => upstream.aborted() === 200, { timeout: 30_000 })
      await vi.waitUntil(() => openFiles(gateway) < before + 40, { timeout: 30_000, interval: 100 })
      expect(await call(gateway, 'ok')).toMatchObject({ structuredContent: { ok: true } })
    },
    120_000,
  )
})

describe('one backend among others', () => {
  it('that fails in every way does not slow the good one', async () => {
    const gateway = await aShopProcess({ TOOL_CALL_TIMEOUT_MS: '20000', RETRY_MAX_ATTEMPTS: '0' })
    const [bad, good] = [await anUpstream(), await anUpstream()]
    await register(gateway, bad, 'bad')
    await register(gateway, good, 'good')
    const worst = async (): Promise<number> => {
      const times: number[] = []
      for (let at = 0; at < 60; at++) {
        const since = performance.now()
        expect(await call(gateway, 'ok', {}, '/mcp/good')).not.toHaveProperty('isError')
        times.push(performance.now() - since)
      }
      times.sort((a, b) => a - b)
      return times[56] ?? Number.NaN
    }
    await worst()
    const alone: number[] = []
    const beside: number[] = []
    const ended = (): undefined => undefined
    const hanging = Array.from({ length: 100 }, () => call(gateway, 'hang', {}, '/mcp/bad').catch(ended))
    await vi.waitUntil(() => bad.seen.length > 0, 20_000)
    for (let round = 0; round < 3; round++) {
      alone.push(await worst())
      const storm = { over: false }
      const failing = ['reset', 'half', 'garbage', 'zeros'].map(async (name) => {
        while (!storm.over) await call(gateway, name, {}, '/mcp/bad').catch(ended)
      })
      beside.push(await worst())
      storm.over = true
      await Promise.all(failing)
    }
    // The storm itself costs this machine time; a queue behind the bad backend would cost seconds.
    expect(Math.min(...beside)).toBeLessThan(Math.max(...alone) * 20)
    await gateway.end()
    await Promise.all(hanging)
  }, 180_000)
})

describe('a stop in the middle (security case NF-04)', () => {
  it('answers what is under way, ends the streams, and takes nothing new', async () => {
    const { gateway, upstream } = await aProcessShop()
    const waiting: (() => void)[] = []
    upstream.answer = (_request, response) =>
      void waiting.push(() => response.setHeader('content-type', 'application/json').end('{"late":true}'))
    let ended = 0
    for (let at = 0; at < 20; at++) {
      const session = await openSession(gateway)
      const stream = await fetch(`${gateway.url}/mcp/petstore`, {
        headers: { accept: 'text/event-stream', ...session },
      })
      expect(stream.status).toBe(200)
      void stream.text().then(() => (ended += 1))
    }
    const calls = Array.from({ length: 50 }, () => call(gateway, 'ok'))
    await vi.waitUntil(() => waiting.length === 50, { timeout: 30_000 })
    const stopped = gateway.stop()
    await vi.waitUntil(() => ended === 20, { timeout: 30_000 })
    const late = await call(gateway, 'ok').catch((error: unknown) => String(error))
    expect(JSON.stringify(late)).toMatch(/SHUTTING_DOWN|ECONNREFUSED|ECONNRESET|other side closed/)
    for (const answer of waiting) answer()
    expect((await Promise.all(calls)).filter(({ structuredContent }) => structuredContent?.late !== true)).toEqual([])
    expect((await stopped).code).toBe(0)
  }, 120_000)
})
