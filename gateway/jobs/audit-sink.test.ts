import { describe, expect, it, vi } from 'vitest'
import type { AuditEntry } from '../contract/admin/audit-log.ts'
import { aReceiver, someWebhooks } from '../live/receiver.fixture.ts'
import { createAuditSink } from './audit-sink.ts'

const TIMEOUT = { timeout: 20_000 }

const anEntry = (id: number): AuditEntry => ({
  id,
  prev_hash: id === 1 ? '' : `h${id - 1}`,
  actor: 'ann',
  action: 'bundle.create',
  target: 'kit',
  detail: { request_id: 'r-1' },
  created_at: '2026-01-02T03:04:05.000Z',
  hash: `h${id}`,
})

async function aSink(mostWaiting?: number) {
  const { url, received, state } = await aReceiver()
  const { deliver, metrics, log, warned } = someWebhooks()
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => void waits.push(ms)
  const sink = createAuditSink({
    webhooks: { deliver },
    url,
    timeoutMs: 20_000,
    log,
    metrics,
    wait,
    ...(mostWaiting === undefined ? {} : { mostWaiting }),
  })
  const ids = (): unknown[] => received.map(({ json }) => json.entry_id)
  const counted = (outcome: string) => metrics.read('mcp_webhook_deliveries_total', { sink: 'audit', outcome }).value
  const queue = () => metrics.read('mcp_audit_sink_queue').value
  return { ...sink, received, state, waits, warned, ids, counted, queue }
}

describe('the audit sink', () => {
  it('receives each entry separately, in order [ct.11.3.audit]', async () => {
    const { take, received, ids, queue } = await aSink()
    for (let id = 1; id <= 5; id++) take(anEntry(id))
    expect(queue()).toBe(5)
    await vi.waitFor(() => expect(queue()).toBe(0), TIMEOUT)
    expect(ids()).toEqual([1, 2, 3, 4, 5])
    const { id: _id, ...entry } = anEntry(2)
    expect(received[1]?.json).toMatchObject({ event: 'audit', entry_id: 2, ...entry })
    expect(received[1]?.json.id).toBe(received[1]?.headers['x-gantry-delivery'])
  })

  it('gets five attempts with backoff; then the entry is dropped, and the next one follows [ct.11.1.sink]', async () => {
    const { take, received, state, ids, waits, counted, queue, warned } = await aSink()
    let left = 5
    state.answer = (response) => void response.writeHead(left-- > 0 ? 500 : 204).end()
    take(anEntry(1))
    take(anEntry(2))
    await vi.waitFor(() => expect(queue()).toBe(0), TIMEOUT)
    expect(ids()).toEqual([1, 1, 1, 1, 1, 2])
    expect(waits).toEqual([1_000, 3_000, 10_000, 30_000])
    // All attempts of a delivery have the same id.
    expect(new Set(received.map(({ json }) => json.id)).size).toBe(2)
    expect([counted('failure'), counted('dropped'), counted('success')]).toEqual([5, 1, 1])
    expect(warned.at(-1)).toMatchObject({ entry: 1 })
  })

  it('has a limited queue: more entries are counted, and logged once [ct.11.1.sink]', async () => {
    const { take, state, ids, counted, queue, warned } = await aSink(3)
    let go: () => void = () => undefined
    state.answer = (response) => {
      go = () => {
        state.answer = (next) => void next.end()
        response.end()
      }
    }
    for (let id = 1; id <= 6; id++) take(anEntry(id))
    expect(queue()).toBe(3)
    expect(counted('dropped')).toBe(3)
    expect(warned).toHaveLength(1)
    await vi.waitFor(() => expect(ids()).toEqual([1]), TIMEOUT)
    go()
    await vi.waitFor(() => expect(queue()).toBe(0), TIMEOUT)
    expect(ids()).toEqual([1, 2, 3])
  })

  it('receives queued entries on shutdown, if it accepts them', async () => {
    const { take, stop, ids, warned } = await aSink()
    for (let id = 1; id <= 4; id++) take(anEntry(id))
    await stop(20_000)
    expect(ids()).toEqual([1, 2, 3, 4])
    expect(warned).toEqual([])
  })

  it.each([
    ['refuses', true],
    ['is silent', false],
  ])('holds no stop up where it %s', async (_how, answers) => {
    const { take, stop, state, warned, ids } = await aSink()
    state.answer = (response) => void (answers && response.writeHead(500).end())
    for (let id = 1; id <= 4; id++) take(anEntry(id))
    await stop(50)
    expect(warned.at(-1)).toMatchObject({ msg: 'the audit sink did not get every entry', waiting: 4 })
    expect(ids().every((id) => id === 1)).toBe(true)
  })
})
