// Admin users: create, change, delete; never down to no admin. Contract 7.6, 10.4.

import { type Passwords, requireStrong } from '../../auth/passwords.ts'
import type { LiveSession, OpenedSession, Origin, Sessions } from '../../auth/sessions.ts'
import type { UserRecord } from '../../contract/admin/users.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, ROLES, type Role } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import { type By, difference, type Revision, requireRevision } from '../../records/changes.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Query, Tx } from '../../storage/schema.ts'
import {
  awaitsPassword,
  deleteUser,
  insertUser,
  otherAdmins,
  type UserRow,
  updateUser,
  userByName,
  usersAfter,
} from '../../storage/users.ts'
import { type InvitationInput, newInvitation } from './invitation-token.ts'
import { requireTeam } from './teams.ts'

export type NewUser = {
  readonly username: string
  /** Either a password, or an invitation to choose one. */
  readonly password?: string | undefined
  readonly invitation?: InvitationInput | undefined
  readonly role: Role
  readonly teamId: number | null
}
export type UserChange = {
  readonly role?: Role | undefined
  readonly isActive?: boolean | undefined
  readonly password?: string | undefined
}
/** The user whose own session survives a change of the own record: a new one is opened. */
export type Own = { readonly session: LiveSession | undefined; readonly from: Origin }

/** With the link of a new invitation. */
export type InvitedUser = UserRecord & { readonly invitationUrl: string }
type ChangedUser = { readonly user: UserRecord; readonly reopened: OpenedSession | undefined }
export type Users = ReturnType<typeof createUsers>

type UsersDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessions: Pick<Sessions, 'open' | 'end' | 'ended'>
  /** What ends the connections of a user to backends; absent where there are none. */
  readonly ending?: (of: { readonly username: string }) => Promise<(by: By) => Promise<void>>
}

export function userRecord(row: UserRow): UserRecord {
  const role = ROLES.find((known) => known === row.role)
  if (role === undefined) throw new Error(`The database holds the unknown role "${row.role}"`)
  return {
    username: row.username,
    role,
    isActive: row.is_active === 1,
    teamId: row.team_id,
    authMethod: row.auth_method === 'oidc' ? 'oidc' : 'password',
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
    invitation: awaitsPassword(row) ? { expiresAt: row.invitation_expires_at } : null,
    revision: row.revision,
  }
}

export async function requiredUser(query: Query, username: string): Promise<UserRow> {
  const row = await userByName(query, username)
  if (row === undefined) throw new GatewayError('USER_NOT_FOUND', 'There is no such user')
  return row
}

/** Inside the transaction of the change: two admins who remove each other at once cannot both succeed. */
async function keepAnAdmin(tx: Tx, row: UserRow, remains: 'admin' | 'in a team' | 'gone'): Promise<void> {
  if (remains === 'admin' || row.role !== 'admin' || row.is_active !== 1 || awaitsPassword(row)) return
  const { admins, superadmins } = await otherAdmins(tx, row.username)
  if (admins === 0 && remains === 'gone')
    throw new GatewayError('LAST_ADMIN_PROTECTED', 'No active admin would remain; make another user admin first')
  if (row.team_id === null && superadmins === 0)
    throw new GatewayError(
      'LAST_SUPERADMIN_PROTECTED',
      'No admin without a team would remain; make another user one first',
    )
}

const SET = '[set]'

export function createUsers({ database, changes, passwords, sessions, clock, ending }: UsersDeps) {
  const iso = (): string => new Date(clock.now()).toISOString()

  return {
    async list(_actor: Actor, { limit, cursor }: Paging): Promise<Page<UserRecord>> {
      const rows = await usersAfter(database.query, afterName(cursor), limit + 1)
      return pageByName(rows.map(userRecord), limit, ({ username }) => username)
    },

    get: async (_actor: Actor, username: string): Promise<UserRecord> =>
      userRecord(await requiredUser(database.query, username)),

    async create(by: By, input: NewUser, baseUrl: string): Promise<UserRecord | InvitedUser> {
      const { username, password, invitation, role, teamId } = input
      if (password !== undefined) requireStrong(password, { username })
      const invited = invitation && newInvitation(invitation, clock.now(), baseUrl)
      await requireTeam(database.query, teamId)
      const taken = () => new GatewayError('USER_EXISTS', `There is a user "${username}" already`)
      if (await userByName(database.query, username)) throw taken()
      const password_hash = password === undefined ? null : await passwords.hash(password)
      const at = iso()
      return changes(by, async (tx, audit) => {
        if (await userByName(tx, username)) throw taken()
        await requireTeam(tx, teamId)
        await insertUser(tx, {
          username,
          password_hash,
          role,
          is_active: 1,
          team_id: teamId,
          auth_method: 'password',
          created_at: at,
          updated_at: at,
          created_by: by.actor.name,
          last_login_at: null,
          ...invited?.columns,
        })
        const entry = invitation ? { invitation } : { password: SET }
        await audit('user.create', username, { after: { role, isActive: true, teamId, ...entry } })
        const made = userRecord(await requiredUser(tx, username))
        return invited ? { ...made, invitationUrl: invited.url } : made
      })
    },

    async update(
      by: By,
      username: string,
      change: UserChange,
      expected: readonly Revision[],
      { session, from }: Own,
    ): Promise<ChangedUser> {
      const known = await requiredUser(database.query, username)
      if (change.password !== undefined) {
        if (known.auth_method === 'oidc')
          throw new GatewayError('SSO_USER', 'This user signs in through single sign-on and has no password here')
        requireStrong(change.password, { username })
        // Before the expensive hash, and again below, where it counts.
        requireRevision(known.revision, expected)
      }
      const password_hash = change.password === undefined ? undefined : await passwords.hash(change.password)
      const endConnections = change.isActive === false ? await ending?.({ username }) : undefined
      const { ended, ...done } = await changes(by, async (tx, audit) => {
        const row = await requiredUser(tx, username)
        requireRevision(row.revision, expected)
        const before = { role: row.role, isActive: row.is_active === 1 }
        const after = { role: change.role ?? before.role, isActive: change.isActive ?? before.isActive }
        const changed = difference(before, after)
        if (!changed && password_hash === undefined) return { user: userRecord(row), reopened: undefined, ended: [] }
        await keepAnAdmin(tx, row, after.role === 'admin' && after.isActive ? 'admin' : 'gone')
        await updateUser(tx, username, {
          role: after.role,
          is_active: after.isActive ? 1 : 0,
          updated_at: iso(),
          ...(password_hash === undefined ? {} : { password_hash }),
        })
        const ids = await sessions.end(tx, { username })
        const password = password_hash === undefined ? {} : { password: SET }
        await audit('user.update', username, {
          before: { ...changed?.before, ...password },
          after: { ...changed?.after, ...password },
        })
        // Rights changed, so the token does too.
        const stays = session?.username === username && after.isActive
        const reopened = stays ? await sessions.open(tx, username, from) : undefined
        return { user: userRecord(await requiredUser(tx, username)), reopened, ended: ids }
      })
      sessions.ended(ended)
      await endConnections?.(by)
      return done
    },

    async setTeam(
      by: By,
      username: string,
      teamId: number | null,
      expected: readonly Revision[],
      { session, from }: Own,
    ): Promise<ChangedUser> {
      const { ended, ...done } = await changes(by, async (tx, audit) => {
        const row = await requiredUser(tx, username)
        requireRevision(row.revision, expected)
        await requireTeam(tx, teamId)
        const changed = difference({ teamId: row.team_id }, { teamId })
        if (!changed) return { user: userRecord(row), reopened: undefined, ended: [] }
        if (teamId !== null) await keepAnAdmin(tx, row, 'in a team')
        await updateUser(tx, username, { team_id: teamId, updated_at: iso() })
        const ids = await sessions.end(tx, { username })
        await audit('user.team.set', username, changed)
        const stays = session?.username === username && row.is_active === 1
        const reopened = stays ? await sessions.open(tx, username, from) : undefined
        return { user: userRecord(await requiredUser(tx, username)), reopened, ended: ids }
      })
      sessions.ended(ended)
      return done
    },

    async delete(by: By, username: string, expected: readonly Revision[]): Promise<void> {
      const endConnections = await ending?.({ username })
      const ended = await changes(by, async (tx, audit) => {
        const row = await requiredUser(tx, username)
        requireRevision(row.revision, expected)
        await keepAnAdmin(tx, row, 'gone')
        await deleteUser(tx, username)
        const ids = await sessions.end(tx, { username })
        const { role, isActive, teamId } = userRecord(row)
        await audit('user.delete', username, { before: { role, isActive, teamId } })
        return ids
      })
      sessions.ended(ended)
      await endConnections?.(by)
    },
  }
}
