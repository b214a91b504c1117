// Admin sessions: random tokens stored as hashes, idle and absolute expiry, revocation with notification.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { GatewayError, type Page, ROLES, type Role, type SessionRecord } from '#contract'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { beforeId, pageById } from '../storage/page.ts'
import type { Tx } from '../storage/schema.ts'
import {
  deleteEnded,
  deleteSessions,
  insertSession,
  noteSeen,
  type SessionWithUser,
  sessionById,
  sessionByToken,
  sessionsBefore,
} from '../storage/sessions.ts'
import { createSteadyClock } from './steady-clock.ts'

/** A valid session with its user's current role. */
export type LiveSession = {
  readonly id: number
  readonly username: string
  readonly role: Role
  readonly teamId: number | null
  readonly csrfToken: string
  readonly expiresAt: string
}
/** A new session, the only time its token is available. */
export type OpenedSession = {
  readonly id: number
  readonly token: string
  readonly csrfToken: string
  readonly expiresAt: string
}
export type Origin = { readonly ip: string | null; readonly userAgent: string | null }

export type Sessions = {
  readonly open: (tx: Tx, username: string, origin: Origin) => Promise<OpenedSession>
  /** Undefined if it does not exist. A lookup counts as use. */
  readonly find: (token: string) => Promise<LiveSession | undefined>
  /** Whether it is still valid; does not count as use. */
  readonly stands: (id: number) => Promise<boolean>
  readonly list: (
    own: LiveSession,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<SessionRecord>>
  /** Ends one session of a user, all but one, or all; call `ended` after the commit. */
  readonly end: (tx: Tx, which: { username: string; only?: number; except?: number }) => Promise<readonly number[]>
  readonly ended: (ids: readonly number[]) => void
  /** Subscribes to revoked sessions; returns an unsubscribe function. */
  readonly onEnd: (listener: (id: number) => void) => () => void
}

type Needs = Pick<Base, 'database' | 'clock' | 'monotonic'> & {
  readonly settings: Pick<Settings, 'SESSION_IDLE_TIMEOUT_MS' | 'SESSION_ABSOLUTE_TTL_MS'>
}

const WRITE_EVERY_MS = 60_000
// A row from the future was written before the clock was set back; its age is unknown.
const FUTURE_MS = 60_000
const USER_AGENT_MAX = 256

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
/** Derived from the token, so that only the session's holder can get it again. */
const csrfOf = (token: string): string => createHmac('sha256', token).update('gantry csrf').digest('base64url')
const iso = (ms: number): string => new Date(ms).toISOString()

export function sameToken(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

export function createSessions({ database, settings, clock: wall, monotonic }: Needs): Sessions {
  const clock = createSteadyClock(wall, monotonic)
  const idleMs = settings.SESSION_IDLE_TIMEOUT_MS
  const writeEveryMs = Math.min(WRITE_EVERY_MS, idleMs / 2)
  /** The last use of each session, newer than its row. */
  const seen = new Map<number, number>()
  const listeners = new Set<(id: number) => void>()
  // Rows lag behind `seen`, so expiry by row alone needs this margin.
  const seenSince = (nowMs: number): string => iso(nowMs - idleMs - writeEveryMs)

  const lastSeen = (row: SessionWithUser): number => Math.max(Date.parse(row.last_seen_at), seen.get(row.id) ?? 0)
  const standing = (row: SessionWithUser, nowMs: number): boolean =>
    row.is_active === 1 &&
    Date.parse(row.expires_at) > nowMs &&
    // A shorter setting applies to existing sessions too.
    Date.parse(row.created_at) + settings.SESSION_ABSOLUTE_TTL_MS > nowMs &&
    lastSeen(row) + idleMs > nowMs &&
    lastSeen(row) <= nowMs + FUTURE_MS

  async function use(row: SessionWithUser, nowMs: number): Promise<void> {
    seen.set(row.id, nowMs)
    if (nowMs - Date.parse(row.last_seen_at) < writeEveryMs) return
    try {
      await database.write((tx) => noteSeen(tx, row.id, iso(nowMs)))
    } catch {
      // A full disk must not lock users out: the use stays in memory and is written later.
    }
  }

  return {
    async open(tx, username, { ip, userAgent }) {
      const nowMs = clock.now()
      const token = randomBytes(32).toString('base64url')
      const csrfToken = csrfOf(token)
      const expiresAt = iso(nowMs + settings.SESSION_ABSOLUTE_TTL_MS)
      await deleteEnded(tx, { at: iso(nowMs), seenSince: seenSince(nowMs) })
      for (const [id, at] of seen) if (at + idleMs <= nowMs) seen.delete(id)
      const id = await insertSession(tx, {
        token_hash: hashOf(token),
        csrf_hash: hashOf(csrfToken),
        username,
        created_at: iso(nowMs),
        last_seen_at: iso(nowMs),
        expires_at: expiresAt,
        ip_address: ip,
        user_agent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
      })
      return { id, token, csrfToken, expiresAt }
    },
    async find(token) {
      const row = await sessionByToken(database.query, hashOf(token))
      const nowMs = clock.now()
      const role = ROLES.find((known) => known === row?.role)
      if (row === undefined || role === undefined || !standing(row, nowMs)) {
        if (row) seen.delete(row.id)
        return undefined
      }
      await use(row, nowMs)
      const { id, username, team_id: teamId, expires_at: expiresAt } = row
      return { id, username, role, teamId, csrfToken: csrfOf(token), expiresAt }
    },
    async stands(id) {
      const row = await sessionById(database.query, id)
      return row !== undefined && standing(row, clock.now())
    },
    async list(own, { limit, cursor }) {
      const nowMs = clock.now()
      const rows = await sessionsBefore(database.query, {
        username: own.username,
        aliveAt: iso(nowMs),
        seenSince: seenSince(nowMs),
        before: beforeId(cursor),
        limit: limit + 1,
      })
      const records = rows.map((row) => ({
        id: row.id,
        createdAt: row.created_at,
        lastSeenAt: iso(Math.max(Date.parse(row.last_seen_at), seen.get(row.id) ?? 0)),
        expiresAt: row.expires_at,
        ipAddress: row.ip_address,
        userAgent: row.user_agent,
        current: row.id === own.id,
      }))
      return pageById(records, limit)
    },
    end: (tx, which) => deleteSessions(tx, which),
    ended(ids) {
      for (const id of ids) {
        seen.delete(id)
        for (const listener of listeners) listener(id)
      }
    },
    onEnd(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** A mutation must carry the session's token in a header, which other sites cannot set. */
export function requireCsrf(session: LiveSession, given: string | readonly string[] | undefined): void {
  if (typeof given === 'string' && sameToken(given, session.csrfToken)) return
  throw new GatewayError(
    'CSRF_VALIDATION_FAILED',
    'Send the X-CSRF-Token of this session; GET /admin-api/auth/me returns it',
  )
}
