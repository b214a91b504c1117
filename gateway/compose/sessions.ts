// Sessions of MCP clients, cursors of lists and what is parked between their requests, sealed with the same keys.

import { openSessionKeys } from '../jobs/session-keys.ts'
import type { Json } from '../mcp/json-text.ts'
import { endedSessionsOf } from '../storage/ended-sessions.ts'
import { createEndedSessions } from '../surfaces/ended-sessions.ts'
import { createListCursors, type ListCursors } from '../surfaces/list-cursors.ts'
import { createRemoteCalls, type RemoteCalls } from '../surfaces/remote-calls.ts'
import { createSeal } from '../surfaces/seal.ts'
import { createSessionSeal } from '../surfaces/session-seal.ts'
import { createSessions, type Sessions } from '../surfaces/sessions.ts'
import { createSuspendedCalls, type SuspendedCalls } from '../surfaces/suspended-calls.ts'
import type { Foundation } from './foundation.ts'

const KEYS_EVERY_MS = 1_000

/** `client:<name>` is a shard; names are no labels. */
const kindOf = (surface: string): string =>
  surface.startsWith('client:') ? 'shard' : surface.startsWith('bundle:') ? 'bundle' : 'control'

export async function createSealedSessions(
  base: Foundation,
  onEnd: Parameters<typeof createSessions>[0]['onEnd'],
): Promise<{
  readonly sessions: Sessions
  readonly suspended: SuspendedCalls<Json>
  readonly listCursors: ListCursors
  readonly remoteCalls: RemoteCalls
  /** For the leader. */
  readonly rotateSessionKey: () => Promise<void>
  readonly closeSessions: () => Promise<void>
}> {
  const { settings, metrics, clock, events, database, log, instanceId } = base
  const shared = settings.DATABASE_URL !== null || settings.ALLOW_SECOND_INSTANCE
  const { secrets, refresh, rotate } = await openSessionKeys(base)
  const ended = createEndedSessions({ store: endedSessionsOf(database), clock })
  await ended.follow()
  const opened = createSessions({
    ...base,
    seal: createSessionSeal(secrets),
    ended,
    shared,
    onEnd,
    max: settings.MAX_SESSIONS,
    ttlMs: settings.SESSION_TTL_MS,
    onCount(count) {
      metrics.set('mcp_sessions_active', count)
      events.emit('sessions', 'count', { count })
    },
    onRejected: (reason) => metrics.inc('mcp_sessions_rejected_total', { reason }),
  })
  const suspended = createSuspendedCalls<Json>({
    seal: createSeal(secrets, 'gantry mcp request state'),
    instance: instanceId,
  })
  const timer = shared
    ? setInterval(() => {
        refresh().catch((error: unknown) => log.warn('the keys of sessions could not be read again', { error }))
      }, KEYS_EVERY_MS).unref()
    : undefined
  return {
    rotateSessionKey: rotate,
    remoteCalls: createRemoteCalls({ ...base, sessions: opened, suspended }),
    async closeSessions() {
      clearInterval(timer)
      await opened.close()
    },
    sessions: {
      ...opened,
      open(surface, ...given) {
        const session = opened.open(surface, ...given)
        metrics.inc('mcp_sessions_created_total', { surface: kindOf(surface) })
        return session
      },
    },
    suspended,
    listCursors: createListCursors(secrets),
  }
}
