// Signing in and out, the own password, the own sessions. Contract 7.1.

import { type Passwords, requireStrong } from '../../auth/passwords.ts'
import type { LiveSession, Origin, Sessions } from '../../auth/sessions.ts'
import type { SessionRecord } from '../../contract/admin/auth.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { Paging } from '../../storage/page.ts'
import { noteLogin, updateUser, userByName } from '../../storage/users.ts'

export type SignIn = ReturnType<typeof createSignIn>

type Credentials = { readonly username: string; readonly password: string }
type Replacement = { readonly current: string; readonly next: string }
export type Caller = Origin & { readonly requestId: string }

type SignInDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly passwords: Passwords
  readonly sessions: Sessions
}

const wrong = (): GatewayError => new GatewayError('INVALID_CREDENTIALS', 'The user name or the password is wrong')

export function createSignIn({ database, changes, passwords, sessions, clock }: SignInDeps) {
  const iso = (): string => new Date(clock.now()).toISOString()

  async function refuse(name: string, from: Caller, reason: string): Promise<never> {
    await changes({ actor: { name: 'anonymous' }, requestId: from.requestId }, (_tx, audit) =>
      audit('auth.login_failed', name, { ip: from.ip, reason }),
    )
    throw wrong()
  }

  return {
    /** Unknown, wrong and inactive are one answer, in one time. The session the browser came with ends. */
    async signIn({ username, password }: Credentials, from: Caller, before: LiveSession | undefined) {
      const name = username.trim().toLowerCase()
      const user = await userByName(database.query, name)
      const right = await passwords.verify(password, user?.password_hash ?? null)
      // People type their password into the wrong field: an unknown name is not recorded.
      if (!user) return refuse('unknown', from, 'unknown_user')
      if (!right) return refuse(user.username, from, 'wrong_password')
      if (user.is_active !== 1) return refuse(user.username, from, 'inactive')
      const done = await changes({ actor: { name: user.username }, requestId: from.requestId }, async (tx, audit) => {
        const now = await userByName(tx, user.username)
        // Changed while the password was checked: what was right then need not be right any more.
        if (now?.is_active !== 1 || now.password_hash !== user.password_hash) throw wrong()
        const ended = before ? await sessions.end(tx, { username: before.username, only: before.id }) : []
        const opened = await sessions.open(tx, user.username, from)
        await noteLogin(tx, user.username, iso())
        await audit('auth.login', user.username, { ip: from.ip })
        return { user: now, opened, ended }
      })
      sessions.ended(done.ended)
      return done
    },

    async signOut(requestId: string, session: LiveSession): Promise<void> {
      const ended = await changes({ actor: { name: session.username }, requestId }, async (tx, audit) => {
        const ids = await sessions.end(tx, { username: session.username, only: session.id })
        if (ids.length > 0) await audit('auth.logout', session.username)
        return ids
      })
      sessions.ended(ended)
    },

    async changePassword(by: By, { username }: LiveSession, { current, next }: Replacement, from: Origin) {
      const user = await userByName(database.query, username)
      if (user?.auth_method === 'oidc')
        throw new GatewayError('SSO_USER', 'You sign in through single sign-on; change the password there')
      const hash = user?.password_hash ?? null
      const wrongNow = () => new GatewayError('INVALID_CREDENTIALS', 'The current password is wrong')
      if (!(await passwords.verify(current, hash))) throw wrongNow()
      requireStrong(next, { username, current })
      const password_hash = await passwords.hash(next)
      const { opened, ended } = await changes(by, async (tx, audit) => {
        if ((await userByName(tx, username))?.password_hash !== hash) throw wrongNow()
        await updateUser(tx, username, { password_hash, updated_at: iso() })
        const ids = await sessions.end(tx, { username })
        await audit('auth.password.change', username, {
          before: { password: '[set]' },
          after: { password: '[set]' },
        })
        return { opened: await sessions.open(tx, username, from), ended: ids }
      })
      sessions.ended(ended)
      return opened
    },

    list: (session: LiveSession, page: Paging): Promise<Page<SessionRecord>> => sessions.list(session, page),

    async revoke(by: By, { username }: LiveSession, id: number): Promise<void> {
      const ended = await changes(by, async (tx, audit) => {
        const ids = await sessions.end(tx, { username, only: id })
        if (ids.length === 0) throw new GatewayError('SESSION_NOT_FOUND', 'You have no such session')
        await audit('auth.session.revoke', String(id), { username })
        return ids
      })
      sessions.ended(ended)
    },

    async revokeOthers(by: By, { username, id }: LiveSession): Promise<number> {
      const ended = await changes(by, async (tx, audit) => {
        const ids = await sessions.end(tx, { username, except: id })
        for (const each of ids) await audit('auth.session.revoke', String(each), { username })
        return ids
      })
      sessions.ended(ended)
      return ended.length
    },
  }
}
