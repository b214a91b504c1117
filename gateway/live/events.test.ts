import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Actor, EventTopic } from '#contract'
import { announceEntries, createEvents, type GatewayEvent } from './events.ts'

const clock = { now: () => Date.UTC(2026, 0, 31, 9, 15) }
const actor = (role: Actor['role'], teamId: number | null = null): Actor => ({
  name: role,
  kind: 'session',
  role,
  teamId,
})

function hear(events: ReturnType<typeof createEvents>, who: Actor, topics?: readonly EventTopic[]) {
  const received: GatewayEvent[] = []
  const stop = events.subscribe(who, (event) => void received.push(event), topics && new Set(topics))
  onTestFinished(stop)
  return { received, stop, topics: () => received.map(({ topic }) => topic) }
}

describe('an event', () => {
  it('of calls and editors is hidden from viewers', () => {
    const events = createEvents(clock)
    const [viewer, operator] = [hear(events, actor('viewer')), hear(events, actor('operator'))]
    for (const topic of ['clients', 'calls', 'pcg', 'audit'] as const) events.emit(topic, 'x')
    expect(viewer.topics()).toEqual(['clients', 'audit'])
    expect(operator.topics()).toEqual(['clients', 'calls', 'pcg', 'audit'])
  })

  it('of another team, or of none, is hidden from team members', () => {
    const events = createEvents(clock)
    const [own, all] = [hear(events, actor('admin', 7)), hear(events, actor('admin'))]
    for (const teamId of [7, 8, null]) events.emit('clients', 'enabled', { client: String(teamId) }, teamId)
    expect(own.received.map(({ data }) => data.client)).toEqual(['7'])
    expect(all.received).toHaveLength(3)
  })

  it('reaches subscribers of its topic, until they leave [ct.7.7.events-record]', () => {
    const events = createEvents(clock)
    expect(events.hasListeners()).toBe(false)
    const one = hear(events, actor('viewer'), ['clients'])
    events.emit('tools', 'changed')
    events.emit('clients', 'health', { client: 'pets', type: 'never this', at: 'nor this' })
    expect(one.received).toEqual([
      { topic: 'clients', data: { client: 'pets', type: 'health', at: '2026-01-31T09:15:00.000Z' } },
    ])
    one.stop()
    events.emit('clients', 'health')
    expect(one.received).toHaveLength(1)
    expect(events.hasListeners()).toBe(false)
  })

  it('reports each audit entry and the changed record [ct.7.7.events-audit ct.7.7.events-config]', () => {
    const events = createEvents(clock)
    const { received } = hear(events, actor('viewer'))
    const entry = { id: 1, prev_hash: '', actor: 'ada', target: 'grace', detail: null, created_at: '', hash: '' }
    const announce = announceEntries(events)
    announce({ ...entry, action: 'user.update' }, null)
    announce({ ...entry, action: 'auth.login' }, null)
    expect(received.map(({ topic, data }) => [topic, data.type])).toEqual([
      ['audit', 'appended'],
      ['config', 'changed'],
      ['audit', 'appended'],
    ])
    expect(received[1]?.data).toMatchObject({ record: 'user', id: 'grace' })
  })
})

describe('calls', () => {
  it('are limited to fifty per second, then the number of dropped ones [ct.7.7.events-calls]', async () => {
    const events = createEvents(clock)
    const [one, other] = [hear(events, actor('operator')), hear(events, actor('operator'), ['clients'])]
    for (let call = 0; call < 70; call++) events.emit('calls', 'call', { call })
    expect(one.received).toHaveLength(50)
    for (let turn = 0; turn < 500 && one.received.length === 50; turn++) await pause(50)
    expect(one.received.at(-1)).toMatchObject({ topic: 'calls', data: { type: 'dropped', dropped: 20 } })
    events.emit('calls', 'call')
    expect(one.received).toHaveLength(52)
    expect(other.received).toEqual([])
  })
})
