// The audit log as it leaves the machine: one gateway, and a collector that is there, away, and there again.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { FIRST_ADMIN, type Gateway, startGateway } from './gateway.fixture.ts'
import { openReceiver, type Receiver } from './receiver.fixture.ts'

const SECRET = 'a secret that signs the webhooks'
const PATIENCE = { timeout: 20_000 }
let sink: Receiver
let gateway: Gateway
beforeAll(async () => {
  sink = await openReceiver()
  gateway = await startGateway({
    ...FIRST_ADMIN,
    // Loopback is not for backends here; the operator's own collector is not questioned.
    ALLOW_PRIVATE_IPS: 'false',
    AUDIT_SINK_URL: sink.url,
    // Long enough that no delivery is given up because this machine is busy: it would be made twice.
    AUDIT_SINK_TIMEOUT_MS: '4000',
    WEBHOOK_SIGNING_SECRET: SECRET,
  })
})
afterAll(async () => {
  await gateway.end()
  sink.close()
})

const ids = (): number[] => sink.received.map(({ json }) => Number(json.entry_id))
const counted = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)
const make = (name: string) => gateway.admin('/admin-api/teams', { method: 'POST', body: { name } })
const newest = async (): Promise<number> => {
  const { items } = (await gateway.admin('/admin-api/audit-log?limit=1')).json as { items: { id: number }[] }
  return items[0]?.id ?? 0
}
const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'm').exec((await gateway.admin('/metrics')).text)?.[1] ?? 0)

it('receives every entry from the first, one by one in order, as the log has it [gw.event.audit gw.durability.sink ct.17.effect.audit_sink_url ct.19.26.sinks]', async () => {
  // At the same moment: the order is that of the chain.
  await Promise.all(counted(1, 20).map((number) => make(`team ${number}`)))
  const last = await newest()
  await vi.waitFor(() => expect(ids()).toEqual(counted(1, last)), PATIENCE)
  expect(sink.received.map(({ json }) => json.action)).toContain('system.bootstrap_admin')
  const log = await gateway.admin('/admin-api/audit-log?limit=200')
  const { items } = log.json as { items: { id: number; detail: unknown }[] }
  const message = sink.received.map(({ json }) => {
    const { event, id: _delivery, timestamp: _timestamp, gateway: sender, entry_id: id, ...entry } = json
    expect([event, sender]).toEqual(['audit', expect.objectContaining({ name: 'gantry' })])
    return { id, ...entry }
  })
  expect(message.toReversed()).toEqual(items)
})

it('is signed as every webhook is [ct.17.effect.webhook_signing_secret]', () => {
  const [{ headers, text } = expect.fail('nothing came')] = sink.received
  const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gantry-signature'])) ?? []
  expect(createHmac('sha256', SECRET).update(`${at}.${text}`).digest('hex')).toBe(mac)
  expect(headers['x-gantry-event']).toBe('audit')
})

it('delays nothing while the collector is silent, and gets what waited once it answers [gw.setting.audit_sink_timeout_ms ct.14.mcp_webhook_deliveries_total]', async () => {
  const before = sink.received.length
  sink.answers = 'never'
  expect((await make('while it is silent')).status).toBe(201)
  expect((await make('and again')).status).toBe(201)
  expect(await metric('mcp_audit_sink_queue')).toBeGreaterThanOrEqual(2)
  await vi.waitFor(
    async () =>
      expect(await metric('mcp_webhook_deliveries_total\\{sink="audit",outcome="failure"\\}')).toBeGreaterThan(0),
    PATIENCE,
  )
  sink.answers = 204
  const last = await newest()
  await vi.waitFor(async () => expect(await metric('mcp_audit_sink_queue')).toBe(0), PATIENCE)
  const late = ids().slice(before)
  expect([...new Set(late)]).toEqual(counted(last - 1, last))
  expect(late.filter((id) => id === last - 1).length).toBeGreaterThan(1)
})

it('receives the stop as well', async () => {
  await gateway.stop()
  expect(sink.received.at(-1)?.json).toMatchObject({ event: 'audit', action: 'system.stop' })
})
