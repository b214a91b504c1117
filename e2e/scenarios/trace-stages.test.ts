// The stages of real calls: over TLS, to a slow upstream, retried, held for an approval, in a composite; stored, exported, compared.
import { randomBytes } from 'node:crypto'
import { createServer, type Server as TlsServer } from 'node:https'
import tls from 'node:tls'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StoredSpan, type TraceStage, UsualStages } from '../../gateway/contract/admin/traces.ts'
import { aLeaf, anAuthority } from '../../gateway/net/certificates.fixture.ts'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { type Collector, openCollector, WAIT } from './collector.fixture.ts'
import { compositeInABundle, step } from './composites.fixture.ts'
import { custom } from './curation.fixture.ts'
import { ROOMY, rpc } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'

const NAME = 'localhost'
const authority = anAuthority()
const before = tls.getCACertificates('default')
const SLOW_MS = 60
/** Timers of another process may end a little early by this one's clock. */
const AT_LEAST_MS = SLOW_MS - 10

let server: TlsServer
let collector: Collector
let gateway: Gateway
let refusals = 0
beforeAll(async () => {
  tls.setDefaultCACertificates([...before, authority.certificate])
  // Connections stay for the next call, however slow the machine is.
  server = createServer({ keepAliveTimeout: 120_000, ...aLeaf(NAME, authority) }, (request, response) => {
    response.setHeader('content-type', 'application/json')
    const { pathname } = new URL(request.url ?? '', `https://${NAME}`)
    if (pathname === '/slow') {
      setTimeout(() => {
        response.write('{"ok":')
        setTimeout(() => response.end('true}'), SLOW_MS)
      }, SLOW_MS)
    } else {
      response.statusCode = pathname === '/flaky' && refusals++ % 2 === 0 ? 503 : 200
      response.end('{"ok":true}')
    }
  })
  const { port } = await listening(server)
  collector = await openCollector()
  gateway = await startGateway({
    ...ROOMY,
    TRACE_STORAGE: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_MAX_BATCH: '1',
    RETRY_BASE_DELAY_MS: '20',
    // A probe would open the connection that the first call is to open.
    HEALTH_CHECK_INTERVAL_MS: '86400000',
  })
  const tools = ['fast', 'slow', 'flaky', 'held'].map((name) => ({
    name,
    method: 'GET',
    endpoint: `/${name}`,
    description: name,
  }))
  const body = { name: 'remote', base_url: `https://${NAME}:${port}`, tools }
  const made = await gateway.admin('/register', { method: 'POST', body })
  expect([made.status, made.text]).toEqual([200, expect.any(String)])
})
afterAll(async () => {
  await gateway.end()
  await collector.close()
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  tls.setDefaultCACertificates(before)
})

const spansOf = (traceId: string, count = 1): Promise<StoredSpan[]> =>
  vi.waitFor(async () => {
    const { json } = await gateway.admin(`/admin-api/traces/${traceId}`)
    const { spans = [] } = json as { spans?: unknown[] } // a trace, or an error until it is stored
    expect(spans).toHaveLength(count)
    return spans.map((span) => StoredSpan.parse(span))
  }, WAIT)

async function traced(name: string, path = '/mcp/remote', count = 1): Promise<StoredSpan[]> {
  const traceId = randomBytes(16).toString('hex')
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  await rpc(gateway, 'tools/call', { name, arguments: {} }, { path, headers })
  return spansOf(traceId, count)
}
const oneOf = async (name: string): Promise<StoredSpan> => {
  const [span] = await traced(name)
  if (!span) throw new Error('no span')
  return span
}
/** A queue of half a millisecond is in the trace of a busy machine, too. */
const namesOf = ({ stages }: StoredSpan): string[] => stages.flatMap(({ name }) => (name === 'queue' ? [] : [name]))
const tookOf = ({ stages }: StoredSpan, name: TraceStage['name']): number =>
  stages.reduce((sum, stage) => (stage.name === name ? sum + stage.endMs - stage.startMs : sum), 0)

describe('the stages of a call', () => {
  it('have connect and TLS once per connection, lie in their span, and are exported below it', async () => {
    const first = await oneOf('fast')
    const second = await oneOf('fast')
    expect(namesOf(first)).toEqual(['guards', 'attempt', 'connect', 'tls', 'wait', 'body'])
    expect(namesOf(second)).toEqual(['guards', 'attempt', 'wait', 'body'])
    for (const { startMs, endMs, stages } of [first, second])
      for (const stage of stages) {
        expect(stage.startMs).toBeGreaterThanOrEqual(startMs)
        expect(stage.endMs).toBeGreaterThanOrEqual(stage.startMs)
        expect(stage.endMs).toBeLessThanOrEqual(endMs)
      }
    await collector.of(first.traceId)
    const exported = collector.stages(first.traceId)
    expect(exported.map(({ name }) => name)).toEqual(first.stages.map(({ name }) => `stage ${name}`))
    const attempt = exported.find(({ name }) => name === 'stage attempt')
    expect(attempt?.parentSpanId).toBe(first.spanId)
    expect(exported.find(({ name }) => name === 'stage tls')?.parentSpanId).toBe(attempt?.spanId)
  })

  it('show whether a slow upstream is slow to begin or slow to end', async () => {
    const span = await oneOf('slow')
    expect(tookOf(span, 'wait')).toBeGreaterThanOrEqual(AT_LEAST_MS)
    expect(tookOf(span, 'body')).toBeGreaterThanOrEqual(AT_LEAST_MS)
    expect(tookOf(span, 'attempt')).toBeGreaterThanOrEqual(2 * AT_LEAST_MS)
  })

  it('show each attempt and the time between them', async () => {
    const span = await oneOf('flaky')
    expect(namesOf(span).filter((name) => name !== 'connect' && name !== 'tls')).toEqual([
      'guards',
      'attempt',
      'wait',
      'body',
      'backoff',
      'attempt',
      'wait',
      'body',
    ])
    expect(span.stages.flatMap(({ name, failed }) => (name === 'attempt' ? [failed] : []))).toEqual([true, undefined])
    expect(tookOf(span, 'backoff')).toBeGreaterThanOrEqual(10)
  })

  it('show how long a person took to approve', async () => {
    const asked = await gateway.admin('/admin-api/clients/remote/tools/held', {
      method: 'PATCH',
      body: { approval: { required: true } },
    })
    expect(asked.status).toBe(200)
    const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      const id = /ticket (\d+)/.exec(params.message)?.[1]
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
      await gateway.admin(`/admin-api/approvals/${id}/approve`, { method: 'POST', body: {} })
      return { action: 'accept', content: { confirm: true } }
    })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/remote`)))
    const result = await client.callTool({ name: 'held', arguments: {} })
    await client.close()
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining('true') }] })
    const trace = await vi.waitFor(async () => {
      const { json } = await gateway.admin('/admin-api/traces?tool=held')
      const [item] = (json as { items: { traceId: string }[] }).items // a page
      if (!item) throw new Error('the trace is not stored yet')
      return item.traceId
    }, WAIT)
    const [span] = await spansOf(trace)
    expect(span && namesOf(span).slice(0, 3)).toEqual(['guards', 'approval', 'attempt'])
    expect(span && tookOf(span, 'approval')).toBeGreaterThanOrEqual(AT_LEAST_MS)
  })

  it('of a composite are those of its steps, below their own spans', async () => {
    const { name, bundle } = await compositeInABundle(gateway, {
      steps: [step('remote', 'fast'), step('remote', 'slow')],
    })
    const spans = await traced(name, custom(bundle), 3)
    const parent = spans.find((span) => span.name === `composite ${name}`)
    expect(parent?.stages).toEqual([])
    const steps = spans.filter((span) => span !== parent)
    expect(steps.map(({ parentSpanId }) => parentSpanId)).toEqual([parent?.spanId, parent?.spanId])
    for (const each of steps) expect(namesOf(each)).toEqual(expect.arrayContaining(['guards', 'attempt', 'wait']))
  })

  it('are compared with those of the latest calls of the tool', async () => {
    for (let calls = 0; calls < 5; calls++) await oneOf('slow')
    const { status, json } = await gateway.admin('/admin-api/traces/usual?client=remote&tool=slow')
    expect(status).toBe(200)
    const { calls, stages } = UsualStages.parse(json)
    expect(calls).toBeGreaterThanOrEqual(5)
    const wait = stages.find(({ name }) => name === 'wait')
    expect(wait?.samples).toBe(calls)
    expect(wait?.p50Ms).toBeGreaterThanOrEqual(AT_LEAST_MS)
    expect(wait?.p95Ms).toBeGreaterThanOrEqual(Number(wait?.p50Ms))
    const none = await gateway.admin('/admin-api/traces/usual?client=remote&tool=never')
    expect(none.json).toEqual({ calls: 0, stages: [] })
  })
})
