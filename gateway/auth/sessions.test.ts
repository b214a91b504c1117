import { describe, expect, it } from 'vitest'
import { aDatabase } from '../storage/database.fixture.ts'
import type { Database } from '../storage/database.ts'
import { updateUser } from '../storage/users.ts'
import { addUser, aTime, START } from './auth.fixture.ts'
import { createSessions, requireCsrf, type Sessions } from './sessions.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const settings = { SESSION_IDLE_TIMEOUT_MS: 30 * MINUTE, SESSION_ABSOLUTE_TTL_MS: 12 * HOUR }
const FROM = { ip: '192.0.2.7', userAgent: 'a browser' }

async function aRoom() {
  const database = await aDatabase(':memory:')
  const time = aTime()
  const start = () => createSessions({ database, settings, clock: time.clock, monotonic: time.monotonic })
  await addUser(database, 'ada')
  return { database, time, start, sessions: start() }
}
const open = (database: Database, sessions: Sessions, username = 'ada') =>
  database.write((tx) => sessions.open(tx, username, FROM))
const seenAt = async (database: Database) =>
  (await database.query.selectFrom('admin_sessions').select('last_seen_at').executeTakeFirstOrThrow()).last_seen_at

describe('a session', () => {
  it('is found by its token only', async () => {
    const { database, sessions } = await aRoom()
    const { token, csrfToken } = await open(database, sessions)
    for (const wrong of ['', token.slice(1), `${token}x`, csrfToken]) expect(await sessions.find(wrong)).toBeUndefined()
    expect(await sessions.find(token)).toMatchObject({ username: 'ada', role: 'viewer', teamId: null, csrfToken })
  })

  it('stores no token in the database', async () => {
    const { database, sessions } = await aRoom()
    const { token, csrfToken } = await open(database, sessions)
    const rows = JSON.stringify(await database.query.selectFrom('admin_sessions').selectAll().execute())
    expect(rows).not.toContain(token)
    expect(rows).not.toContain(csrfToken)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  })

  it('ends after the idle timeout, which each use extends [ct.2.5.idle gw.setting.session_idle_timeout_ms]', async () => {
    const { database, sessions, time } = await aRoom()
    const { token } = await open(database, sessions)
    for (let turn = 0; turn < 5; turn++) {
      time.pass(30 * MINUTE - 1)
      expect(await sessions.find(token)).toBeDefined()
    }
    time.pass(30 * MINUTE)
    expect(await sessions.find(token)).toBeUndefined()
  })

  it('ends at its absolute expiry, even if used [ct.2.5.absolute gw.setting.session_absolute_ttl_ms]', async () => {
    const { database, sessions, time } = await aRoom()
    const { token, expiresAt } = await open(database, sessions)
    expect(Date.parse(expiresAt)).toBe(START + 12 * HOUR)
    for (let passed = 0; passed < 12 * HOUR - 10 * MINUTE; passed += 10 * MINUTE) {
      time.pass(10 * MINUTE)
      expect(await sessions.find(token)).toBeDefined()
    }
    time.pass(10 * MINUTE)
    expect(await sessions.find(token)).toBeUndefined()
  })

  it('is not extended by setting the clock back (security case CS-05)', async () => {
    const { database, sessions, time } = await aRoom()
    const { token } = await open(database, sessions)
    time.pass(20 * MINUTE)
    expect(await sessions.find(token)).toBeDefined()
    time.wallMs -= HOUR
    time.pass(29 * MINUTE)
    expect(await sessions.find(token)).toBeDefined()
    time.pass(30 * MINUTE)
    expect(await sessions.find(token)).toBeUndefined()
  })

  it('is not revived if the clock was set back before a start', async () => {
    const { database, sessions, time, start } = await aRoom()
    const { token } = await open(database, sessions)
    time.wallMs -= HOUR
    expect(await start().find(token)).toBeUndefined()
  })

  it('ends when the clock is set far ahead', async () => {
    const { database, sessions, time } = await aRoom()
    const { token } = await open(database, sessions)
    time.wallMs += HOUR
    expect(await sessions.find(token)).toBeUndefined()
    time.wallMs -= HOUR
    expect(await sessions.find(token)).toBeUndefined()
  })

  it('ends when its user is deactivated, and uses the current role', async () => {
    const { database, sessions } = await aRoom()
    const { token } = await open(database, sessions)
    await database.write((tx) => updateUser(tx, 'ada', { role: 'operator' }))
    expect(await sessions.find(token)).toMatchObject({ role: 'operator' })
    await database.write((tx) => updateUser(tx, 'ada', { is_active: 0 }))
    expect(await sessions.find(token)).toBeUndefined()
  })

  it('is invalid for a role unknown to this version', async () => {
    const { database, sessions } = await aRoom()
    const { token } = await open(database, sessions)
    await database.write((tx) => updateUser(tx, 'ada', { role: 'owner' }))
    expect(await sessions.find(token)).toBeUndefined()
  })

  it('stores its last use at most once a minute, and tracks it in memory', async () => {
    const { database, sessions, time } = await aRoom()
    const { token } = await open(database, sessions)
    const opened = await seenAt(database)
    time.pass(MINUTE - 1)
    const own = await sessions.find(token)
    expect(await seenAt(database)).toBe(opened)
    const { items } = await sessions.list(own ?? (await Promise.reject(new Error('gone'))), { limit: 5 })
    expect(Date.parse(items[0]?.lastSeenAt ?? '')).toBe(START + MINUTE - 1)
    time.pass(1)
    await sessions.find(token)
    expect(Date.parse(await seenAt(database))).toBe(START + MINUTE)
  })

  it('is not extended by a validity check', async () => {
    const { database, sessions, time } = await aRoom()
    const { id, token } = await open(database, sessions)
    time.pass(20 * MINUTE)
    expect(await sessions.stands(id)).toBe(true)
    time.pass(10 * MINUTE)
    expect(await sessions.stands(id)).toBe(false)
    expect(await sessions.find(token)).toBeUndefined()
  })

  it('is deleted after expiry at the next sign-in', async () => {
    const { database, sessions, time } = await aRoom()
    await open(database, sessions)
    time.pass(HOUR)
    await open(database, sessions)
    expect(await database.query.selectFrom('admin_sessions').select('id').execute()).toHaveLength(1)
  })
})

describe('ending sessions', () => {
  it('ends one, all but one, or all of a user, with notification', async () => {
    const { database, sessions } = await aRoom()
    await addUser(database, 'grace')
    const received: number[] = []
    sessions.onEnd((id) => received.push(id))
    const [a, b, c] = [await open(database, sessions), await open(database, sessions), await open(database, sessions)]
    const other = await open(database, sessions, 'grace')
    const end = async (which: { username: string; only?: number; except?: number }) => {
      const ids = await database.write((tx) => sessions.end(tx, which))
      sessions.ended(ids)
      return ids
    }
    expect(await end({ username: 'grace', only: a.id })).toEqual([])
    expect(await end({ username: 'ada', only: a.id })).toEqual([a.id])
    expect(await end({ username: 'ada', except: c.id })).toEqual([b.id])
    expect(await end({ username: 'ada' })).toEqual([c.id])
    expect(received).toEqual([a.id, b.id, c.id])
    for (const { token } of [a, b, c]) expect(await sessions.find(token)).toBeUndefined()
    expect(await sessions.find(other.token)).toBeDefined()
  })
})

describe('the CSRF token', () => {
  it('is the one of this session and no other', async () => {
    const { database, sessions } = await aRoom()
    const [mine, other] = [await open(database, sessions), await open(database, sessions)]
    const session = await sessions.find(mine.token)
    if (!session) throw new Error('gone')
    for (const wrong of [undefined, '', 'wrong', other.csrfToken, mine.token, [mine.csrfToken]])
      expect(() => requireCsrf(session, wrong)).toThrow('X-CSRF-Token')
    expect(() => requireCsrf(session, mine.csrfToken)).not.toThrow()
  })
})
