// What settings make of a session: its names without HTTPS, its end when idle and at its age; and the time a refusal takes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { addUser, aFolder, aGateway, aUser, onLinux, passwordOf, unlessLinux } from './gateway.fixture.ts'
import { aGatewayProcess, DEAR_PASSWORDS, type GatewayProcess } from './gateway-process.fixture.ts'
import { login, me } from './identity.fixture.ts'

/** What the process has worked so far, a hundred to the second. */
function processorTicks({ pid }: GatewayProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** The database of a gateway that is stopped. */
function changed(folder: string, work: (raw: BetterSqlite3.Database) => unknown): void {
  const raw = new BetterSqlite3(join(folder, 'gantry.db'))
  work(raw)
  raw.close()
}

describe('signing in', () => {
  it.skipIf(!onLinux)(
    `takes about as long for an unknown user as for a wrong password (security case AN-12)${unlessLinux} [ct.7.1.login-timing]`,
    async () => {
      const costly = await aGatewayProcess(DEAR_PASSWORDS)
      await addUser(costly, 'timed', 'viewer')
      const times: Record<'timed' | 'untimed', number[]> = { timed: [], untimed: [] }
      // By turns and in time of the processor, so that what else the machine does counts for neither.
      for (let turn = 0; turn < 5; turn++)
        for (const username of ['timed', 'untimed'] as const) {
          const from = processorTicks(costly)
          await login(costly, { username, password: 'not the password at all' })
          times[username].push(processorTicks(costly) - from)
        }
      const [known, unknown] = [Math.min(...times.timed), Math.min(...times.untimed)]
      expect(unknown / known).toBeGreaterThan(1 / 3)
      expect(unknown / known).toBeLessThan(3)
    },
  )

  it('names the cookies plainly where HTTPS is given up [ct.2.5.insecure]', async () => {
    const open = await aGateway({ SESSION_COOKIE_SECURE: 'false', NODE_ENV: 'development' })
    await addUser(open, 'plain', 'viewer')
    const cookies = (await login(open, { username: 'plain', password: passwordOf('plain') })).headers.getSetCookie()
    expect(new Set(cookies.map((cookie) => cookie.split('=', 1)[0]))).toEqual(
      new Set(['gantry_csrf', 'gantry_session']),
    )
    expect(cookies.join()).not.toMatch(/Secure/)
  })
})

describe('sessions', () => {
  it('end when idle, each use extending them [ct.2.5.idle gw.setting.session_idle_timeout_ms]', async () => {
    const folder = aFolder()
    const env = { SESSION_IDLE_TIMEOUT_MS: '3600000' }
    const first = await aGateway(env, folder)
    const session = await aUser(first, 'idler', 'viewer')
    await first.stop()
    /** The status of a use that many minutes after the last one, and how long ago the last use is by then. */
    const usedAfter = async (minutes: number) => {
      const seen = new Date(Date.now() - minutes * 60_000).toISOString()
      changed(folder, (raw) => raw.prepare('update admin_sessions set last_seen_at = ?').run(seen))
      const gateway = await aGateway(env, folder)
      const { status } = await me(gateway, session)
      await gateway.stop()
      let isExtended = false
      changed(folder, (raw) => {
        isExtended = raw.prepare('select last_seen_at from admin_sessions').pluck().get() !== seen
      })
      return [status, isExtended]
    }
    expect([await usedAfter(59), await usedAfter(59), await usedAfter(61)]).toEqual([
      [200, true],
      [200, true],
      [401, false],
    ])
  })

  it('end at their age, however much they are used [ct.2.5.absolute gw.setting.session_absolute_ttl_ms]', async () => {
    const folder = aFolder()
    const env = { SESSION_ABSOLUTE_TTL_MS: '3600000' }
    const first = await aGateway(env, folder)
    const session = await aUser(first, 'ageing', 'viewer')
    await first.stop()
    const aged = async (minutes: number) => {
      const created = new Date(Date.now() - minutes * 60_000)
      const expires = new Date(created.getTime() + 3_600_000)
      changed(folder, (raw) =>
        raw
          .prepare('update admin_sessions set created_at = ?, expires_at = ?')
          .run(created.toISOString(), expires.toISOString()),
      )
      const gateway = await aGateway(env, folder)
      const { status } = await me(gateway, session)
      await gateway.stop()
      return status
    }
    expect([await aged(59), await aged(61)]).toEqual([200, 401])
  })
})
