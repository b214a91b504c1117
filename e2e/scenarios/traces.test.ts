// What every call leaves as a span: at a collector, in the database, and over the admin API. Contract 15, 7.7, 10.13.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoredSpan, TraceSummary } from '../../gateway/contract/admin/traces.ts'
import { formatTraceparent } from '../../gateway/telemetry/trace.ts'
import {
  type Collector,
  callsIn,
  openCollector,
  type Values,
  valuesOf,
  WAIT,
  type WireSpan,
} from './collector.fixture.ts'
import { compositeInABundle, step } from './composites.fixture.ts'
import { body, change, code, custom, make, member } from './curation.fixture.ts'
import { aShopGateway, aShopProcess, call, configure, openSession, register, rpc } from './data-plane.fixture.ts'
import { aUser, type Env, passwordOf, signIn } from './gateway.fixture.ts'
import { reading } from './metrics.fixture.ts'
import { type Plane, startPlane } from './plane.fixture.ts'

type Fields = Record<string, unknown>
let plane: Plane
let collector: Collector
let key: { readonly id: number; readonly headers: Env }
beforeAll(async () => {
  collector = await openCollector()
  plane = await startPlane({
    TRACE_STORAGE: 'true',
    TRAFFIC_CAPTURE: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otel/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue,authorization=Basic YWI=',
    OTEL_SERVICE_NAME: 'shop front',
    OTEL_MAX_BATCH: '1',
    INSTANCE_ID: 'here-1',
  })
  const made = body(await plane.gateway.admin('/admin-api/mcp-keys', { method: 'POST', body: { label: 'traced' } }))
  key = { id: Number(made.id), headers: { authorization: `Bearer ${String(made.key)}` } }
})
afterAll(async () => {
  await plane.end()
  await collector.close()
})
afterEach(() => plane.reset())

const CALLER = 'b7ad6b7169203331'
type Where = { readonly path?: string; readonly headers?: Env; readonly spans?: number }

/** A call under a trace of its own, and the spans that came of it. */
async function traced(name: string, args: object = {}, { path, headers = key.headers, spans = 1 }: Where = {}) {
  const traceId = randomBytes(16).toString('hex')
  const traceparent = `00-${traceId}-${CALLER}-01`
  const all = { ...headers, traceparent, 'x-request-id': `of-${traceId}` }
  await rpc(plane.gateway, 'tools/call', { name, arguments: args }, { ...(path && { path }), headers: all })
  const found = await collector.of(traceId, spans)
  return { traceId, spans: found, first: first(found), values: valuesOf(first(found).attributes) }
}
function first<T>(list: readonly T[]): T {
  const [one] = list
  if (one === undefined) throw new Error('no such span')
  return one
}
const get = async (path: string, headers?: Env): Promise<Fields> => {
  const answer = headers ? await plane.gateway.ask(path, { headers }) : await plane.gateway.admin(path)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return body(answer)
}
/** One that is kept, once all of it is. */
const kept = (traceId: string, count = 1): Promise<StoredSpan[]> =>
  vi.waitFor(async () => {
    const { spans } = await get(`/admin-api/traces/${traceId}`)
    expect(spans).toHaveLength(count)
    return spans as StoredSpan[] // judged against its shape where that is the question
  }, WAIT)
const listed = async (query: string): Promise<TraceSummary[]> => {
  const { items } = await get(`/admin-api/traces?${query}`)
  return items as TraceSummary[] // judged against its shape where that is the question
}

describe('a call', () => {
  it('is one client span under the trace of its caller, and its backend receives it [ct.15.span ct.15.names ct.15.surface ct.15.is_error ct.15.principal ct.15.numbers ct.15.http gw.event.span gw.correlation.traceparent ct.17.effect.otel_exporter_otlp_endpoint]', async () => {
    plane.listen()
    const session = await openSession(plane.gateway, '2025-11-25', '/mcp/petstore', key.headers)
    const {
      first: span,
      values,
      traceId,
    } = await traced('getPetById', { id: 5 }, { headers: { ...key.headers, ...session } })
    expect(span).toMatchObject({ name: 'tool_call petstore__getPetById', kind: 3, parentSpanId: CALLER, events: [] })
    expect(span.status).toEqual({ code: 1 })
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThan(BigInt(span.startTimeUnixNano))
    expect(values).toEqual({
      'mcp.tool': 'petstore__getPetById',
      'mcp.client': 'petstore',
      'mcp.tool.name': 'getPetById',
      'mcp.surface': 'shard',
      'mcp.session_id': expect.stringMatching(/^[0-9a-f]{32}$/),
      'mcp.tool.is_error': false,
      'gantry.request_id': `of-${traceId}`,
      'gantry.principal_kind': 'key',
      'gantry.key_id': key.id,
      'gantry.attempts': 1,
      'gantry.target': 'primary',
      'gantry.response_bytes': expect.any(Number),
      'gantry.overhead_ms': expect.any(Number),
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
    })
    const { spanId } = span
    expect(plane.received[0]?.headers.traceparent).toBe(formatTraceparent({ traceId, spanId, flags: 1 }))
  })

  it('is one also without a trace of the caller, or with one that declines: a caller cannot hide', async () => {
    const hidden = randomBytes(16).toString('hex')
    await plane.calling('getPetById', { id: 1 }, { ...key.headers, traceparent: `00-${hidden}-${CALLER}-00` })
    await collector.of(hidden)
    const own = `own-${hidden}`
    await plane.calling('getPetById', { id: 1 }, { ...key.headers, 'x-request-id': own })
    const find = (span: WireSpan): boolean => valuesOf(span.attributes)['gantry.request_id'] === own
    const span = await vi.waitFor(() => first(collector.spans().filter(find)), WAIT)
    expect(span).not.toHaveProperty('parentSpanId')
  })

  it('reveals nothing of what was sent and answered, also where that went wrong [ct.15.no-arguments] (security case Secret)', async () => {
    const canary = 'canary-7f3a'
    plane.shop.answer = (request, response) => {
      response.writeHead(request.method === 'POST' ? 200 : 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ text: canary }))
    }
    const ok = await traced('addPet', { name: canary, __confirm: true })
    const bad = await traced('getPetById', { id: 5, note: canary })
    const wrong = await traced('getPetById', { id: canary })
    expect([ok, bad, wrong].map(({ first: { status } }) => status)).toEqual([
      { code: 1 },
      { code: 2, message: 'upstream_status' },
      { code: 2, message: 'invalid_arguments' },
    ])
    const stored = await Promise.all([ok, bad, wrong].map(({ traceId }) => kept(traceId)))
    expect(JSON.stringify([ok.spans, bad.spans, wrong.spans, stored])).not.toContain(canary)
  })

  it('that fails, is refused, or finds no tool says why, and nothing beside it [ct.15.failure_kind ct.15.deny ct.15.resource]', async () => {
    const broken = await traced('broken')
    expect(broken.values).toMatchObject({
      'gantry.failure_kind': 'upstream_status',
      'http.response.status_code': 500,
      'mcp.tool.is_error': true,
    })
    const refused = await traced('deletePet', { id: 5 })
    expect(refused.first.status).toEqual({ code: 2, message: 'confirm_required' })
    expect(refused.values).toMatchObject({
      'mcp.deny_code': 'confirm_required',
      'mcp.deny_gate': 'confirmation',
      'mcp.tool.is_error': true,
      'gantry.attempts': 0,
    })
    const unknown = await traced('nothing-of-ours')
    expect(unknown.first).toMatchObject({ name: 'tool_call unknown', parentSpanId: CALLER })
    expect(unknown.values).toMatchObject({ 'mcp.client': 'petstore', 'mcp.deny_code': 'unknown_tool' })
    expect(JSON.stringify(unknown.spans)).not.toContain('nothing-of-ours')

    const has = ({ values }: { values: Values }, prefix: string) =>
      Object.keys(values).some((k) => k.startsWith(prefix))
    const dispatched = await traced('ok')
    expect(
      [broken, refused, unknown, dispatched].map((one) => [has(one, 'mcp.deny'), has(one, 'gantry.failure')]),
    ).toEqual([
      [false, true],
      [true, false],
      [true, false],
      [false, false],
    ])
    expect([broken, refused, unknown].map((one) => has(one, 'http.'))).toEqual([true, false, false])
  })

  it('that its caller gave up is neither good nor bad [ct.15.resource]', async () => {
    const session = await openSession(plane.gateway, '2025-11-25', '/mcp/petstore', key.headers)
    const headers = { ...key.headers, ...session }
    const traceId = randomBytes(16).toString('hex')
    const calling = rpc(
      plane.gateway,
      'tools/call',
      { name: 'hang', arguments: {} },
      { id: 'given-up', headers: { ...headers, traceparent: `00-${traceId}-${CALLER}-01` } },
    )
    await vi.waitFor(() => expect(plane.shop.seen).toContain('GET /hang'), WAIT)
    await plane.gateway.ask('/mcp/petstore', {
      method: 'POST',
      headers,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'given-up' } },
    })
    await calling
    expect(first(await collector.of(traceId)).status).toEqual({ code: 0 })
  })

  it('says that it was tried again, answered from the cache, or kept off by the breaker [ct.15.span]', async () => {
    let asked = 0
    plane.shop.answer = (_request, response) => {
      asked += 1
      response.writeHead(asked === 1 ? 503 : 200, { 'content-type': 'application/json' }).end('{}')
    }
    const { first: span, values } = await traced('ok')
    expect(span.events.map(({ name, attributes }) => [name, valuesOf(attributes)])).toEqual([
      ['retry', { 'gantry.attempt': 2, 'gantry.failure_kind': 'upstream_status', 'http.response.status_code': 503 }],
    ])
    const at = BigInt(span.events[0]?.timeUnixNano ?? 0)
    expect(at >= BigInt(span.startTimeUnixNano) && at <= BigInt(span.endTimeUnixNano)).toBe(true)
    expect(values['gantry.attempts']).toBe(2)

    plane.shop.answer = undefined
    await configure(plane.gateway, 'getPetById', { cache: { enabled: true, ttlSeconds: 60 } })
    const miss = await traced('getPetById', { id: 77 })
    const hit = await traced('getPetById', { id: 77 })
    await configure(plane.gateway, 'getPetById', { cache: null })
    expect([miss.values['gantry.cache'], hit.values['gantry.cache']]).toEqual(['miss', 'hit'])
    expect([miss, hit].map(({ first: { events } }) => events.map(({ name }) => name))).toEqual([[], ['cache_hit']])
    // No backend was asked.
    expect([hit.values['gantry.attempts'], hit.values['http.request.method']]).toEqual([0, undefined])

    const { gateway } = plane
    await change(gateway, '/admin-api/clients/bank', { guards: { circuitBreaker: { failureThreshold: 1 } } })
    await traced('broken', {}, { path: '/mcp/bank' })
    const off = await traced('ok', {}, { path: '/mcp/bank' })
    await gateway.admin('/admin-api/clients/bank/circuit-breaker/reset', { method: 'POST', body: {} })
    await change(gateway, '/admin-api/clients/bank', { guards: null })
    expect(off.values['mcp.deny_code']).toBe('circuit_open')
    expect(off.first.events.map(({ name, attributes }) => [name, valuesOf(attributes)])).toEqual([
      ['breaker_refused', { 'gantry.reason': 'open' }],
    ])
  })

  it('names the bundle it came through, and the server that answered [ct.15.surface ct.15.http]', async () => {
    const { gateway, bank } = plane
    await make(gateway, 'bundles', { name: 'kit', tools: [member('petstore', 'ok')] })
    const second = { secondaryBaseUrl: bank.url.replace('127.0.0.1', 'localhost'), weight: 100 }
    const set = await gateway.admin('/admin-api/clients/petstore/canary', { method: 'PUT', body: second })
    expect([set.status, set.text]).toEqual([200, expect.any(String)])
    const { values } = await traced('petstore__ok', {}, { path: custom('kit') })
    await gateway.admin('/admin-api/clients/petstore/canary', { method: 'DELETE' })
    expect(values).toMatchObject({
      'mcp.surface': 'bundle',
      'mcp.bundle': 'kit',
      'gantry.target': 'canary',
      'server.address': 'localhost',
    })
  })
})

it('the code of a refusal, and whose request it was, is the same in every record [ct.5.8.same-code gw.error.7-code-recorded ct.1.9.traced ct.14.mcp_otel_spans_total ct.2.3.o-observes ct.19.21.operator]', async () => {
  const { gateway } = plane
  const count = async (): Promise<number> =>
    (await reading(gateway))('mcp_tool_refusals_total{code="confirm_required"}')
  const before = await count()
  const { values, traceId } = await traced('deletePet', { id: 5 })
  expect((await count()) - before).toBe(1)
  const operator = await aUser(gateway, 'olga', 'operator')
  const asked = `client=petstore&tool=deletePet&limit=1`
  const newest = async (list: string): Promise<Fields> => {
    const { items } = await get(`/admin-api/${list}?${asked}`, operator)
    const [row] = items as Fields[] // a list
    return row ?? {}
  }
  const same = { denyCode: 'confirm_required', requestId: `of-${traceId}`, traceId }
  await vi.waitFor(async () => expect(await newest('traffic')).toMatchObject(same), WAIT)
  expect(await newest('calls')).toMatchObject(same)
  expect(values).toMatchObject({ 'mcp.deny_code': same.denyCode, 'gantry.request_id': same.requestId })
  const viewer = await aUser(gateway, 'vito', 'viewer')
  for (const path of ['calls', 'traffic', 'traces', 'clients/petstore/tools/ok/diagnose'])
    expect([path, (await gateway.ask(`/admin-api/${path}`, { headers: viewer })).status]).toEqual([path, 403])
  const grown = await reading(gateway)
  expect(grown('mcp_otel_spans_total{outcome="success"}')).toBeGreaterThan(0)
  expect(grown('mcp_traffic_rows_total')).toBeGreaterThan(0)
})

describe('a composite', () => {
  it('is a parent, and each of its steps a child of it [ct.15.span ct.15.step]', async () => {
    const { name, bundle } = await compositeInABundle(plane.gateway, {
      steps: [step('petstore', 'ok'), step('bank', 'broken', {}, { onError: 'continue' }), step('bank', 'ok')],
    })
    const { spans, traceId } = await traced(name, {}, { path: custom(bundle), spans: 4 })
    const parent = first(spans.filter(({ parentSpanId }) => parentSpanId === CALLER))
    expect(parent).toMatchObject({ name: `composite ${name}`, kind: 1 })
    expect(valuesOf(parent.attributes)).toMatchObject({
      'mcp.tool': name,
      'mcp.surface': 'bundle',
      'mcp.bundle': bundle,
    })
    const children = spans.filter((span) => span !== parent)
    expect(
      children.map((child) => {
        const values = valuesOf(child.attributes)
        return [child.parentSpanId, child.name, child.kind, values['mcp.step'], values['mcp.surface']]
      }),
    ).toEqual([
      [parent.spanId, 'tool_call petstore__ok', 3, 0, 'composite'],
      [parent.spanId, 'tool_call bank__broken', 3, 1, 'composite'],
      [parent.spanId, 'tool_call bank__ok', 3, 2, 'composite'],
    ])
    for (const child of children) {
      expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano))
      expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent.endTimeUnixNano))
    }
    await kept(traceId, 4)
    const summary = first((await listed('limit=200')).filter((each) => each.traceId === traceId))
    expect(summary).toMatchObject({ spanCount: 4, mcpToolName: name, client: null, hasError: true })
  })
})

describe('an export', () => {
  it('names service, version and instance, and carries what the operator gave [ct.15.export ct.15.resource gw.setting.otel_service_name ct.17.effect.otel_exporter_otlp_headers]', async () => {
    await traced('ok')
    const { path, headers, body: sent } = first(collector.received)
    expect(path).toBe('/otel/v1/traces')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-tenant': 'blue',
      authorization: 'Basic YWI=',
    })
    const { version } = await get('/admin-api/overview')
    expect(valuesOf(sent.resourceSpans[0].resource.attributes)).toEqual({
      'service.name': 'shop front',
      'service.version': version,
      'service.instance.id': 'here-1',
    })
    expect(sent.resourceSpans[0].scopeSpans[0].scope).toEqual({ name: 'gantry', version })
  })

  it('is counted, and failures cost no call', async () => {
    const count = (outcome: string) => `mcp_otel_spans_total{outcome="${outcome}"}`
    const before = await reading(plane.gateway)
    collector.answer = (response) => void response.writeHead(503).end()
    await traced('ok')
    collector.answer = (response) => void response.end('{"partialSuccess":{"rejectedSpans":"1"}}')
    await traced('ok')
    collector.answer = undefined
    await traced('ok')
    const grown = async (): Promise<readonly number[]> => {
      const after = await reading(plane.gateway)
      return ['failure', 'success'].map((outcome) => after(count(outcome)) - before(count(outcome)))
    }
    await vi.waitFor(async () => expect(await grown()).toEqual([2, 1]), WAIT)
  })

  it('goes when a batch is full, after two seconds, and when the gateway stops [ct.15.export gw.setting.otel_max_batch]', async () => {
    const own = await openCollector()
    onTestFinished(own.close)
    const endpoint = `${own.url}/v1/traces`
    const gateway = await aShopGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_MAX_BATCH: '3' })
    await register(gateway, plane.shop)
    const calling = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) await call(gateway, 'ok')
    }
    const came = (spans: number) => vi.waitFor(() => expect(own.spans()).toHaveLength(spans), WAIT)
    await calling(7)
    await came(7)
    // Their stages go with them.
    const sizes = own.received.map(({ body: sent }) => callsIn(sent).length)
    expect(Math.max(...sizes)).toBe(3)
    expect(first(own.received).path).toBe('/v1/traces')
    await calling(1)
    await gateway.stop()
    expect(own.spans()).toHaveLength(8)
  })

  it('is given up after the timeout, and nothing is kept unless configured [gw.setting.otel_export_timeout_ms ct.7.7.traces gw.setting.trace_storage]', async () => {
    const silent = await openCollector()
    onTestFinished(silent.close)
    silent.answer = () => undefined
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: silent.url, OTEL_MAX_BATCH: '1', OTEL_EXPORT_TIMEOUT_MS: '100' }
    const gateway = await aShopProcess(env)
    await register(gateway, plane.shop)
    await call(gateway, 'ok')
    const failures = async () => (await reading(gateway))('mcp_otel_spans_total{outcome="failure"}')
    await vi.waitFor(async () => expect(await failures()).toBe(1), WAIT)
    expect(gateway.output()).toContain('spans were not exported')
    expect(body(await gateway.admin('/admin-api/traces'))).toEqual({ items: [] })
    await call(gateway, 'ok')
    expect((await gateway.stop()).code).toBe(0)
  })
})

describe('the traces', () => {
  it('are listed newest first, found by what they hold, and read span by span [ct.7.7.traces ct.7.7.trace ct.7.7.top-sessions ct.10.13.trace ct.10.13.span ct.1.4.ms-only gw.event.trace-storage gw.setting.trace_storage]', async () => {
    const since = Date.now()
    const { path } = { path: '/mcp/bank' }
    const session = await openSession(plane.gateway, '2025-11-25', path, key.headers)
    const headers = { ...key.headers, ...session }
    const one = await traced('ok', {}, { path, headers })
    const two = await traced('broken', {}, { path, headers })
    const three = await traced('getPetById', { id: 1 }, { path, headers })
    for (const { traceId } of [one, two, three]) await kept(traceId)
    const ids = async (query: string): Promise<readonly string[]> =>
      (await listed(`client=bank&from=${since}&${query}`)).map(({ traceId }) => traceId)
    const all = [three, two, one].map(({ traceId }) => traceId)
    expect(await ids('')).toEqual(all)
    expect(await ids('tool=ok')).toEqual([one.traceId])
    expect(await ids('outcome=error')).toEqual([two.traceId])
    expect(await ids('minMs=3600000')).toEqual([])
    expect(await ids('minMs=0')).toEqual(all)
    expect(await ids(`to=${since - 1}`)).toEqual([])
    const hash = String(one.values['mcp.session_id'])
    expect(await ids(`session_id=${hash}`)).toEqual(all)
    expect(await ids('session_id=missing')).toEqual([])

    const page = await get(`/admin-api/traces?client=bank&from=${since}&limit=2`)
    expect((page.items as TraceSummary[]).map(({ traceId }) => traceId)).toEqual(all.slice(0, 2))
    expect(await ids(`cursor=${String(page.nextCursor)}`)).toEqual(all.slice(2))

    const [summary] = await listed(`client=bank&from=${since}&tool=broken`)
    expect(TraceSummary.strict().parse(summary)).toMatchObject({
      spanCount: 1,
      mcpToolName: 'bank__broken',
      client: 'bank',
      sessionId: hash,
      hasError: true,
      denyCode: null,
    })
    const [span] = await kept(two.traceId)
    const known = StoredSpan.strict().parse(span)
    expect(known).toMatchObject({ kind: 'CLIENT', statusCode: 2, parentSpanId: CALLER, spanId: two.first.spanId })
    expect(known.attributes).toEqual(two.values)
    expect([summary?.startMs, summary?.endMs]).toEqual([known.startMs, known.endMs])
    expect(known.startMs).toBeGreaterThan(since - 1_000)
    expect(summary?.durationMs).toBeCloseTo(known.endMs - known.startMs, 2)

    const { items } = await get(`/admin-api/traces/top-sessions?from=${since}&limit=1`)
    expect(items).toEqual([{ sessionId: hash, calls: 3, errors: 1, hasError: true, client: 'bank' }])
  })

  it('that are not there answer 404, and questions that make no sense 400 [ct.18.trace_not_found]', async () => {
    for (const id of ['0'.repeat(32), 'nothing', '%00'])
      expect(code(await plane.gateway.admin(`/admin-api/traces/${id}`))).toBe('TRACE_NOT_FOUND')
    for (const query of ['minMs=x', 'outcome=odd', 'cursor=x', 'from=never', 'other=1'])
      expect(code(await plane.gateway.admin(`/admin-api/traces?${query}`))).toBe('VALIDATION_ERROR')
  })

  it('are for operators, and a team reads and removes those of its own [ct.7.7.traces-delete] (security case TN-04)', async () => {
    const { gateway } = plane
    const [viewer, operator] = await Promise.all([aUser(gateway, 'vera', 'viewer'), aUser(gateway, 'otto', 'operator')])
    for (const path of ['/admin-api/traces', '/admin-api/traces/top-sessions', `/admin-api/traces/${'1'.repeat(32)}`])
      expect((await gateway.ask(path, { headers: viewer })).status).toBe(403)
    await get('/admin-api/traces', operator)
    expect((await gateway.ask('/admin-api/traces', { method: 'DELETE', headers: operator })).status).toBe(403)

    const team = body(await gateway.admin('/admin-api/teams', { method: 'POST', body: { name: 'bankers' } }))
    await gateway.admin('/admin-api/clients/bank/team', { method: 'PUT', body: { teamId: team.id } })
    const username = 'bea'
    const password = passwordOf(username)
    const person = { username, password, role: 'admin', teamId: team.id }
    await gateway.admin('/admin-api/users', { method: 'POST', body: person })
    const theirs = await signIn(gateway, username, password)
    const own = await traced('ok', {}, { path: '/mcp/bank' })
    const other = await traced('ok')
    await Promise.all([kept(own.traceId), kept(other.traceId)])

    const seen = (await get('/admin-api/traces?limit=200', theirs)).items as TraceSummary[] // a list
    expect(new Set(seen.map(({ client }) => client))).toEqual(new Set(['bank']))
    expect(seen[0]?.traceId).toBe(own.traceId)
    expect(code(await gateway.ask(`/admin-api/traces/${other.traceId}`, { headers: theirs }))).toBe('TRACE_NOT_FOUND')
    const sessions = (await get('/admin-api/traces/top-sessions', theirs)).items as { client: string }[] // a list
    expect(new Set(sessions.map(({ client }) => client))).toEqual(new Set(['bank']))
    const usual = async (client: string, headers?: Env) =>
      (await get(`/admin-api/traces/usual?client=${client}&tool=ok`, headers)).calls
    expect(await usual('bank', theirs)).not.toBe(0)
    expect(await usual('petstore')).not.toBe(0)
    expect(await usual('petstore', theirs)).toBe(0)

    const removed = await gateway.ask('/admin-api/traces', { method: 'DELETE', headers: theirs })
    expect(body(removed)).toEqual({ removed: seen.length })
    expect((await get('/admin-api/traces', theirs)).items).toEqual([])
    await kept(other.traceId)
    const left = await listed('limit=200')
    expect(body(await gateway.admin('/admin-api/traces', { method: 'DELETE' }))).toEqual({ removed: left.length })
    expect(await listed('')).toEqual([])
    const { items } = await get('/admin-api/audit-log?action=traces.purge')
    expect((items as { actor: string; detail: Fields }[]).map(({ actor, detail }) => [actor, detail.removed])).toEqual([
      [expect.stringMatching(/^bearer:/), left.length],
      ['bea', seen.length],
    ])
  })
})
