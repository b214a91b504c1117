import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { aReceiver, someWebhooks } from './receiver.fixture.ts'

const LONG_MS = 20_000
const HERE = ['127.0.0.1']
const hookTo = (url: string, timeoutMs = LONG_MS) => ({
  sink: 'alert',
  url,
  timeoutMs,
  event: 'error_rate',
  fields: {},
})

describe('a delivery', () => {
  it('contains event, id and sender [ct.11.1.headers ct.11.2.common]', async () => {
    const { deliver } = someWebhooks()
    const { url, received } = await aReceiver()
    const ended = await deliver({ ...hookTo(url), fields: { rule: 'loud' } }, HERE)
    expect(ended).toEqual({ ok: true, httpStatus: 200, error: null, durationMs: expect.any(Number) })
    const [{ headers, json } = expect.fail('nothing came')] = received
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Gantry/1.2.3',
      'x-gantry-event': 'error_rate',
      'x-gantry-delivery': json.id,
    })
    expect(headers).not.toHaveProperty('x-gantry-signature')
    expect(json).toEqual({
      event: 'error_rate',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.stringMatching(/Z$/),
      gateway: { name: 'gantry', version: '1.2.3', instanceId: 'here', url: null },
      rule: 'loud',
    })
  })

  it('is signed over time and exact bytes if there is a secret [ct.11.1.signature]', async () => {
    const secret = 'a secret of sixteen and more'
    const { deliver } = someWebhooks(secret)
    const { url, received } = await aReceiver()
    await deliver(hookTo(url), HERE)
    const [{ headers, text } = expect.fail('nothing came')] = received
    const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gantry-signature'])) ?? []
    expect(createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')).toBe(mac)
  })

  it.each<[string, (response: ServerResponse) => void, number]>([
    ['201', (response) => void response.writeHead(201).end('thanks'), 201],
    ['204', (response) => void response.writeHead(204).end(), 204],
    ['200 and more than is read', (response) => void response.end('x'.repeat(1_000_000)), 200],
    [
      '200 in an unknown coding',
      (response) => void response.writeHead(200, { 'content-encoding': 'zz' }).end('x'),
      200,
    ],
  ])('that is answered %s is one [ct.11.1.success]', async (_case, answer, httpStatus) => {
    const { deliver, metrics } = someWebhooks()
    const { url, state } = await aReceiver()
    state.answer = answer
    expect(await deliver(hookTo(url), HERE)).toMatchObject({ ok: true, httpStatus, error: null })
    expect(metrics.read('mcp_webhook_deliveries_total', { sink: 'alert', outcome: 'success' }).value).toBe(1)
  })

  it('fails on a refusal or redirect, without a retry [ct.11.1.success]', async () => {
    const { deliver, warned, metrics } = someWebhooks()
    const { url, state, received } = await aReceiver()
    state.answer = (response) => void response.writeHead(503).end('no room')
    expect(await deliver(hookTo(url), HERE)).toMatchObject({ ok: false, httpStatus: 503, error: 'it answered 503' })
    state.answer = (response) => void response.writeHead(307, { location: `${url}/elsewhere` }).end()
    expect(await deliver(hookTo(url), HERE)).toMatchObject({ ok: false, httpStatus: 307 })
    expect(received.map(({ path }) => path)).toEqual(['/hook', '/hook'])
    expect(metrics.read('mcp_webhook_deliveries_total', { sink: 'alert', outcome: 'failure' }).value).toBe(2)
    // Neither its answer nor its address is revealed.
    expect(warned).toEqual([503, 307].map((status) => expect.objectContaining({ reason: `it answered ${status}` })))
    expect(JSON.stringify(warned)).not.toMatch(/no room|127\.0\.0\.1/)
  })

  it('fails without a listener, or on timeout', async () => {
    const { deliver } = someWebhooks()
    const { url, state } = await aReceiver()
    state.answer = () => undefined
    expect(await deliver(hookTo(url, 100), HERE)).toMatchObject({
      ok: false,
      httpStatus: null,
      error: 'no complete answer within 100 ms',
    })
    expect(await deliver(hookTo('http://127.0.0.1:1/'), HERE)).toMatchObject({ ok: false, httpStatus: null })
  })

  it('to a stored URL uses only its checked addresses, by the current rules [ct.11.1.stored-urls] (security case LK-05)', async () => {
    const { url, received } = await aReceiver()
    const strict = someWebhooks(null, { allowPrivate: false })
    const blocked = { ok: false, httpStatus: null, error: expect.stringContaining('permitted public address') }
    expect(await strict.deliver(hookTo(url), HERE)).toMatchObject(blocked)
    // The name resolves to an internal address now.
    const moved = someWebhooks(null, { allowPrivate: false, resolve: async () => HERE })
    expect(await moved.deliver(hookTo('http://hooks.example/'), ['93.184.216.34'])).toMatchObject(blocked)
    expect(received).toEqual([])
    // The operator's own address is not checked.
    expect(await strict.deliver(hookTo(url), null)).toMatchObject({ ok: true })
  })

  it('is dropped when too many are in flight, for that sink only', async () => {
    const { deliver, send, metrics } = someWebhooks()
    const { url, state, received } = await aReceiver()
    const held: ServerResponse[] = []
    state.answer = (response) => void held.push(response)
    const waiting = Array.from({ length: 32 }, () => deliver(hookTo(url), HERE))
    expect(await deliver(hookTo(url), HERE)).toMatchObject({ ok: false, error: 'too many deliveries are under way' })
    const read = (sink: string, outcome: string) =>
      metrics.read('mcp_webhook_deliveries_total', { sink, outcome }).value
    expect(read('alert', 'dropped')).toBe(1)
    state.answer = (response) => void response.end()
    send({ ...hookTo(url), sink: 'monitor' })
    const flush = setInterval(() => held.splice(0).forEach((response) => response.end()), 5)
    expect(await Promise.all(waiting)).toHaveLength(32)
    await vi.waitFor(() => expect(read('monitor', 'success')).toBe(1), { timeout: LONG_MS })
    clearInterval(flush)
    expect(received).toHaveLength(33)
  })
})
