// Upstreams that fail in every way, clients that leave, a gateway that is stopped or killed: over real sockets, with real processes.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Pool } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { IS_LONG } from '../fuzz/mode.ts'
import {
  anUpstream,
  aProcessShop,
  aShop,
  aShopProcess,
  call,
  failureOf,
  openSession,
  refusalOf,
  register,
  rpc,
} from './data-plane.fixture.ts'
import { spawnGateway } from './gateway-process.fixture.ts'

/** Of each session; all of them have the same. */
const IDS = IS_LONG ? 50 : 10

const rowsOf = (folder: string): readonly Record<string, unknown>[] => {
  const database = new Database(join(folder, 'gantry.db'), { readonly: true })
  try {
    return database.prepare('SELECT request_id, outcome, deny_code, failure_kind, attempts FROM calls').all() as Record<
      string,
      unknown
    >[]
  } finally {
    database.close()
  }
}

describe('an upstream', () => {
  it('may fail as it likes: each way has its name, and the next call is answered [ct.5.9.upstream_status ct.5.13.timeout-attempt]', async () => {
    const { gateway, upstream } = await aShop({ TOOL_CALL_TIMEOUT_MS: '1000', RETRY_MAX_ATTEMPTS: '0' })
    const kind = async (name: string): Promise<unknown> => failureOf(await call(gateway, name)).kind
    expect(await Promise.all(['hang', 'drip'].map(kind))).toEqual(['timeout', 'timeout'])
    expect(await Promise.all(['half', 'reset', 'garbage'].map(kind))).toEqual(['network', 'network', 'network'])
    expect(await Promise.all(['broken', 'notfound', 'away'].map(kind))).toEqual(Array(3).fill('upstream_status'))
    expect(await call(gateway, 'mislabelled')).toMatchObject({ content: [{ type: 'text', text: '<html>' }] })
    expect(await call(gateway, 'ok')).toMatchObject({ structuredContent: { ok: true } })
    // A redirect is an answer, never an order.
    expect(upstream.seen.filter((seen) => seen.endsWith('/away'))).toHaveLength(1)
    await upstream.close()
    const gone = await call(gateway, 'ok')
    expect(gone.content[0]?.text).toMatch(/^Could not reach petstore: connection (?:refused|closed by the other side)$/)
    expect(failureOf(gone)).toMatchObject({ kind: 'network', retryable: true })
  })

  it('whose small answer is large once unpacked is cut off at the limit', async () => {
    // Packing it takes this process seconds, which is not what is measured.
    const { gateway } = await aProcessShop({ TOOL_CALL_TIMEOUT_MS: '60000' })
    expect(failureOf(await call(gateway, 'zeros')).kind).toBe('response_too_large')
    expect(await call(gateway, 'ok')).toMatchObject({ structuredContent: { ok: true } })
  })

  it('is asked again for what is safe to ask, and never for what is not (security case CB-07) [ct.5.13.retry ct.5.13.retry-unsafe]', async () => {
    const { gateway, upstream } = await aShop({ RETRY_MAX_ATTEMPTS: '2' })
    upstream.answer = (_request, response) => void response.writeHead(503).end()
    const read = await call(gateway, 'getPetById', { id: 5 })
    expect(read._meta['gantry/call']).toMatchObject({ attempts: 3 })
    await call(gateway, 'addPet', { name: 'Rex' })
    await call(gateway, 'deletePet', { id: 5, __confirm: true })
    expect(upstream.seen).toEqual([...Array(3).fill('GET /pets/5'), 'POST /pets', ...Array(3).fill('DELETE /pets/5')])
    upstream.answer = (_request, response) => void response.socket?.resetAndDestroy()
    await call(gateway, 'addPet', { name: 'Rex' })
    expect(upstream.seen.filter((seen) => seen === 'POST /pets')).toHaveLength(2)
  })

  it('that keeps failing is left alone, tried by one call, and taken back [ct.5.13.breaker-probe ct.5.13.breaker-once]', async () => {
    const { gateway, upstream } = await aShop({
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
      CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '1000',
      RETRY_MAX_ATTEMPTS: '1',
    })
    const code = async (name: string): Promise<unknown> => refusalOf(await call(gateway, name)).code
    upstream.answer = (_request, response) => void response.writeHead(500).end()
    await call(gateway, 'ok')
    await call(gateway, 'ok')
    const asked = upstream.seen.length
    expect(await code('ok')).toBe('circuit_open')
    expect(await code('getPetById')).toBeUndefined()
    expect(upstream.seen).toHaveLength(asked)
    // Slow enough that all others come while the probe is under way.
    upstream.answer = (_request, response) => void setTimeout(() => response.end('{}'), 300)
    await vi.waitUntil(async () => (await code('ok')) === undefined, { timeout: 20_000, interval: 50 })
    expect(upstream.seen).toHaveLength(asked + 1)
    expect(await Promise.all(Array.from({ length: 5 }, () => code('ok')))).toEqual(Array(5).fill(undefined))
  })

  it('that hangs holds up no other', async () => {
    const [gateway, bad, good] = await Promise.all([
      aShopProcess({ TOOL_CALL_TIMEOUT_MS: '20000' }),
      anUpstream(),
      anUpstream(),
    ])
    await register(gateway, bad, 'bad')
    await register(gateway, good, 'good')
    let over = 0
    const hanging = Array.from({ length: 50 }, () =>
      call(gateway, 'hang', {}, '/mcp/bad').then(
        () => (over += 1),
        // Cut off at the end of the test.
        () => undefined,
      ),
    )
    await vi.waitUntil(() => bad.seen.length > 0, 20_000)
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(gateway, 'ok', {}, '/mcp/good')))
    expect(answers.every(({ isError }) => isError !== true)).toBe(true)
    expect(over).toBe(0)
    await gateway.end()
    await Promise.all(hanging)
  })
})

describe('a client', () => {
  it("that leaves a session's call does not cancel it [ct.5.4.own-post]", async () => {
    const { gateway, upstream } = await aShop()
    let answer: (() => void) | undefined
    upstream.answer = (_request, response) => {
      answer = () => void response.end('{}')
    }
    const leave = new AbortController()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ok' } })
    const headers = { 'content-type': 'application/json', ...(await openSession(gateway)) }
    const gone = fetch(`${gateway.url}/mcp/petstore`, { method: 'POST', headers, body, signal: leave.signal })
    await vi.waitUntil(() => answer !== undefined, 20_000)
    leave.abort()
    await expect(gone).rejects.toThrow('abort')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(upstream.aborted()).toBe(0)
    answer?.()
    await vi.waitUntil(() => rowsOf(gateway.folder).length === 1, { timeout: 20_000 })
    expect(rowsOf(gateway.folder)).toMatchObject([{ outcome: 'success' }])
  })

  it('that leaves a stateless call cancels it [ct.0.1.close-cancels]', async () => {
    const { gateway, upstream } = await aShop()
    const leave = new AbortController()
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const gone = fetch(`${gateway.url}/mcp/petstore`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': 'hang',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang', _meta } }),
      signal: leave.signal,
    })
    await vi.waitUntil(() => upstream.seen.length === 1, 20_000)
    leave.abort()
    await expect(gone).rejects.toThrow('abort')
    await vi.waitUntil(() => upstream.aborted() === 1, { timeout: 20_000 })
    await vi.waitUntil(() => rowsOf(gateway.folder).length === 1, { timeout: 20_000 })
    expect(rowsOf(gateway.folder)).toMatchObject([{ outcome: 'cancelled', failure_kind: 'cancelled' }])
  })

  it('that cancels by notification gets no answer, and the end of a session cancels its calls [ct.5.12.no-answer ct.5.12.cancel]', async () => {
    const { gateway, upstream } = await aShop()
    const headers = await openSession(gateway)
    const hanging = rpc(gateway, 'tools/call', { name: 'hang' }, { headers, id: 'a' })
    const other = rpc(gateway, 'tools/call', { name: 'hang' }, { headers, id: 'b' })
    await vi.waitUntil(() => upstream.seen.length === 2, 20_000)
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } }
    expect((await gateway.ask('/mcp/petstore', { method: 'POST', headers, body })).status).toBe(202)
    const cancelled = await hanging
    expect([cancelled.status, cancelled.text]).toEqual([202, ''])
    await gateway.ask('/mcp/petstore', { method: 'DELETE', headers })
    expect((await other).json).toMatchObject({ id: 'b', result: { content: [{ text: 'Cancelled' }] } })
    await vi.waitUntil(() => upstream.aborted() === 2, { timeout: 20_000 })
    await expect
      .poll(() => rowsOf(gateway.folder), { timeout: 20_000 })
      .toMatchObject([{ outcome: 'cancelled' }, { outcome: 'cancelled' }])
  })

  it(`gets its own answers, in 200 sessions that use the same ${IDS} ids at once (security case MC-01; in the long mode: 50)`, async () => {
    const { gateway, upstream } = await aProcessShop({ MAX_SESSIONS: '1000' })
    upstream.answer = (request, response) =>
      void setTimeout(
        () => response.setHeader('content-type', 'application/json').end(JSON.stringify({ url: request.url })),
        Math.random() * 20,
      )
    const pool = new Pool(gateway.url, { connections: 400 })
    onTestFinished(() => pool.destroy())
    const sessions = await Promise.all(Array.from({ length: 200 }, () => openSession(gateway)))
    const wrong: unknown[] = []
    // All sessions with five ids at a time: what one backend is asked at once is bounded.
    for (let first = 0; first < IDS; first += 5) {
      const asked = sessions.flatMap((headers, session) =>
        Array.from({ length: 5 }, async (_each, at) => {
          const [id, mine] = [first + at, session * 100 + first + at]
          const params = { name: 'getPetById', arguments: { id: mine } }
          const { body } = await pool.request({
            method: 'POST',
            path: '/mcp/petstore',
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
          })
          const answer = (await body.json()) as { id: unknown; result?: { structuredContent?: { url?: string } } } // checked next
          if (answer.id !== id || answer.result?.structuredContent?.url !== `/pets/${mine}`) wrong.push(answer)
        }),
      )
      await Promise.all(asked)
    }
    expect(wrong).toEqual([])
    expect(upstream.seen).toHaveLength(sessions.length * IDS)
  }, 240_000)
})

describe('a gateway', () => {
  it('that is stopped lets its calls end and takes no new ones', async () => {
    const { gateway, upstream } = await aProcessShop()
    let answer: (() => void) | undefined
    upstream.answer = (_request, response) => {
      answer = () => void response.setHeader('content-type', 'application/json').end('{"late":true}')
    }
    const slow = call(gateway, 'ok')
    await vi.waitUntil(() => answer !== undefined, 20_000)
    const stopped = gateway.stop()
    await new Promise((resolve) => setTimeout(resolve, 300))
    answer?.()
    expect(await slow).toMatchObject({ structuredContent: { late: true } })
    expect((await stopped).code).toBe(0)
    expect(rowsOf(gateway.folder)).toMatchObject([{ outcome: 'success' }])
  })

  it('that is killed has the row of every call it answered (security case NF-06)', async () => {
    const { gateway } = await aProcessShop()
    const acknowledged = new Set<unknown>()
    const calling = Array.from({ length: 8 }, async () => {
      for (let at = 0; at < 1_000; at++) {
        const result = await call(gateway, at % 5 === 0 ? 'nope' : 'ok').catch(() => undefined)
        if (result === undefined) return
        acknowledged.add(result._meta['gantry/call']?.request_id)
      }
    })
    await vi.waitUntil(() => acknowledged.size >= 100, { timeout: 30_000, interval: 5 })
    gateway.signal('SIGKILL')
    await gateway.exited
    await Promise.all(calling)
    // The next start inserts the rows that stand in the journal only.
    await (await spawnGateway({}, gateway.folder)).stop()
    const recorded = new Set(rowsOf(gateway.folder).map((row) => row.request_id))
    expect([...acknowledged].filter((id) => !recorded.has(id))).toEqual([])
  })
})
