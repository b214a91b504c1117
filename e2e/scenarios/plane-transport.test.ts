// How the data plane says no before a tool is asked, and what changes under its callers' hands.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  aMall,
  aProcessMall,
  body,
  callIn,
  code,
  custom,
  listed,
  type Mall,
  make,
  member,
  startMall,
} from './curation.fixture.ts'
import { call, configure, failureOf, openSession, refusalOf, rpc } from './data-plane.fixture.ts'
import type { Answer, Env } from './gateway.fixture.ts'

type Fields = Record<string, unknown>
const OWN = 'https://agent.example'
let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall({ ALLOWED_ORIGINS: OWN, RETRY_MAX_ATTEMPTS: '2' })
})
afterAll(() => mall.end())

const envelope = (answer: Answer): unknown => [answer.status, code(answer), (body(answer).error as Fields).request_id]
const rpcError = ({ status, json }: Answer): unknown => {
  const { error } = json as { error?: { code?: unknown; data?: { code?: unknown } } } // an answer that is an error
  return [status, error?.code, error?.data?.code]
}
const list = (headers: Env = {}, path = '/mcp/petstore') => rpc(mall.gateway, 'tools/list', {}, { path, headers })

describe('before a message is accepted', () => {
  it('unknown clients are refused in the envelope [ct.5.10.envelope ct.5.10.host ct.5.10.origin ct.5.10.surface ct.5.10.session-id ct.19.8.errors ct.18.invalid_session_id]', async () => {
    const id = expect.any(String)
    expect(envelope(await list({ host: 'evil.example' }))).toEqual([403, 'HOST_NOT_ALLOWED', id])
    expect(envelope(await list({ origin: 'https://evil.example' }))).toEqual([403, 'ORIGIN_NOT_ALLOWED', id])
    expect(envelope(await list({ 'sec-fetch-site': 'cross-site' }))).toEqual([403, 'ORIGIN_NOT_ALLOWED', id])
    const accepted: Env[] = [
      { origin: OWN },
      { origin: mall.gateway.url },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of accepted) expect([headers, (await list(headers)).status]).toEqual([headers, 200])
    expect(envelope(await list({}, '/mcp/missing'))).toEqual([404, 'CLIENT_NOT_FOUND', id])
    expect(envelope(await list({}, custom('missing')))).toEqual([404, 'BUNDLE_NOT_FOUND', id])
    expect(envelope(await list({ 'mcp-session-id': 'not-a-seal' }))).toEqual([400, 'INVALID_SESSION_ID', id])
    expect(envelope(await list({ accept: 'text/html' }))).toEqual([406, 'NOT_ACCEPTABLE', id])
  })

  it('browsers of the listed origins may ask, and no other [ct.1.9.cors-mcp ct.18.not_acceptable]', async () => {
    const preflight = (origin: string) =>
      mall.gateway.ask('/mcp/petstore', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'mcp-session-id',
        },
      })
    const allowed = await preflight(OWN)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(OWN)
    expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('mcp-session-id')
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
    const answered = await list({ origin: OWN })
    expect(answered.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('mcp-session-id')
  })
})

describe('after a message is accepted', () => {
  it('errors are JSON-RPC, with the stable code in their data [ct.5.10.envelope ct.5.10.session ct.18.call.case ct.18.invalid_request ct.18.parse_error ct.18.unsupported_protocol_version ct.18.stream_exists]', async () => {
    const { gateway } = mall
    const session = await openSession(gateway)
    expect(rpcError(await list(session, '/mcp/bank'))).toEqual([404, -32_000, 'SESSION_NOT_FOUND'])
    const ended = await gateway.ask('/mcp/petstore', { method: 'DELETE', headers: session })
    expect([ended.status, ended.text]).toEqual([200, ''])
    expect(rpcError(await list(session))).toEqual([404, -32_000, 'SESSION_NOT_FOUND'])
    const post = (text: string, headers: Env = {}) =>
      gateway.ask('/mcp/petstore', { method: 'POST', body: text, headers })
    expect(rpcError(await post('{"jsonrpc"'))).toEqual([400, -32_700, 'PARSE_ERROR'])
    expect(rpcError(await post('[]'))).toEqual([400, -32_600, 'INVALID_REQUEST'])
    expect(rpcError(await list({ 'mcp-protocol-version': '1999-01-01' }))).toEqual([
      400,
      -32_022,
      'UNSUPPORTED_PROTOCOL_VERSION',
    ])
    expect(rpcError(await rpc(gateway, 'resources/list'))).toEqual([200, -32_601, 'METHOD_NOT_FOUND'])
    expect(refusalOf(await call(gateway, 'nope')).code).toBe('unknown_tool')
  })

  it('a session belongs to its surface and may be done without [ct.19.6.sessions ct.1.4.mcp-delete]', async () => {
    const { gateway } = mall
    const session = await openSession(gateway)
    expect((await list(session)).status).toBe(200)
    expect((await list()).status).toBe(200)
    expect((await list(session, '/mcp/bank')).status).toBe(404)
    expect((await gateway.ask('/mcp/petstore', { method: 'DELETE', headers: session })).status).toBe(200)
  })

  it('a stream is one of its session [ct.18.stream_exists]', async () => {
    const { gateway } = mall
    const headers = { ...(await openSession(gateway)), accept: 'text/event-stream' }
    const first = request(`${gateway.url}/mcp/petstore`, { headers })
    await new Promise<void>((resolve) => {
      first.once('response', () => resolve()).end()
    })
    const second = await gateway.ask('/mcp/petstore', { headers })
    expect([second.status, code(second)]).toEqual([409, 'STREAM_EXISTS'])
    first.destroy()
  })
})

describe('unknown, hidden and foreign', () => {
  it('are one and the same, and never an error of the protocol [ct.19.3.unknown]', async () => {
    const { gateway } = mall
    await make(gateway, 'bundles', { name: 'small', tools: [member('petstore', 'ok')] })
    const report = async (name: string, path = custom('small')) =>
      JSON.stringify(await call(gateway, name, {}, path))
        .replaceAll(name, '-')
        .replaceAll(/"request_id":"[^"]*"/g, '')
    const answers = await Promise.all([
      report('nothing'),
      report('petstore__getPetById'),
      report('bank__ok'),
      report('nobody__ok'),
      report('bank__ok', '/mcp/petstore'),
    ])
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('"code":"unknown_tool"')
    expect((await callIn(gateway, 'small', 'ok')).isError).toBeUndefined()
  })
})

describe('a call under way', () => {
  it('ends on the old definition, and its session is notified of the new one [ct.4.6.in-flight ct.4.6.list-changed]', async () => {
    const { gateway, shop } = mall
    let report = ''
    const headers = await openSession(gateway)
    const stream = request(`${gateway.url}/mcp/petstore`, { headers: { ...headers, accept: 'text/event-stream' } })
    stream
      .on('response', (response) => response.setEncoding('utf8').on('data', (text: string) => (report += text)))
      .end()
    const held: (() => void)[] = []
    shop.answer = ({ url }, response) => void held.push(() => response.end(`by ${String(url)}`))
    const calling = call(gateway, 'getPetById', { id: 5 })
    await expect.poll(() => held.length).toBe(1)
    const moved = {
      name: 'petstore',
      base_url: shop.url,
      tools: [{ name: 'getPetById', method: 'GET', endpoint: '/moved/:id', description: 'Moved' }],
    }
    expect((await gateway.admin('/register', { method: 'POST', body: moved })).status).toBe(200)
    await expect.poll(() => report).toContain('notifications/tools/list_changed')
    held[0]?.()
    expect((await calling).content[0]?.text).toBe('by /pets/5')
    const after = call(gateway, 'getPetById', { id: '5' })
    await expect.poll(() => held.length).toBe(2)
    held[1]?.()
    expect((await after).content[0]?.text).toBe('by /moved/5')
    shop.answer = undefined
    stream.destroy()
  })

  it('is retried by its method, at the pinned address under its own name [ct.19.18.retries]', async () => {
    const { gateway, bank } = mall
    bank.answer = (_request, response) => void response.writeHead(503).end()
    for (const [name, args, attempts] of [
      ['ok', {}, 3],
      ['deletePet', { id: 1 }, 3],
      ['addPet', {}, 1],
    ] as const) {
      const result = await call(gateway, name, args, '/mcp/bank')
      expect([name, result._meta['gantry/call']?.attempts, failureOf(result).status]).toEqual([name, attempts, 503])
    }
    bank.answer = undefined
  })
})

it('an open data plane keeps the list of a tool all the same [ct.2.1.open-allowlist]', async () => {
  await configure(mall.gateway, 'getPetById', { guards: { allowedApiKeys: ['another-users-key'] } })
  expect(refusalOf(await call(mall.gateway, 'getPetById', { id: 1 }))).toMatchObject({ code: 'allowed_key' })
  const known = await rpc(
    mall.gateway,
    'tools/call',
    { name: 'getPetById', arguments: { id: 1 } },
    { headers: { authorization: 'Bearer another-users-key' } },
  )
  expect(known.json).not.toHaveProperty('result.structuredContent.code')
})

describe('a gateway that was set otherwise', () => {
  it('has no search, no structured results, short pages, and wants a session [ct.17.effect.enable_search_tool ct.17.effect.structured_output ct.17.effect.mcp_list_page_size ct.17.effect.mcp_sessionless ct.18.session_required]', async () => {
    const { gateway, shop } = await aMall({
      ENABLE_SEARCH_TOOL: 'false',
      STRUCTURED_OUTPUT: 'false',
      MCP_LIST_PAGE_SIZE: '50',
      MCP_SESSIONLESS: 'false',
    })
    const tools = Array.from({ length: 60 }, (_, at) => ({
      name: `t${at}`,
      method: 'GET',
      endpoint: '/ok',
      description: 'T',
    }))
    await gateway.admin('/register', { method: 'POST', body: { name: 'many', base_url: shop.url, tools } })
    expect(rpcError(await rpc(gateway, 'tools/list', {}, { path: '/mcp/many' }))).toEqual([
      400,
      -32_000,
      'SESSION_REQUIRED',
    ])
    const headers = await openSession(gateway, '2025-11-25', '/mcp/many')
    const page = async (params: object) => {
      const { json } = await rpc(gateway, 'tools/list', params, { path: '/mcp/many', headers })
      return (json as { result: { tools: Fields[]; nextCursor?: string } }).result // a list
    }
    const first = await page({})
    const rest = await page({ cursor: first.nextCursor })
    expect([first.tools.length, rest.tools.length, rest.nextCursor]).toEqual([50, 10, undefined])
    expect((await listed(gateway, '/mcp/many', headers)).includes('search_tools')).toBe(false)
    const { json } = await rpc(gateway, 'tools/call', { name: 't1' }, { path: '/mcp/many', headers })
    expect(json).toMatchObject({ result: { content: [{ text: '{"ok":true}' }] } })
    expect(json).not.toHaveProperty('result.structuredContent')
  })

  it('counts requests by session [ct.5.10.rate]', async () => {
    const { gateway } = await aMall({ RATE_LIMIT_MCP: '3' })
    const ping = (headers: Env) => rpc(gateway, 'ping', {}, { headers })
    const [one, two] = [await openSession(gateway), await openSession(gateway)]
    const statuses: number[] = []
    for (const headers of [one, one, one, one, two, two, two, two]) statuses.push((await ping(headers)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 200, 429])
    const limited = await ping(one)
    expect(rpcError(limited)).toEqual([429, -32_000, 'RATE_LIMITED'])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('counts them by principal over all its sessions and addresses, ten times as many (security case RL-04) [ct.0.7.mcp-rate]', async () => {
    const keys = ['the-first-key-of-many', 'the-second-key-of-many']
    const { gateway } = await aMall({ RATE_LIMIT_MCP: '1', MCP_API_KEYS: keys.join(','), TRUST_PROXY: '1' })
    const from = (last: number, key = keys[0]) =>
      rpc(gateway, 'ping', {}, { headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': `192.0.2.${last}` } })
    expect((await from(1)).status).toBe(200)
    // One address is one budget.
    expect((await from(1)).status).toBe(429)
    const statuses: number[] = []
    for (let last = 2; last <= 12; last += 1) statuses.push((await from(last)).status)
    expect(statuses).toEqual([...Array<number>(9).fill(200), 429, 429])
    expect((await from(99, keys[1])).status).toBe(200)
  })

  it('says that it is going, in the form of the protocol [ct.5.10.shutdown]', async () => {
    const { gateway, shop } = await aProcessMall()
    const held: (() => void)[] = []
    shop.answer = (_request, response) => void held.push(() => response.end('late'))
    const calling = call(gateway, 'ok')
    await expect.poll(() => held.length).toBe(1)
    gateway.signal('SIGTERM')
    // A connection that is not yet known when the stop begins is closed; a client that asks again receives the reason.
    const report = () => rpc(gateway, 'tools/list').catch(() => undefined)
    let late = await report()
    while (late?.status !== 503) late = await report()
    expect(rpcError(late)).toEqual([503, -32_000, 'SHUTTING_DOWN'])
    held[0]?.()
    expect((await calling).content[0]?.text).toBe('late')
    await gateway.exited
  })
})
