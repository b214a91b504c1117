// Who may call a tool, how often and for how long; and the breaker in front of it.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { body, change, code, custom, listed, make, member } from './curation.fixture.ts'
import { configure, failureOf, refusalOf, rpc } from './data-plane.fixture.ts'
import type { Env } from './gateway.fixture.ts'
import { bearer, FIRST, KEYS, type Plane, SECOND, startPlane } from './plane.fixture.ts'

type Fields = Record<string, unknown>
let plane: Plane
beforeAll(async () => {
  plane = await startPlane()
})
afterAll(() => plane.end())
beforeEach(() => plane.reset())

describe('a breaker', () => {
  const guards = (failureThreshold: number) =>
    change(plane.gateway, '/admin-api/clients/bank', { guards: { circuitBreaker: { failureThreshold } } })
  const bank = (name: string) => plane.calling(name, {}, FIRST, '/mcp/bank')
  const diagnosed = async (tool: string) =>
    body(await plane.gateway.admin(`/admin-api/clients/bank/tools/${tool}/diagnose`)).circuitBreaker as Fields
  const reset = (name: string) =>
    plane.gateway.admin(`/admin-api/clients/${name}/circuit-breaker/reset`, { method: 'POST' })

  it('takes its settings while it runs, forgets nothing by a success, and counts per tool beside [ct.9.5.guards ct.5.13.breaker-success ct.5.13.breaker-tool gw.breaker.per-tool]', async () => {
    await bank('broken')
    await bank('ok')
    await bank('notfound')
    expect(await diagnosed('broken')).toMatchObject({ state: 'closed', failuresInWindow: 1, toolFailuresInWindow: 1 })
    expect(await diagnosed('notfound')).toMatchObject({ failuresInWindow: 1, toolFailuresInWindow: 0 })
    await guards(2)
    expect(await diagnosed('ok')).toMatchObject({ state: 'closed', failuresInWindow: 1, threshold: 2 })
    await bank('broken')
    expect(refusalOf(await bank('ok'))).toMatchObject({ code: 'circuit_open' })
  })

  it('is reset by hand, where there is one [ct.7.2.reset ct.18.client_not_live]', async () => {
    await guards(1)
    await bank('broken')
    const done = await reset('bank')
    expect([done.status, done.json]).toEqual([200, { name: 'bank', state: 'closed', previousState: 'open' }])
    expect((await bank('ok')).isError).toBeUndefined()
    expect(code(await reset('missing'))).toBe('CLIENT_NOT_FOUND')
    await plane.gateway.admin('/clients/bank', { method: 'DELETE' })
    const gone = await reset('bank')
    expect([gone.status, code(gone)]).toEqual([409, 'CLIENT_NOT_LIVE'])
  })
})

describe('a guard of one tool', () => {
  it('asks for confirmation where the method or the flag requires it [gw.auth.3-sensitive gw.auth-var.auto_gate_write_methods gw.auth-var.auto_gate_override ct.8.1.sensitive]', async () => {
    const asked = async (name: string) => refusalOf(await plane.calling(name, { id: 1 })).code
    expect([await asked('deletePet'), await asked('addPet')]).toEqual(['confirm_required', undefined])
    await configure(plane.gateway, 'deletePet', { sensitive: false })
    await configure(plane.gateway, 'addPet', { sensitive: true })
    expect([await asked('deletePet'), await asked('addPet')]).toEqual([undefined, 'confirm_required'])
    expect((await plane.calling('addPet', { __confirm: true })).isError).toBeUndefined()
    expect(refusalOf(await plane.calling('addPet', { __confirm: 'true' })).code).toBe('confirm_required')
    await configure(plane.gateway, 'deletePet', { sensitive: null })
    await configure(plane.gateway, 'addPet', { sensitive: null })
    expect([await asked('deletePet'), await asked('addPet')]).toEqual(['confirm_required', undefined])
  })

  it('lets exactly so many calls pass, over all callers or for each [ct.8.2.rate ct.19.24.rate gw.limits.tool_rate]', async () => {
    const verdicts = async (callers: readonly Env[]) => {
      const codes: unknown[] = []
      for (const caller of callers) codes.push(refusalOf(await plane.calling('notfound', {}, caller)).code)
      return codes
    }
    await configure(plane.gateway, 'notfound', { guards: { rateLimitPerMin: 3 } })
    expect(await verdicts([FIRST, FIRST, SECOND, SECOND, FIRST])).toEqual([
      undefined,
      undefined,
      undefined,
      'rate_limit',
      'rate_limit',
    ])
    await configure(plane.gateway, 'notfound', { guards: { rateLimitPerMin: 2, rateLimitScope: 'principal' } })
    expect(await verdicts([FIRST, FIRST, FIRST, SECOND, SECOND, SECOND])).toEqual([
      undefined,
      undefined,
      'rate_limit',
      undefined,
      undefined,
      'rate_limit',
    ])
    await configure(plane.gateway, 'notfound', { guards: null })
  })

  it('has its own timeout, for each attempt [ct.8.2.timeout]', async () => {
    await configure(plane.gateway, 'hang', { guards: { timeoutMs: 150 } })
    const result = await plane.calling('hang')
    expect(result.content[0]?.text).toBe('Timed out after 150 ms')
    expect([failureOf(result).kind, result._meta['gantry/call']?.attempts]).toEqual(['timeout', 2])
    expect(plane.shop.seen).toEqual(['GET /hang', 'GET /hang'])
    await configure(plane.gateway, 'hang', { guards: null })

    // A server that asks for a longer pause than the call has is not asked again, and no caller waits for it.
    await configure(plane.gateway, 'ok', { guards: { timeoutMs: 150 } })
    plane.shop.answer = (_request, response) => void response.writeHead(503, { 'retry-after': '20' }).end('later')
    const later = await plane.calling('ok')
    expect([failureOf(later).status, later._meta['gantry/call']?.attempts]).toEqual([503, 1])
    await configure(plane.gateway, 'ok', { guards: null })
  })

  it('takes the credentials of its list and no other, kept as hashes [ct.8.2.allowlist]', async () => {
    const minted = body(await plane.gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: 'listed' } }))
    const guards = { allowedApiKeys: [KEYS[0]], allowedKeyIds: [minted.id] }
    await configure(plane.gateway, 'getPetById', { guards })
    const verdict = async (headers: Env) => refusalOf(await plane.calling('getPetById', { id: 5 }, headers)).code
    expect([await verdict(FIRST), await verdict(bearer(String(minted.key))), await verdict(SECOND)]).toEqual([
      undefined,
      undefined,
      'allowed_key',
    ])
    const { text } = await plane.gateway.admin('/admin-api/clients/petstore/tools/getPetById')
    expect(text).not.toContain(KEYS[0])
    expect(text).toMatch(/"allowedKeyHashes":\["[0-9a-f]{64}"\]/)
    await configure(plane.gateway, 'getPetById', { guards: null })
  })

  it('says nothing of what it is made of [ct.5.8.no-leak gw.error.7-code]', async () => {
    await configure(plane.gateway, 'addPet', {
      guardrails: { denyPatterns: ['hidden-pattern-[0-9]+'] },
      guards: { allowedApiKeys: [KEYS[0]] },
    })
    const outsider = await plane.calling('addPet', { name: 'hidden-pattern-1' }, SECOND)
    // Who is not on the list never reaches the guardrails.
    expect(refusalOf(outsider)).toMatchObject({ code: 'allowed_key', gate: 'key_allowlist' })
    const blocked = await plane.calling('addPet', { name: 'hidden-pattern-1' })
    expect(refusalOf(blocked)).toMatchObject({ code: 'guardrail_input', gate: 'input_guardrails' })
    for (const message of [JSON.stringify(outsider), JSON.stringify(blocked)])
      for (const secret of ['[0-9]', 'hidden', KEYS[0]]) expect(message).not.toContain(secret)
    await configure(plane.gateway, 'addPet', { guardrails: null, guards: null })
  })
})

describe('a search', () => {
  it('ranks what its caller could list, and is no call [ct.5.7.own-view]', async () => {
    const made = await plane.gateway.admin('/admin-api/mcp-keys', {
      method: 'POST',
      body: { label: 'narrow', scopes: { tools: ['petstore__getPetById'] } },
    })
    const narrow = bearer(String(body(made).key))
    const found = async (headers: Env) => {
      const { structuredContent } = await plane.calling('search_tools', { query: 'pet', limit: 50 }, headers)
      const { matches } = structuredContent as { matches: { name: string }[] } // what a search answers
      return matches.map(({ name }) => name).sort()
    }
    expect(await found(narrow)).toEqual(['getPetById'])
    expect(await found(FIRST)).toEqual(expect.arrayContaining(['addPet', 'deletePet', 'getPetById']))
    const before = body(await plane.gateway.admin('/admin-api/overview')).calls24h
    await found(FIRST)
    expect(body(await plane.gateway.admin('/admin-api/overview')).calls24h).toEqual(before)
  })
})

describe('who is let in', () => {
  it('brings a key, on every endpoint, for every method [gw.route.shard gw.route.bundle ct.5.1.endpoints]', async () => {
    await make(plane.gateway, 'bundles', { name: 'closed', tools: [member('petstore', 'ok')] })
    for (const path of ['/mcp/petstore', custom('closed'), '/mcp'])
      for (const method of ['POST', 'GET', 'DELETE']) {
        const answer = await plane.gateway.ask(path, { method, ...(method === 'POST' ? { body: {} } : {}) })
        expect([path, method, answer.status]).toEqual([path, method, 401])
      }
    const bound = body(
      await plane.gateway.admin('/admin-api/mcp-keys', {
        method: 'POST',
        body: { label: 'b', scopes: { bundles: ['closed'] } },
      }),
    )
    const own = bearer(String(bound.key))
    expect(await listed(plane.gateway, custom('closed'), own)).toEqual(['petstore__ok', 'search_tools'])
    for (const path of ['/mcp/petstore', '/mcp/missing', custom('named')]) {
      const answer = await rpc(plane.gateway, 'tools/list', {}, { path, headers: own })
      expect([path, answer.status, code(answer)]).toEqual([path, 403, 'KEY_SCOPE'])
    }
  })
})

it('a call says whose it is: the request id in its refusal, the trace at its backend [ct.1.9.call-records ct.1.9.traceparent]', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { ...FIRST, 'x-request-id': 'sent-by-me', traceparent: `00-${trace}-00f067aa0ba902b7-01` }
  expect(refusalOf(await plane.calling('nope', {}, headers))).toMatchObject({ request_id: 'sent-by-me' })
  plane.listen()
  await plane.calling('ok', {}, headers)
  expect(plane.received[0]?.headers.traceparent).toMatch(
    new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
  )
  const database = new Database(join(plane.gateway.folder, 'gantry.db'), { readonly: true })
  onTestFinished(() => void database.close())
  const rows = database.prepare('SELECT outcome, trace_id FROM calls WHERE request_id = ?')
  // Rows follow their answers within a second.
  await expect
    .poll(() => rows.all('sent-by-me'))
    .toEqual([
      { outcome: 'refused', trace_id: trace },
      { outcome: 'success', trace_id: trace },
    ])
})
