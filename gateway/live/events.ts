// The hub of live events: topics, permissions, and a limit for the busiest topic. Contract 7.7.

import type { AuditEntry } from '../contract/admin/audit-log.ts'
import { EVENT_TOPICS, type EventTopic } from '../contract/event-topic.ts'
import { type Actor, mayTouch, mayUse } from '../contract/role.ts'
import type { Clock } from '../telemetry/clock.ts'

export type GatewayEvent = {
  readonly topic: EventTopic
  readonly data: Readonly<Record<string, unknown>> & { readonly type: string; readonly at: string }
}
type Listener = (event: GatewayEvent) => void
/** An event as instances send it to each other. */
export type Relayed = GatewayEvent & { readonly teamId: number | null }

export type Events = {
  /** `teamId` is the team of the event's record, if any. */
  readonly emit: (
    topic: EventTopic,
    type: string,
    data?: Readonly<Record<string, unknown>>,
    teamId?: number | null,
  ) => void
  /** Returns an unsubscribe function. Without topics: all permitted ones. */
  readonly subscribe: (actor: Actor, listener: Listener, topics?: ReadonlySet<EventTopic>) => () => void
  /** Whether the topic has subscribers. */
  readonly hasListeners: () => boolean
  /** Whether pages of this instance listen. */
  readonly hasPages: () => boolean
  /** Called when the first one begins to listen. */
  readonly onPage: (listener: () => void) => void
  /** Receives every event of this instance, for the pages of others. */
  readonly relayTo: (relay: ((event: Relayed) => void) | undefined) => void
  /** An event of another instance. */
  readonly receive: (event: Relayed) => void
}

type Subscription = { readonly accepts: (topic: EventTopic, teamId: number | null) => boolean; readonly tell: Listener }

const CALLS_PER_SECOND = 50
const SECOND_MS = 1000

/** Traffic topics need the role operator; viewers may read the others. */
export function mayHear(actor: Actor, topic: EventTopic): boolean {
  return mayUse(actor, topic === 'calls' || topic === 'pcg' ? 'operator' : 'viewer')
}

export function createEvents(clock: Clock): Events {
  const subscriptions = new Set<Subscription>()
  let relay: ((event: Relayed) => void) | undefined
  let onFirst: () => void = () => undefined
  const receive: Events['receive'] = ({ topic, data, teamId }) => {
    for (const { accepts, tell } of subscriptions) if (accepts(topic, teamId)) tell({ topic, data })
  }
  return {
    hasListeners: () => subscriptions.size > 0 || relay !== undefined,
    hasPages: () => subscriptions.size > 0,
    onPage(listener) {
      onFirst = listener
    },
    relayTo(given) {
      relay = given
    },
    receive,
    emit(topic, type, data = {}, teamId = null) {
      if (subscriptions.size === 0 && relay === undefined) return
      const event = { topic, data: { ...data, type, at: new Date(clock.now()).toISOString() }, teamId }
      receive(event)
      relay?.(event)
    },
    subscribe(actor, listener, topics = new Set(EVENT_TOPICS)) {
      const calls = createCap(clock, listener)
      const subscription: Subscription = {
        accepts: (topic, teamId) => topics.has(topic) && mayHear(actor, topic) && mayTouch(actor, { teamId }),
        tell: (event) => (event.topic === 'calls' ? calls.tell(event) : listener(event)),
      }
      subscriptions.add(subscription)
      if (subscriptions.size === 1) onFirst()
      return () => {
        subscriptions.delete(subscription)
        calls.stop()
      }
    },
  }
}

/** Limits events per second, then reports the number of dropped ones. */
function createCap(clock: Clock, listener: Listener): { tell: Listener; stop: () => void } {
  let message = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  const settle = (): void => {
    timer = undefined
    const missed = dropped
    message = 0
    dropped = 0
    if (missed > 0)
      listener({ topic: 'calls', data: { type: 'dropped', at: new Date(clock.now()).toISOString(), dropped: missed } })
  }
  return {
    tell(event) {
      timer ??= setTimeout(settle, SECOND_MS).unref()
      if (message >= CALLS_PER_SECOND) {
        dropped += 1
        return
      }
      message += 1
      listener(event)
    },
    stop: () => clearTimeout(timer),
  }
}

const CONFIGURES = new Set([
  'alert',
  'bundle',
  'catalog',
  'composite',
  'config',
  'consumer',
  'mcp_key',
  'oidc',
  'policy',
  'schedule',
  'team',
  'user',
  'ws_proxy_target',
])

/** The events of an appended entry: itself, and the record it changed. */
export function announceEntries(events: Events): (entry: AuditEntry, teamId: number | null) => void {
  return (entry, teamId) => {
    if (!events.hasListeners()) return
    events.emit('audit', 'appended', { entry }, teamId)
    const [record = ''] = entry.action.split('.', 1)
    if (CONFIGURES.has(record)) events.emit('config', 'changed', { record, id: entry.target }, teamId)
  }
}
