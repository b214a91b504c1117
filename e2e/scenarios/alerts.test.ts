// Alert rules over real sockets: one gateway that checks them ten times a second, backends that fail, and a webhook that is notified.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call, openUpstream, ROOMY, register, type Upstream } from './data-plane.fixture.ts'
import { listen } from './events.fixture.ts'
import { type Answer, addUser, type Gateway, passwordOf, sessionOf, startGateway } from './gateway.fixture.ts'
import { openReceiver, type Received, type Receiver } from './receiver.fixture.ts'

const PATIENCE = { timeout: 20_000 }
const WINDOW_MS = 600_000
const ENV = {
  ...ROOMY,
  ALERT_INTERVAL_MS: '100',
  ALERT_WEBHOOK_TIMEOUT_MS: '3000',
  ALERT_ERROR_RATE_WINDOW_MS: String(WINDOW_MS),
  ANOMALY_RECENT_WINDOW_MS: String(WINDOW_MS),
  ANOMALY_BASELINE_WINDOW_MS: String(4 * WINDOW_MS),
  CIRCUIT_BREAKER_FAILURE_THRESHOLD: '3',
  CIRCUIT_BREAKER_RESET_TIMEOUT_MS: '600000',
  HEALTH_CHECK_INTERVAL_MS: '1000',
  MAX_CONSECUTIVE_FAILURES: '1',
}
let gateway: Gateway
let shop: Upstream
let receiver: Receiver
beforeAll(async () => {
  ;[gateway, shop, receiver] = await Promise.all([startGateway(ENV), openUpstream(), openReceiver()])
  for (const name of ['failing', 'busy', 'calm', 'closing']) await register(gateway, shop, name)
})
afterAll(async () => {
  await gateway.end()
  await shop.close()
  receiver.close()
})

type Rule = {
  readonly id: number
  readonly state: string
  readonly revision: number
  readonly lastDelivery: { readonly ok: boolean; readonly httpStatus: number | null } | null
}
const ALERTS = '/admin-api/alerts'
const codeOf = ({ status, json }: Answer): string =>
  `${status} ${(json as { error?: { code?: string } } | undefined)?.error?.code ?? ''}`.trim()
const inputOf = (name: string, over: object = {}) => ({
  name,
  eventType: 'error_rate',
  webhookUrl: `${receiver.url}/${name}`,
  ...over,
})
async function make(name: string, over: object = {}): Promise<Rule> {
  const answer = await gateway.admin(ALERTS, { method: 'POST', body: inputOf(name, over) })
  expect(answer.status, answer.text).toBe(201)
  return answer.json as Rule // by the status
}
const read = async (id: number): Promise<Rule> => (await gateway.admin(`${ALERTS}/${id}`)).json as Rule
const toldOf = (name: string): readonly Received[] => receiver.received.filter(({ path }) => path === `/hook/${name}`)
const report = async (name: string, times = 1): Promise<Received['json']> => {
  await vi.waitFor(() => expect(toldOf(name)).toHaveLength(times), PATIENCE)
  return toldOf(name)[times - 1]?.json ?? {}
}
/** All rules are checked at once: when a newer one was reported, the others were checked as well. */
let looks = 0
async function anotherLook(): Promise<void> {
  const name = `look-${(looks += 1)}`
  await call(gateway, 'ok', {}, '/mcp/calm')
  const { id } = await make(name, { client: 'calm', threshold: 0, minCalls: 1 })
  await report(name)
  await gateway.admin(`${ALERTS}/${id}`, { method: 'DELETE' })
}
const calls = async (client: string, tool: string, times: number): Promise<void> => {
  for (let turn = 0; turn < times; turn++) await call(gateway, tool, {}, `/mcp/${client}`)
}

describe('a rule', () => {
  it('is made with its webhook vetted, read, changed under its revision but for its event, and removed [ct.7.7.alerts ct.7.7.alert-create ct.7.7.alert ct.10.6.rule ct.13.2.alert ct.18.alert_not_found ct.18.immutable_field gw.route.usage]', async () => {
    const first = await make('first', { enabled: false })
    expect(first).toEqual({
      ...inputOf('first'),
      id: expect.any(Number),
      enabled: false,
      threshold: null,
      minCalls: null,
      client: null,
      state: 'ok',
      lastFiredAt: null,
      lastDelivery: null,
      teamId: null,
      revision: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      createdBy: expect.stringMatching(/^bearer:/),
    })
    const second = await make('second', { enabled: false, client: 'calm', threshold: 0.25, minCalls: 7 })
    const list = (await gateway.admin(`${ALERTS}?limit=2`)).json as { items: Rule[] }
    expect(list.items.map(({ id }) => id)).toEqual([second.id, first.id])
    const path = `${ALERTS}/${second.id}`
    const patch = (body: object) => gateway.admin(path, { method: 'PATCH', body })
    expect((await patch({ threshold: 0.5, revision: 1 })).json).toMatchObject({ threshold: 0.5, revision: 2 })
    expect(codeOf(await patch({ threshold: 0.6, revision: 1 }))).toBe('412 PRECONDITION_FAILED')
    expect(codeOf(await patch({ eventType: 'schema_drift' }))).toBe('409 IMMUTABLE_FIELD')
    expect(codeOf(await patch({ eventType: 'error_rate' }))).toBe('200')
    for (const { id } of [first, second])
      expect((await gateway.admin(`${ALERTS}/${id}`, { method: 'DELETE' })).status).toBe(204)
    for (const method of ['GET', 'DELETE'])
      expect(codeOf(await gateway.admin(path, { method }))).toBe('404 ALERT_NOT_FOUND')
    const log = (await gateway.admin('/admin-api/audit-log?action=alert.&target=second')).json
    expect((log as { items: { action: string }[] }).items.map(({ action }) => action)).toEqual([
      'alert.delete',
      'alert.update',
      'alert.create',
    ])
  })

  it.each([
    ['no address', { webhookUrl: 'hooks.example' }, '400 INVALID_URL'],
    ['another protocol', { webhookUrl: 'ftp://hooks.example/' }, '400 INVALID_URL'],
    ['an address inside a cloud', { webhookUrl: 'http://169.254.169.254/' }, '400 SSRF_BLOCKED'],
    ['a missing backend', { client: 'missing' }, '404 CLIENT_NOT_FOUND'],
    ['more than every call', { threshold: 1.5 }, '400 VALIDATION_ERROR'],
    ['an invalid factor', { eventType: 'usage_spike', threshold: 1 }, '400 VALIDATION_ERROR'],
    ['an unknown event', { eventType: 'full_moon' }, '400 VALIDATION_ERROR'],
  ])('is not made of %s', async (_case, over, code) => {
    expect(codeOf(await gateway.admin(ALERTS, { method: 'POST', body: inputOf('bad', over) }))).toBe(code)
  })

  it('needs an admin to create, change and try, and is readable by all [ct.2.3.a]', async () => {
    const { id } = await make('roles', { enabled: false })
    for (const role of ['viewer', 'operator'] as const) {
      await addUser(gateway, role, role)
      const body = { username: role, password: passwordOf(role) }
      const headers = sessionOf(await gateway.ask('/admin-api/auth/login', { method: 'POST', body }))
      expect((await gateway.ask(`${ALERTS}/${id}`, { headers })).status).toBe(200)
      for (const [method, path] of [
        ['POST', ''],
        ['PATCH', `/${id}`],
        ['DELETE', `/${id}`],
        ['POST', `/${id}/test`],
      ])
        expect(codeOf(await gateway.ask(ALERTS + path, { method: String(method), body: {}, headers }))).toBe(
          '403 FORBIDDEN',
        )
    }
  })

  it('is tried: its own event that says it is a test, and what came of it [ct.7.7.alert-test ct.11.3.test ct.18.webhook_failed gw.setting.alert_webhook_timeout_ms]', async () => {
    const { id } = await make('tried', { enabled: false })
    const attempt = () => gateway.admin(`${ALERTS}/${id}/test`, { method: 'POST' })
    expect((await attempt()).json).toEqual({ status: 'delivered', httpStatus: 204, durationMs: expect.any(Number) })
    const { headers, json } = toldOf('tried')[0] ?? expect.fail('nothing came')
    expect(headers['x-gantry-event']).toBe('error_rate')
    expect(json).toMatchObject({ event: 'error_rate', rule: 'tried', ruleId: id, test: true, detail: { test: true } })
    expect(await read(id)).toMatchObject({
      state: 'ok',
      lastFiredAt: null,
      lastDelivery: { ok: true, httpStatus: 204 },
    })
    for (const [answers, httpStatus, reason] of [
      [503, 503, 'it answered 503'],
      ['never', null, 'no complete answer within 3000 ms'],
    ] as const) {
      receiver.answers = answers
      const refused = await attempt()
      receiver.answers = 204
      expect(codeOf(refused)).toBe('502 WEBHOOK_FAILED')
      expect(refused.json).toMatchObject({ error: { details: { httpStatus, reason } } })
      expect(await read(id)).toMatchObject({ revision: 1, lastDelivery: { ok: false, httpStatus, error: reason } })
    }
  })
})

describe('what is reported', () => {
  it('is a breaker that opens, once, and again when another one does [ct.10.6.edge gw.breaker.open-alert gw.event.circuit_breaker_open gw.event.alert-leader gw.setting.alert_interval_ms gw.event.sinks ct.7.7.events-monitors]', async () => {
    const events = await listen(gateway, '?topics=alerts')
    const { id } = await make('breaker', { eventType: 'circuit_breaker_open' })
    await calls('failing', 'broken', 3)
    expect(await report('breaker')).toMatchObject({
      event: 'circuit_breaker_open',
      rule: 'breaker',
      ruleId: id,
      detail: { clients: ['failing'], added: ['failing'] },
    })
    expect(await events.until('"rule":"breaker"')).toContain('"type":"fired"')
    expect(await read(id)).toMatchObject({ state: 'firing', revision: 1, lastDelivery: { ok: true, httpStatus: 204 } })
    await anotherLook()
    expect(toldOf('breaker')).toHaveLength(1)
    await calls('busy', 'broken', 3)
    expect(await report('breaker', 2)).toMatchObject({ detail: { clients: ['busy', 'failing'], added: ['busy'] } })
    for (const name of ['busy', 'failing'])
      await gateway.admin(`/admin-api/clients/${name}/circuit-breaker/reset`, { method: 'POST' })
    await vi.waitFor(async () => expect(await read(id)).toMatchObject({ state: 'ok' }), PATIENCE)
    expect(toldOf('breaker')).toHaveLength(2)
  })

  it('is a share of errors and a rush of calls, by the calls of the window [gw.event.error_rate gw.event.usage_spike gw.setting.alert_error_rate_window_ms gw.setting.anomaly_recent_window_ms gw.setting.anomaly_baseline_window_ms]', async () => {
    await make('errors', { client: 'calm', threshold: 0.3, minCalls: 4 })
    await make('rush', { eventType: 'usage_spike', client: 'calm', threshold: 2, minCalls: 5 })
    await calls('calm', 'ok', 3)
    await calls('calm', 'broken', 2)
    const { detail: errors } = await report('errors')
    expect(errors).toMatchObject({ client: 'calm', threshold: 0.3, minCalls: 4, windowMs: WINDOW_MS })
    const { detail: rush } = await report('rush')
    // Nothing before: one call in the recent window is what is usual.
    expect(rush).toMatchObject({ client: 'calm', factor: 2, minCalls: 5, baselineRatePerMin: 60_000 / WINDOW_MS })
  })

  it('never fails a call, and is tried once [ct.11.1.one-attempt]', async () => {
    receiver.answers = 500
    const { id } = await make('refused', { client: 'calm', threshold: 0, minCalls: 1 })
    await report('refused')
    await vi.waitFor(
      async () =>
        expect(await read(id)).toMatchObject({ state: 'firing', lastDelivery: { ok: false, httpStatus: 500 } }),
      PATIENCE,
    )
    receiver.answers = 204
    expect((await call(gateway, 'ok', {}, '/mcp/calm')).isError).not.toBe(true)
    await anotherLook()
    expect(toldOf('refused')).toHaveLength(1)
  })

  it('is a backend that went away, and not again after a restart; no payload holds arguments or secrets [ct.10.6.edge gw.state.evicted-alert gw.event.client_unreachable ct.11.1.no-secrets]', async () => {
    const gone = await openUpstream()
    await register(gateway, gone, 'leaving')
    const { id } = await make('away', { eventType: 'client_unreachable' })
    await gone.close()
    const { detail } = await report('away')
    expect(detail).toEqual({
      clients: ['leaving'],
      added: ['leaving'],
      lastErrors: { leaving: expect.any(String) },
    })
    await vi.waitFor(async () => expect(await read(id)).toMatchObject({ lastDelivery: { ok: true } }), PATIENCE)
    await gateway.stop()
    gateway = await startGateway(ENV, gateway.folder)
    expect(await read(id)).toMatchObject({ state: 'firing' })
    await anotherLook()
    expect(toldOf('away')).toHaveLength(1)
    expect(JSON.stringify(receiver.received)).not.toMatch(/Bearer|args|admin-key/)
  })
})
