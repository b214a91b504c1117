// Live events of other instances: each sends its own while a page of another listens, a few times a second.

import type { EventTopic } from '../contract/event-topic.ts'
import type { Base } from '../records/base.ts'
import type { Events, Relayed } from './events.ts'

/** Of the others, because a reload of the configuration or the instance itself emits the rest. */
const RELAYED: ReadonlySet<EventTopic> = new Set(['calls', 'approvals', 'monitors', 'alerts', 'audit', 'config'])
const EVERY_MS = 250
/** The most events of the busiest topic that a page receives in one batch. */
const MOST_CALLS = 15
const MOST = 200
const ANNOUNCE_MS = 10_000
const LISTENS_MS = 35_000

/** The messages of instances that this follows from. */
type EventMessages = { listening: null; events: readonly Relayed[] }
type Deps = Pick<Base, 'monotonic' | 'clock'> & {
  readonly events: Pick<Events, 'hasPages' | 'onPage' | 'relayTo' | 'receive'>
  readonly peers: {
    send<K extends keyof EventMessages>(kind: K, body: EventMessages[K]): void
    on<K extends keyof EventMessages>(kind: K, handler: (body: EventMessages[K], from: string) => void): void
  }
  /** Since the configuration was last compared with the database. */
  readonly ageMs: () => number
}

export function relayEvents({ events, peers, monotonic, clock, ageMs }: Deps): { readonly close: () => void } {
  /** By instance, until when its pages listen. */
  const listening = new Map<string, number>()
  let batch: Relayed[] = []
  let calls = 0
  let dropped = 0
  /** Holds an event back until its change is applied here, so that a page does not read the old record. */
  let held: { readonly event: Relayed; readonly atMs: number }[] = []

  function relay(event: Relayed): void {
    if (!RELAYED.has(event.topic)) return
    if (event.topic === 'calls') calls += 1
    if (batch.length >= MOST || (event.topic === 'calls' && calls > MOST_CALLS)) dropped += 1
    else batch.push(event)
  }

  function flush(): void {
    if (dropped > 0) {
      const data = { type: 'dropped', at: new Date(clock.now()).toISOString(), dropped }
      batch.push({ topic: 'calls', data, teamId: null })
    }
    if (batch.length > 0) peers.send('events', batch)
    batch = []
    calls = 0
    dropped = 0
    const verifiedAtMs = monotonic() - ageMs()
    const ready = held.filter(({ atMs }) => atMs < verifiedAtMs)
    if (ready.length === 0) return
    held = held.filter(({ atMs }) => atMs >= verifiedAtMs)
    for (const { event } of ready) events.receive(event)
  }

  const announce = (): void => {
    if (events.hasPages()) peers.send('listening', null)
    for (const [id, untilMs] of listening) if (untilMs < monotonic()) listening.delete(id)
    if (listening.size === 0) events.relayTo(undefined)
  }
  events.onPage(announce)
  peers.on('listening', (_none, from) => {
    listening.set(from, monotonic() + LISTENS_MS)
    events.relayTo(relay)
  })
  peers.on('events', (received) => {
    for (const event of received)
      if (event.topic === 'config' || event.topic === 'audit') held.push({ event, atMs: monotonic() })
      else events.receive(event)
    held = held.slice(-MOST)
  })
  const timers = [setInterval(flush, EVERY_MS), setInterval(announce, ANNOUNCE_MS)]
  for (const timer of timers) timer.unref()
  return {
    close() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
