// A gateway that has too little of something: memory for answers, files for connections. It refuses the excess with a reason, and lives on.
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { aShopProcess, call, failureOf, type Result, ROOMY } from './data-plane.fixture.ts'
import { type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'
import { codeOf } from './registration.fixture.ts'

const MIB = 1024 * 1024

/** JSON of objects: what is made of it takes many times its size. */
const large = (bytes: number): Buffer => {
  const one = '{"id":1,"name":"Rex","tags":["a","b"],"nested":{"deep":true}},'
  return Buffer.from(`{"items":[${one.repeat(Math.floor(bytes / one.length) - 2)}{}]}`)
}

async function aServer(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response))
  // A gateway at its limits must not meet a connection that was closed for idleness.
  server.keepAliveTimeout = 120_000
  const { url, close } = await listening(server)
  onTestFinished(close)
  return url
}

async function register(gateway: GatewayProcess, name: string, url: string): Promise<void> {
  const tools = [{ name: 'get', method: 'GET', endpoint: '/get', description: 'Gets' }]
  const made = await gateway.admin('/register', { method: 'POST', body: { name, base_url: url, tools } })
  if (made.status !== 200) throw new Error(`Registering answered ${made.status}: ${made.text}`)
}

/** What came of a call, read and thrown away as it comes: all of them together are more than a test should hold. */
async function endOf(gateway: GatewayProcess, path: string, name: string): Promise<string> {
  // oxlint-disable-next-line no-restricted-globals -- an agent outside the gateway
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  })
  let bytes = 0
  let last = ''
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    last = (last + Buffer.from(chunk).toString('latin1')).slice(-2_000)
  }
  if (response.status !== 200) return `status ${response.status}`
  const kind = /"gantry\/failure":\{"kind":"(\w+)".*?"retryable":(true|false)/.exec(last)
  return kind ? `${kind[1]} ${kind[2]}` : bytes > MIB ? 'whole' : `odd: ${last}`
}

describe('few files (security case NF-09)', () => {
  it('are kept for those that were accepted: new ones are refused with a reason, and accepted again when there is capacity', async () => {
    const limited = (node: string, program: string) =>
      ['sh', '-c', 'ulimit -n 256 && exec "$0" "$@"', node, program] as const
    const gateway = await spawnGateway(
      { ...ROOMY, CIRCUIT_BREAKER_FAILURE_THRESHOLD: '3' },
      undefined,
      undefined,
      limited,
    )
    onTestFinished(gateway.end)
    const waiting: ServerResponse[] = []
    const url = await aServer((response) => void waiting.push(response.setHeader('content-type', 'application/json')))
    const [first, second] = ['petstore', 'bank']
    for (const name of [first, second]) await register(gateway, name, url)
    const guests = Array.from({ length: 300 }, () => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      return socket.on('error', () => undefined)
    })
    // Those beyond the limit are closed; those shortly before it receive the reason.
    await vi.waitUntil(() => guests.some((socket) => socket.destroyed || socket.readableEnded), { timeout: 30_000 })
    const reply = await vi.waitUntil(
      async () => {
        const answer = await gateway.admin('/admin-api/users').catch(() => undefined)
        if (answer?.status === 503) return answer
        guests.find((socket) => !socket.destroyed && !socket.readableEnded)?.destroy()
        return undefined
      },
      { timeout: 30_000 },
    )
    expect([codeOf(reply), reply.headers.get('retry-after')]).toEqual(['SESSION_CAPACITY', '1'])
    for (const socket of guests) socket.destroy()
    await vi.waitUntil(async () => (await gateway.admin('/admin-api/users').catch(() => undefined))?.status === 200, {
      timeout: 30_000,
    })

    // Every call takes a file here and one for its backend: there are not enough for all, and that is no fault of the backend.
    const ended: (Result | undefined)[] = []
    const calls = [first, second].flatMap((name) =>
      Array.from({ length: 62 }, async () => {
        // Where not even a connection can be accepted, no reason can be sent.
        ended.push(await call(gateway, 'get', {}, `/mcp/${name}`).catch(() => undefined))
      }),
    )
    await vi.waitUntil(() => ended.length + waiting.length >= calls.length, { timeout: 30_000 })
    while (ended.length < calls.length) {
      for (const response of waiting.splice(0)) response.end('{"ok":true}')
      await pause(20)
    }
    const answered = ended.filter((result) => result !== undefined)
    expect(answered.some(({ structuredContent }) => structuredContent?.ok === true)).toBe(true)
    for (const result of answered.filter(({ isError }) => isError))
      expect([failureOf(result).kind, result.content[0]?.text]).toEqual([
        'network',
        expect.stringContaining('this gateway has no free connection'),
      ])
    for (const name of [first, second]) {
      const after = call(gateway, 'get', {}, `/mcp/${name}`)
      await vi.waitUntil(() => waiting.length > 0, { timeout: 30_000 })
      for (const response of waiting.splice(0)) response.end('{"ok":true}')
      expect((await after).structuredContent).toEqual({ ok: true })
    }
  }, 120_000)
})

describe('a small heap and many large answers (security case BL-18)', () => {
  it('are too much at once: some come whole, the others are refused until later', async () => {
    const gateway = await aShopProcess({ NODE_OPTIONS: '--max-old-space-size=128', TOOL_CALL_TIMEOUT_MS: '120000' })
    const body = large(4 * MIB)
    const calls = 20
    const waiting: ServerResponse[] = []
    const url = await aServer((response) => {
      waiting.push(response.setHeader('content-type', 'application/json'))
      // All at once, when all are there.
      if (waiting.length >= calls) for (const each of waiting.splice(0)) each.end(body)
    })
    await register(gateway, 'petstore', url)
    const ends = await Promise.all(Array.from({ length: calls }, () => endOf(gateway, '/mcp/petstore', 'get')))
    for (const end of ends) expect(['whole', 'response_too_large true']).toContain(end)
    expect(ends).toContain('whole')

    // What they held was given back: an upstream of the other kind has room for as large an answer.
    const peer = await startMcpPeer({
      intercept({ method, id, answer }) {
        if (method !== 'tools/call') return false
        void answer({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(4 * MIB) }] } })
        return true
      },
    })
    onTestFinished(peer.close)
    await registerUpstream(gateway, 'up', peer.url)
    expect(await endOf(gateway, '/mcp/up', 'echo')).toBe('whole')
  }, 180_000)
})
