// What makes a shard of an MCP upstream transparent: the relay of what is no tool, rounds, streams and subscriptions.
import type { Http } from '../http/server.ts'
import { createRelay } from '../pipeline/relay.ts'
import type { ServerInfo } from '../surfaces/handlers.ts'
import { createHearings, type Hearings } from '../surfaces/hearings.ts'
import { createRelayed, type Relayed } from '../surfaces/relayed.ts'
import { createRounds, type Rounds } from '../surfaces/rounds.ts'
import { createSubscriptions, type Subscriptions } from '../surfaces/subscriptions.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

/** Sessions and subscriptions of the era without them are counted alike. */
export function createTransparent(
  { settings, metrics, clock, monotonic, room }: Foundation,
  { streams }: Http,
  { registry, breakers, upstreams, callLog, listChanges, parking }: Calls,
  server: ServerInfo,
): {
  readonly rounds: Rounds
  readonly relayed: Relayed
  readonly hearings: Hearings
  readonly subscriptions: Subscriptions
} {
  const relay = createRelay({
    registry,
    breakers,
    pass: upstreams.pass,
    room,
    callLog,
    metrics,
    settings,
    now: monotonic,
    wallClock: clock.now,
  })
  const rounds = createRounds({ parking, streams, server })
  const { connection } = upstreams
  const relayed = createRelayed({ backend: registry.get, connection, relay, rounds, server })
  const { backendOf, capabilities } = relayed
  const hearings = createHearings({
    backendOf,
    connection,
    secrets: async (backend) => (await registry.credential(backend))?.secrets ?? [],
    onListChanged: upstreams.listChanged,
    now: monotonic,
  })
  const subscriptions = createSubscriptions({
    listChanges,
    hearings,
    backendOf,
    capabilities,
    streams,
    server,
    most: settings.MAX_SESSIONS,
  })
  return { rounds, relayed, hearings, subscriptions }
}
