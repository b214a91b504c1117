// What makes a shard of an MCP upstream transparent: the relay of what is no tool, rounds, streams and subscriptions.
import type { Http } from '../http/server.ts'
import type { ServerInfo } from '../surfaces/handlers.ts'
import { createRounds, type Rounds } from '../surfaces/input-required.ts'
import { createNotificationStreams, type NotificationStreams } from '../surfaces/notification-streams.ts'
import { createRelayed, type Relayed } from '../surfaces/relayed.ts'
import { createSubscriptions, type Subscriptions } from '../surfaces/subscriptions.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

/** Sessions and subscriptions of the era without them are counted alike. */
export function createTransparent(
  { settings, metrics, monotonic }: Foundation,
  { streams }: Http,
  { registry, upstreams, run, listChanges, suspended, remoteCalls }: Calls,
  server: ServerInfo,
): {
  readonly rounds: Rounds
  readonly relayed: Relayed
  readonly notificationStreams: NotificationStreams
  readonly subscriptions: Subscriptions
} {
  const rounds = createRounds({ suspended, streams, server, remoteCalls })
  const { known, leave } = upstreams
  const relayed = createRelayed({ backend: registry.get, local: registry.local, known, run, rounds, server, metrics })
  const { backendOf, capabilities } = relayed
  const notificationStreams = createNotificationStreams({
    backendOf,
    known,
    run,
    onChange: (listener) => void registry.subscribe(({ client }) => listener(client)),
    leave,
    monotonic,
  })
  const subscriptions = createSubscriptions({
    listChanges,
    notificationStreams,
    backendOf,
    capabilities,
    streams,
    server,
    most: settings.MAX_SESSIONS,
  })
  return { rounds, relayed, notificationStreams, subscriptions }
}
