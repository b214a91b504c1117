// Sessions of MCP clients, cursors of lists and what is parked between their requests, sealed with one key.

import { randomBytes } from 'node:crypto'
import type { Json } from '../mcp/json-text.ts'
import { endedSessionsOf } from '../storage/ended-sessions.ts'
import { createEndedSessions } from '../surfaces/ended-sessions.ts'
import { createListCursors, type ListCursors } from '../surfaces/list-cursors.ts'
import { createSeal } from '../surfaces/seal.ts'
import { createSessionSeal } from '../surfaces/session-seal.ts'
import { createSessions, type Sessions } from '../surfaces/sessions.ts'
import { createSuspendedCalls, type SuspendedCalls } from '../surfaces/suspended-calls.ts'
import type { Foundation } from './foundation.ts'

const SESSION_KEY = 'session_key'

/** Kept with the database, so that a session id outlives the process that gave it out. */
async function sessionKey({ database }: Pick<Foundation, 'database'>): Promise<Buffer> {
  const known = await database.meta.get(SESSION_KEY)
  if (known !== undefined) return Buffer.from(known, 'base64')
  const fresh = randomBytes(32)
  return database.write(async (tx) => {
    const made = await database.meta.get(SESSION_KEY, tx)
    if (made !== undefined) return Buffer.from(made, 'base64')
    await database.meta.set(SESSION_KEY, fresh.toString('base64'), tx)
    return fresh
  }, SESSION_KEY)
}

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
}> {
  const { settings, metrics, clock, monotonic, events, database, log } = base
  const key = await sessionKey(base)
  const ended = createEndedSessions({ store: endedSessionsOf(database), now: clock.now })
  await ended.follow()
  const opened = createSessions({
    seal: createSessionSeal(key),
    ended,
    // A file is one process's; a server may have several.
    shared: settings.DATABASE_URL !== null,
    log,
    onEnd,
    max: settings.MAX_SESSIONS,
    ttlMs: settings.SESSION_TTL_MS,
    now: clock.now,
    monotonic,
    onCount(count) {
      metrics.set('mcp_sessions_active', count)
      events.emit('sessions', 'count', { count })
    },
    onRejected: (reason) => metrics.inc('mcp_sessions_rejected_total', { reason }),
  })
  return {
    sessions: {
      ...opened,
      open(surface, ...given) {
        const session = opened.open(surface, ...given)
        metrics.inc('mcp_sessions_created_total', { surface: kindOf(surface) })
        return session
      },
    },
    suspended: createSuspendedCalls<Json>({ seal: createSeal(key, 'gantry mcp request state') }),
    listCursors: createListCursors(key),
  }
}
