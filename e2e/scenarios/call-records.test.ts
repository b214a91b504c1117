// What calls leave behind: counters, audit entries, the live tail, and the sessions they come through.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { aMall, body, callIn, change, code, custom, type Mall, make, member, startMall } from './curation.fixture.ts'
import { call, configure, openSession, openStreaming, rpc } from './data-plane.fixture.ts'
import { ADMIN_KEY, type Gateway } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'

type Fields = Record<string, unknown>
let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall({ RETRY_MAX_ATTEMPTS: '1', MAX_RESPONSE_BYTES: '4096', RATE_LIMIT_MCP: '1000' })
})
afterAll(() => mall.end())

/** How much each series grew while something happened. */
async function growth(work: () => Promise<unknown>): Promise<(series: string) => number> {
  const before = await reading(mall.gateway)
  await work()
  const after = await reading(mall.gateway)
  return (series) => after(series) - before(series)
}
const outcome = (label: string) => `mcp_tool_calls_total{outcome="${label}"}`
const client = (name: string, label: string) => `mcp_client_tool_calls_total{client="${name}",outcome="${label}"}`

describe('metrics', () => {
  it('count calls by outcome, by backend and by code, with their time [ct.14.mcp_tool_calls_total ct.14.mcp_client_tool_calls_total ct.14.mcp_tool_refusals_total ct.14.mcp_tool_call_duration_seconds ct.14.mcp_gateway_overhead_seconds gw.ops.metrics-calls]', async () => {
    await configure(mall.gateway, 'deletePet', { sensitive: true })
    const grown = await growth(async () => {
      await call(mall.gateway, 'getPetById', { id: 5 })
      await call(mall.gateway, 'ok')
      await call(mall.gateway, 'broken')
      await call(mall.gateway, 'deletePet', { id: 5 })
      await call(mall.gateway, 'nothing')
    })
    expect(['success', 'error', 'refused', 'cancelled'].map((label) => grown(outcome(label)))).toEqual([2, 1, 2, 0])
    expect(['success', 'error', 'refused'].map((label) => grown(client('petstore', label)))).toEqual([2, 1, 1])
    expect(grown('mcp_tool_refusals_total{code="confirm_required"}')).toBe(1)
    expect(grown('mcp_tool_refusals_total{code="unknown_tool"}')).toBe(1)
    expect(grown('mcp_tool_call_duration_seconds_count{outcome="success"}')).toBe(2)
    expect(grown('mcp_tool_call_duration_seconds_bucket{outcome="success",le="+Inf"}')).toBe(2)
    expect(grown('mcp_gateway_overhead_seconds_count')).toBe(4)
    await configure(mall.gateway, 'deletePet', { sensitive: null })
  })

  it('have the listed buckets, in seconds [ct.14.buckets]', async () => {
    const { text } = await mall.gateway.admin('/metrics')
    const bounds = [...text.matchAll(/^mcp_gateway_overhead_seconds_bucket\{le="([^"]+)"\}/gm)].map(
      ([, bound]) => bound,
    )
    expect(bounds).toEqual([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, '+Inf'].map(String))
  })

  it('tell each upstream request, its retries and bodies that were too large [ct.14.mcp_proxy_request_duration_seconds ct.14.mcp_proxy_retry_attempts_total ct.14.mcp_proxy_body_cap_rejections_total]', async () => {
    const { shop, gateway } = mall
    const grown = await growth(async () => {
      await call(gateway, 'ok')
      await call(gateway, 'addPet', { name: 'x' })
      await call(gateway, 'notfound')
      await call(gateway, 'zeros')
      let asked = 0
      shop.answer = (_request, response) => {
        asked += 1
        response.writeHead(asked === 1 ? 503 : 200, { 'content-type': 'text/plain' }).end('well')
      }
      await call(gateway, 'ok')
      shop.answer = (_request, response) => void response.writeHead(503).end('no')
      await call(gateway, 'ok')
      shop.answer = undefined
    })
    const requests = (method: string, status: string) =>
      grown(`mcp_proxy_request_duration_seconds_count{client="petstore",method="${method}",status_class="${status}"}`)
    expect([
      requests('GET', '2xx'),
      requests('POST', '2xx'),
      requests('GET', '4xx'),
      requests('GET', '5xx'),
      requests('GET', 'none'),
    ]).toEqual([2, 1, 1, 3, 1])
    const retries = (label: string) =>
      grown(`mcp_proxy_retry_attempts_total{client="petstore",method="GET",outcome="${label}"}`)
    expect([retries('retry'), retries('success'), retries('exhausted')]).toEqual([2, 1, 1])
    expect(grown('mcp_proxy_body_cap_rejections_total{client="petstore"}')).toBe(1)
  })

  it('tell the breaker, its changes and the calls it turned away while probing [ct.14.mcp_breaker_current_state ct.14.mcp_breaker_state_transitions_total ct.14.mcp_breaker_probe_rejected_total gw.breaker.opens gw.breaker.half-open]', async () => {
    const { gateway } = mall
    const guards = { circuitBreaker: { failureThreshold: 2, resetTimeoutMs: 200, halfOpenTimeoutMs: 5_000 } }
    await change(gateway, '/admin-api/clients/bank', { guards })
    const state = async () => (await reading(gateway))('mcp_breaker_current_state{client="bank"}')
    const bank = (name: string) => call(gateway, name, {}, '/mcp/bank')
    expect(await state()).toBe(0)
    const grown = await growth(async () => {
      await bank('notfound')
      for (const _ of [1, 2]) await bank('broken')
      expect(await state()).toBe(2)
      expect((await bank('ok')).structuredContent).toMatchObject({ code: 'circuit_open', reason: 'open' })
      await expect.poll(state).toBe(1)
      const held: (() => void)[] = []
      mall.bank.answer = (_request, response) => void held.push(() => response.end('fine'))
      const probe = bank('ok')
      await expect.poll(() => held.length).toBe(1)
      expect((await bank('ok')).structuredContent).toMatchObject({ code: 'circuit_open', reason: 'probing' })
      held[0]?.()
      expect((await probe).isError).toBeUndefined()
      mall.bank.answer = undefined
    })
    expect(await state()).toBe(0)
    const moved = (from: string, to: string) =>
      grown(`mcp_breaker_state_transitions_total{client="bank",from_state="${from}",to_state="${to}"}`)
    expect([moved('closed', 'open'), moved('open', 'half_open'), moved('half_open', 'closed')]).toEqual([1, 1, 1])
    expect(grown('mcp_breaker_probe_rejected_total{client="bank"}')).toBe(1)
    await change(gateway, '/admin-api/clients/bank', { guards: null })
  })

  it('tell sessions and lists by surface, and what names a backend names a registered one [ct.14.mcp_sessions_active ct.14.mcp_list_requests_total ct.14.client-label]', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'counted', tools: [member('petstore', 'ok')] })
    const grown = await growth(async () => {
      await openSession(gateway)
      await openSession(gateway, '2025-11-25', custom('counted'))
      await rpc(gateway, 'tools/list')
      await rpc(gateway, 'tools/list', {}, { path: custom('counted') })
      await rpc(gateway, 'tools/call', { name: 'x' }, { path: '/mcp/missing' })
      await callIn(gateway, 'counted', 'nobody__x')
    })
    expect(grown('mcp_sessions_active')).toBe(2)
    expect([
      grown('mcp_sessions_created_total{surface="shard"}'),
      grown('mcp_sessions_created_total{surface="bundle"}'),
    ]).toEqual([1, 1])
    const lists = (surface: string) => grown(`mcp_list_requests_total{surface="${surface}",method="tools/list"}`)
    expect([lists('shard'), lists('bundle')]).toEqual([1, 1])
    const { text } = await gateway.admin('/metrics')
    const named = new Set([...text.matchAll(/client="([^"]*)"/g)].map(([, name]) => name))
    expect(named).toEqual(new Set(['bank', 'petstore']))
  })

  it('tell the sessions that found no room [ct.18.session_capacity]', async () => {
    const full = await aMall({ MAX_SESSIONS: '1' })
    await openStreaming(full.gateway)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
    const refused = await rpc(full.gateway, 'initialize', params)
    expect(refused.status).toBe(503)
    expect(refused.json).toMatchObject({ error: { data: { code: 'SESSION_CAPACITY' } } })
    expect((await reading(full.gateway))('mcp_sessions_rejected_total{reason="capacity"}')).toBe(1)
  })
})

const entries = async (gateway: Gateway): Promise<Fields[]> =>
  body(await gateway.admin('/admin-api/audit-log?action=tool.call')).items as Fields[]

it('a row that the database rejects is counted, and stays in the journal [ct.14.mcp_db_errors_total]', async () => {
  const { gateway } = await aMall()
  const database = new Database(join(gateway.folder, 'gantry.db'))
  database.exec('DROP TABLE call_rows')
  database.close()
  const { json } = await rpc(gateway, 'tools/call', { name: 'ok', arguments: {} })
  await expect.poll(async () => (await reading(gateway))('mcp_db_errors_total{op="calls"}')).toBe(1)
  const [journal = ''] = readdirSync(gateway.folder).filter((name) => name.endsWith('.journal'))
  const { result } = json as { result: { _meta: Record<string, { request_id: string }> } } // the answer of a call
  expect(readFileSync(join(gateway.folder, journal), 'utf8')).toContain(String(result._meta['gantry/call']?.request_id))
})

describe('the audit chain', () => {
  it('takes calls of sensitive tools and refusals by a gate, and never their arguments [ct.13.3.modes ct.13.3.detail ct.13.3.batched]', async () => {
    const { gateway } = mall
    await configure(gateway, 'deletePet', { sensitive: true })
    await configure(gateway, 'addPet', { guards: { allowedApiKeys: ['another-users-key'] } })
    const before = (await entries(gateway)).length
    await call(gateway, 'ok')
    await call(gateway, 'nothing')
    await call(gateway, 'deletePet', { id: 4711000042 })
    await call(gateway, 'deletePet', { id: 4711000042, __confirm: true })
    await call(gateway, 'addPet', { name: 'Rex' })
    await expect.poll(async () => (await entries(gateway)).length).toBe(before + 3)
    const [third, second, first] = await entries(gateway)
    const detail = { surface: 'shard', argsHash: expect.stringMatching(/^[0-9a-f]{64}$/), approvalId: null }
    expect(first).toMatchObject({
      actor: 'anonymous',
      target: 'petstore__deletePet',
      detail: { ...detail, outcome: 'refused', code: 'confirm_required', gate: 'confirmation' },
    })
    expect(second).toMatchObject({
      target: 'petstore__deletePet',
      detail: { ...detail, outcome: 'success', code: null, gate: null },
    })
    expect(third).toMatchObject({
      target: 'petstore__addPet',
      detail: { ...detail, outcome: 'refused', code: 'allowed_key' },
    })
    expect(Object.keys((second?.detail ?? {}) as Fields).sort()).toEqual([
      'approvalId',
      'argsHash',
      'code',
      'durationMs',
      'gate',
      'outcome',
      'request_id',
      'surface',
    ])
    // The same arguments have the same hash, with and without confirmation.
    expect(second).toMatchObject({ detail: { argsHash: (first as { detail: Fields }).detail.argsHash } })
    expect(JSON.stringify(await entries(gateway))).not.toContain('4711000042')
    expect(body(await gateway.admin('/admin-api/audit-log/verify'))).toMatchObject({ valid: true })
    await configure(gateway, 'deletePet', { sensitive: null })
    await configure(gateway, 'addPet', { guards: null })
  })

  it.each([
    ['all', 2],
    ['off', 0],
  ] as const)(
    'takes, when it is set to %s, %i of two calls [ct.13.3.modes ct.17.effect.audit_tool_calls]',
    async (AUDIT_TOOL_CALLS, count) => {
      const { gateway } = await aMall({ AUDIT_TOOL_CALLS })
      await configure(gateway, 'deletePet', { sensitive: true })
      await call(gateway, 'ok')
      await call(gateway, 'deletePet', { id: 1 })
      // A clean stop leaves nothing behind.
      await gateway.stop()
      const database = new Database(join(gateway.folder, 'gantry.db'), { readonly: true })
      onTestFinished(() => void database.close())
      const written = database.prepare("SELECT target FROM audit_log WHERE action = 'tool.call'").all()
      expect(written).toHaveLength(count)
    },
  )
})

describe('a session', () => {
  it('is seen and ended by an operator, by its reference [ct.7.8.mcp-sessions ct.13.2.mcp_session]', async () => {
    const { gateway } = mall
    const headers = await openSession(gateway)
    const listed = async () => body(await gateway.admin('/admin-api/mcp-sessions?limit=200')).items as Fields[]
    const own = (await listed()).find(
      ({ id }) => headers['mcp-session-id']?.startsWith(String(id).slice(0, -1)) && String(id).endsWith('…'),
    )
    const mine = (await listed()).at(-1)
    expect(own).toBeDefined()
    expect(mine).toEqual({
      id: `${headers['mcp-session-id']?.slice(0, 8)}…`,
      ref: expect.stringMatching(/^[0-9a-f]{32}$/),
      surface: 'client:petstore',
      principal: 'anonymous',
      clientInfo: { name: 'agent', version: '1' },
      revision: '2025-11-25',
      createdAt: expect.stringMatching(/Z$/),
      lastSeenAt: expect.stringMatching(/Z$/),
      hasStream: false,
    })
    expect((await rpc(gateway, 'ping', {}, { headers })).status).toBe(200)
    const close = () => gateway.admin(`/admin-api/mcp-sessions/${String(mine?.ref)}`, { method: 'DELETE' })
    expect((await close()).status).toBe(204)
    expect((await rpc(gateway, 'ping', {}, { headers })).status).toBe(404)
    const again = await close()
    expect([again.status, code(again)]).toEqual([404, 'SESSION_NOT_FOUND'])
    const { items } = body(await gateway.admin('/admin-api/audit-log?action=mcp_session.close'))
    expect(items).toMatchObject([{ target: mine?.ref, detail: { surface: 'client:petstore', principal: 'anonymous' } }])
  })

  it('is reported as it opens and ends, and so is every call, known or not [ct.7.7.events-sessions ct.7.7.events-calls]', async () => {
    const { gateway } = mall
    const controller = new AbortController()
    // oxlint-disable-next-line no-restricted-globals -- a browser outside the gateway
    const stream = await fetch(`${gateway.url}/admin-api/events?topics=sessions,calls`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, accept: 'text/event-stream' },
      signal: controller.signal,
    })
    let text = ''
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    const reading = (async () => {
      for (;;) {
        const read = await reader?.read()
        if (read === undefined || read.done) return
        text += read.value
      }
    })().catch(() => undefined)
    await expect.poll(() => text).toContain('event: ready')
    const headers = await openSession(gateway)
    await rpc(gateway, 'tools/call', { name: 'ok', arguments: {} }, { headers })
    await rpc(gateway, 'tools/call', { name: 'nothing', arguments: {} }, { headers })
    await gateway.ask('/mcp/petstore', { method: 'DELETE', headers })
    const report = (topic: string): Fields[] =>
      [...text.matchAll(new RegExp(`event: ${topic}\\ndata: (.*)\\n`, 'g'))].map(
        ([, data]) => JSON.parse(data ?? '') as Fields,
      )
    await expect.poll(() => report('sessions').length).toBe(2)
    const [opened, ended] = report('sessions')
    expect(Number(opened?.count) - Number(ended?.count)).toBe(1)
    await expect
      .poll(() => report('calls'))
      .toMatchObject([
        { type: 'call', client: 'petstore', tool: 'ok', outcome: 'success' },
        { type: 'call', client: 'petstore', outcome: 'refused', denyCode: 'unknown_tool' },
      ])
    // The same rows as the log's.
    const { items } = body(await gateway.admin('/admin-api/calls?limit=2'))
    const rows = report('calls').map(({ type: _type, at: _at, ...row }) => row)
    expect(rows).toEqual((items as Fields[]).toReversed().map(({ at: _at, ...row }) => row))
    controller.abort()
    await reading
  })
})
