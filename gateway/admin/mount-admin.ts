// The routes of people and of the gateway itself: each table with its operations.

import type { FastifyRequest } from 'fastify'
import type { Authenticator } from '../auth/admin.ts'
import type { Cookies } from '../auth/cookies.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { users } from '../contract/admin/users.ts'
import { ADMIN } from '../contract/index.ts'
import type { Events } from '../live/events.ts'
import type { Backups } from '../operations/observation/backup.ts'
import type { Overviews } from '../operations/observation/overview.ts'
import type { Traces } from '../operations/observation/traces.ts'
import type { Usages } from '../operations/observation/usage.ts'
import type { Invitations } from '../operations/people/invitations.ts'
import type { Oidc } from '../operations/people/oidc.ts'
import type { OidcSignIn } from '../operations/people/oidc-sign-in.ts'
import type { SignIn } from '../operations/people/sign-in.ts'
import type { Teams } from '../operations/people/teams.ts'
import type { Users } from '../operations/people/users.ts'
import type { Base } from '../records/base.ts'
import type { Loaded } from '../settings/load.ts'
import { auditLogHandlers } from './audit-log.ts'
import { authHandlers } from './auth.ts'
import { configHandlers } from './config.ts'
import { bare } from './connect.ts'
import type { MountTable } from './handlers.ts'
import type { ActorContext, Handlers } from './mount.ts'
import { oidcHandlers } from './oidc.ts'
import { overviewHandlers } from './overview.ts'
import { giveSession, originOf } from './own-session.ts'

type ChangedUser = Awaited<ReturnType<Users['update']>>

/** Changes of the own user record open its session again; links name the gateway as the caller does. */
function userHandlers({
  users: operations,
  invitations,
  cookies,
  baseUrl,
}: AdminDeps): Pick<Handlers<typeof users>, 'create' | 'invite' | 'update' | 'setTeam'> {
  const named = ({ request }: ActorContext) => bare(baseUrl(request))
  const own = (context: ActorContext) => ({ session: context.session, from: originOf(context) })
  const shown = (context: ActorContext, { user, reopened }: ChangedUser) => {
    if (reopened) giveSession(context, cookies, reopened)
    return user
  }
  return {
    create: ({ body }, context) => operations.create(context, body, named(context)),
    invite: ({ params, body }, context) => invitations.invite(context, params.username, body, named(context)),
    async update({ params, body: { is_active, isActive = is_active, revision, ...change } }, context) {
      const expected = [context.ifMatch, revision]
      const { username } = params
      return shown(context, await operations.update(context, username, { ...change, isActive }, expected, own(context)))
    },
    async setTeam({ params, body: { teamId, revision } }, context) {
      const expected = [context.ifMatch, revision]
      return shown(context, await operations.setTeam(context, params.username, teamId, expected, own(context)))
    },
  }
}

export type AdminDeps = Pick<Base, 'clock' | 'database' | 'changes' | 'version'> & {
  readonly loaded: Loaded
  /** Such as `node v24.1.0`. */
  readonly runtime: string
  readonly authenticator: Authenticator
  readonly cookies: Cookies
  readonly sessions: Sessions
  readonly events: Events
  readonly signIn: SignIn
  readonly oidc: Oidc
  readonly oidcSignIn: OidcSignIn
  readonly users: Users
  readonly invitations: Invitations
  readonly teams: Teams
  readonly overviews: Overviews
  readonly usages: Usages
  readonly traces: Traces
  readonly backups: Backups
  /** How this caller names the gateway. */
  readonly baseUrl: (request: FastifyRequest) => string
}

export function mountAdmin(mount: MountTable, parts: AdminDeps): void {
  const { users, invitations, teams, overviews, usages, traces, database } = parts
  mount(ADMIN.auth, {}, authHandlers(parts))
  mount(ADMIN.oidc, {}, oidcHandlers(parts))
  mount(ADMIN.overview, overviews, overviewHandlers(parts))
  mount(ADMIN.users, { ...users, ...invitations }, userHandlers(parts))
  mount(ADMIN.teams, teams)
  mount(ADMIN.usage, usages)
  mount(ADMIN.traces, traces)
  mount(ADMIN.auditLog, {}, auditLogHandlers(parts))
  mount(ADMIN.config, {}, configHandlers({ ...parts, dbVersion: database.version }))
}
