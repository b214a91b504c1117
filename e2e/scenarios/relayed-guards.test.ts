// Everything that a shard relays beside tools passes the guard stack as a call of a tool does: the same refusals, rows, spans and verdicts.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bearer, mint } from './access.fixture.ts'
import { startGateway } from './gateway.fixture.ts'
import {
  AGENT,
  asAdmin,
  ENV,
  RELAYED,
  type Rig,
  refusalIn,
  SECRET,
  STATES,
  startRig,
} from './relayed-guards.fixture.ts'
import { aSession, aStateless } from './transparent.fixture.ts'

type Row = {
  readonly method: string | null
  readonly tool: string
  readonly calledAs: string
  readonly [more: string]: unknown
}

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.end())

const read = async <T>(path: string): Promise<T> => (await rig.gateway.admin(`/admin-api/${path}`)).json as T // as the test says
const newest = async (count: number): Promise<readonly Row[]> =>
  (await read<{ items: Row[] }>(`calls?limit=${count}`)).items.toReversed()

describe.each(STATES)('a backend that is $name', ({ code, reason, text = 'notes', arrange }) => {
  it('refuses what is relayed with the code of a call, and nothing is sent to it [ct.0.2.transparent ct.5.8.no-effects]', async () => {
    const { gateway, peer } = rig
    const { headers = AGENT, undo } = await arrange(rig)
    try {
      const client = await aSession(gateway, {}, { headers })
      const called = await client.ask('tools/call', { name: 'echo', arguments: { text } })
      expect(refusalIn(called.answer)).toEqual([code, reason])
      // Refusing is quiet: the upstream is not even greeted.
      const sent = peer.seen.length
      for (const [method, params] of RELAYED) {
        const { answer } = await client.ask(method, params(text))
        expect([method, answer.error?.code, ...refusalIn(answer)]).toEqual([method, -32_000, code, reason])
      }
      const rows = (await newest(RELAYED.length)).map((row) => [row.method, row.tool, row.denyCode, row.outcome])
      expect(rows).toEqual(RELAYED.map(([method]) => [method, '', code, 'refused']))
      // Where nothing beside tools is declared nothing can be listened to; a stream costs no quota.
      if (!['disabled', 'key_scope', 'quota'].includes(code)) {
        const notifications = { resourceSubscriptions: [`peer://${text}`] }
        const { answer } = await aStateless(gateway, {}, { headers }).ask('subscriptions/listen', { notifications })
        expect(['subscriptions/listen', ...refusalIn(answer)]).toEqual(['subscriptions/listen', code, reason])
      }
      await client.post({ method: 'notifications/roots/list_changed' })
      await client.listen()
      expect(peer.seen.slice(sent).map(({ httpMethod, method }) => `${httpMethod} ${method}`)).toEqual([])
      expect(JSON.stringify(await read('calls?limit=50'))).not.toContain(SECRET)
    } finally {
      await undo()
    }
  })
})

describe('what is relayed', () => {
  it('leaves a row, a captured call, a span and a count, and is no call of a tool [ct.10.12.call-row ct.15.span]', async () => {
    const { gateway } = rig
    const before = await read<{ calls: number }>('usage/summary')
    const client = await aSession(gateway, {}, { headers: AGENT })
    for (const [method, params] of RELAYED) {
      const { answer } = await client.ask(method, params('notes'))
      expect([method, answer.error]).toEqual([method, undefined])
    }
    const rows = await newest(RELAYED.length)
    expect(
      rows.map(({ method, client: of, tool, outcome, attempts }) => [method, of, tool, outcome, attempts]),
    ).toEqual(RELAYED.map(([method]) => [method, 'up', '', 'success', 1]))
    const get = rows.find(({ method }) => method === 'prompts/get')
    expect(get).toMatchObject({
      calledAs: 'prompts/get greet',
      statusClass: '2xx',
      target: 'primary',
      responseBytes: 9,
    })
    expect(await read('usage/summary')).toMatchObject({ calls: before.calls })
    const captured = await vi.waitUntil(
      async () => {
        const { items } = await read<{ items: Row[] }>(`traffic?limit=50&q=${String(get?.requestId)}`)
        return items[0]
      },
      { timeout: 20_000 },
    )
    expect(captured).toMatchObject({ mcpToolName: 'prompts/get greet', toolName: null, preview: 'Say hello' })
    const spans = await vi.waitUntil(
      async () => {
        const found = await gateway.admin(`/admin-api/traces/${String(get?.traceId)}`)
        return found.status === 200 ? found.json : undefined
      },
      { timeout: 20_000 },
    )
    expect(spans).toMatchObject({
      spans: [
        {
          name: 'relay up prompts/get',
          kind: 'CLIENT',
          attributes: { 'mcp.method': 'prompts/get', 'mcp.client': 'up' },
        },
      ],
    })
    const metrics = (await gateway.admin('/metrics')).text
    expect(metrics).toMatch(/mcp_relayed_requests_total\{method="prompts\/get",outcome="success"\} \d/)
  })

  it('costs quota where it reads something, and none where it lists', async () => {
    const { gateway } = rig
    const consumer = await asAdmin(gateway, 'consumers', { name: 'reader', monthlyQuota: 100 }, 'POST')
    const { id: consumerId } = consumer as { id: number } // as the contract says
    const { key } = await mint(gateway, { consumerId })
    const client = await aSession(gateway, {}, { headers: bearer(key) })
    const used = async () => (await read<{ usedThisMonth: number }>(`consumers/${consumerId}`)).usedThisMonth
    for (const method of ['resources/list', 'prompts/list', 'resources/templates/list']) await client.ask(method)
    expect(await used()).toBe(0)
    await client.ask('resources/read', { uri: 'peer://notes' })
    await client.ask('prompts/get', { name: 'greet' })
    expect(await used()).toBe(2)
  })

  it.each([
    ['an error of its own', { code: -32_603, kind: undefined }, 'closed', undefined],
    ['an HTTP error', { code: -32_000, kind: 'upstream_status' }, 'open', 500],
    ['no JSON-RPC', { code: -32_000, kind: 'bad_response' }, 'open', 200],
  ] as const)(
    'and answered with %s fails as a call does, and counts for the breaker',
    async (_what, { code, kind }, state, status) => {
      const { gateway, peer } = rig
      await asAdmin(gateway, 'clients/up', {
        guards: { circuitBreaker: { failureThreshold: 1, resetTimeoutMs: 600_000 } },
      })
      peer.become({
        besideTools: true,
        intercept({ method, id, response }) {
          if (method !== 'resources/read') return false
          const error = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'it broke' } })
          response.writeHead(status ?? 200, { 'content-type': 'application/json' }).end(status ? 'nonsense' : error)
          return true
        },
      })
      const client = await aSession(gateway, {}, { headers: AGENT })
      const { answer } = await client.ask('resources/read', { uri: 'peer://notes' })
      expect(answer.error).toMatchObject({ code, ...(kind && { data: { kind } }) })
      expect(await read(`clients/up`)).toMatchObject({ breaker: { state } })
      await asAdmin(gateway, 'clients/up', { guards: null })
      await asAdmin(gateway, 'clients/up/circuit-breaker/reset', {}, 'POST')
      peer.become({ besideTools: true })
    },
  )
})

it('the stream of a session ends with the admission of its backend, and returns with it', async () => {
  const { gateway, peer } = rig
  const client = await aSession(gateway, {}, { headers: AGENT })
  await client.listen()
  await vi.waitUntil(() => peer.streams() === 1, { timeout: 20_000 })
  expect((await newest(1))[0]).toMatchObject({ method: 'subscriptions/listen', outcome: 'success' })
  await asAdmin(gateway, 'clients/up', { enabled: false })
  await vi.waitUntil(() => peer.streams() === 0, { timeout: 20_000 })
  await asAdmin(gateway, 'clients/up', { enabled: true })
  await vi.waitUntil(() => peer.streams() === 1, { timeout: 20_000 })
  await gateway.ask('/mcp/up', { method: 'DELETE', headers: client.headers })
  await vi.waitUntil(() => peer.streams() === 0, { timeout: 20_000 })
})

describe('the limits of the gateway', () => {
  it('hold for what is relayed as for calls: time, size and the rate of a session', async () => {
    const limits = { TOOL_CALL_TIMEOUT_MS: '4000', MAX_RESPONSE_BYTES: '65536', RATE_LIMIT_MCP: '20' }
    const small = await startRig(limits)
    onTestFinished(small.end)
    const client = await aSession(small.gateway, {}, { headers: AGENT })
    small.peer.become({
      besideTools: true,
      intercept({ method, id, params, response }) {
        if (method !== 'resources/read') return false
        if (params.uri === 'peer://never') return true
        const result = { contents: [{ uri: params.uri, text: 'x'.repeat(100_000) }] }
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
        return true
      },
    })
    const ofRead = async (uri: string) => (await client.ask('resources/read', { uri })).answer.error
    expect(await ofRead('peer://never')).toMatchObject({
      message: 'Timed out after 4000 ms',
      data: { kind: 'timeout' },
    })
    expect(await ofRead('peer://large')).toMatchObject({ data: { kind: 'response_too_large', retryable: false } })
    await Promise.all(Array.from({ length: 20 }, () => client.ask('tools/list')))
    const sent = small.peer.seen.length
    for (const [method, params] of [...RELAYED, ['tools/call', () => ({ name: 'echo' })] as const]) {
      const { answer } = await client.ask(method, params('notes'))
      expect([method, ...refusalIn(answer)]).toEqual([method, 'RATE_LIMITED', undefined])
    }
    expect(small.peer.seen).toHaveLength(sent)
  })
})

it('an upstream that was not met since the start is not greeted while its backend is off, or for a key that does not reach it', async () => {
  const { gateway, peer } = rig
  await asAdmin(gateway, 'clients/up', { enabled: false })
  const { key } = await mint(gateway, { scopes: { tools: ['up__slow'] } })
  await gateway.stop()
  const again = await startGateway(ENV, gateway.folder)
  const before = peer.seen.length
  try {
    for (const [headers, code] of [
      [AGENT, 'disabled'],
      [bearer(key), 'disabled'],
    ] as const) {
      const client = await aSession(again, {}, { headers })
      expect(client.initialized.result?.capabilities).toEqual({ tools: { listChanged: true } })
      for (const [method, params] of RELAYED)
        expect([method, ...refusalIn((await client.ask(method, params('notes'))).answer)]).toEqual([
          method,
          code,
          undefined,
        ])
      await client.listen()
      await client.post({ method: 'notifications/roots/list_changed' })
    }
    expect(peer.seen.slice(before).map(({ method }) => method)).toEqual([])
    await asAdmin(again, 'clients/up', { enabled: true })
  } finally {
    await again.end()
  }
})

it('an address that is no longer permitted is not dialled for anything [ct.5.8.ssrf_blocked]', async () => {
  const { gateway, peer } = rig
  await gateway.stop()
  const again = await startGateway({ ...ENV, ALLOW_PRIVATE_IPS: 'false' }, gateway.folder)
  const connections = peer.connections()
  try {
    const client = await aSession(again, {}, { headers: AGENT })
    for (const [method, params] of [...RELAYED, ['tools/call', () => ({ name: 'echo' })] as const]) {
      const { answer } = await client.ask(method, params('notes'))
      expect([method, ...refusalIn(answer)]).toEqual([method, 'ssrf_blocked', undefined])
    }
    expect(peer.connections()).toBe(connections)
  } finally {
    await again.end()
  }
})
