// The whole admin API on one Fastify instance: each noun's table with its handlers.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Authenticator } from '../auth/admin.ts'
import type { Cookies } from '../auth/cookies.ts'
import type { Sessions } from '../auth/sessions.ts'
import { ADMIN } from '../contract/index.ts'
import type { Events } from '../live/events.ts'
import type { Backups } from '../operations/observation/backup.ts'
import type { Overviews } from '../operations/observation/overview.ts'
import type { Traces } from '../operations/observation/traces.ts'
import type { Usages } from '../operations/observation/usage.ts'
import type { Oidc } from '../operations/people/oidc.ts'
import type { OidcSignIn } from '../operations/people/oidc-sign-in.ts'
import type { SignIn } from '../operations/people/sign-in.ts'
import type { Teams } from '../operations/people/teams.ts'
import type { Users } from '../operations/people/users.ts'
import type { Changes } from '../records/changes.ts'
import type { Loaded } from '../settings/load.ts'
import type { Database } from '../storage/database.ts'
import { auditLogHandlers } from './audit-log.ts'
import { authHandlers } from './auth.ts'
import { configHandlers } from './config.ts'
import { type MountParts, mountAll } from './mount.ts'
import { traceHandlers, usageHandlers } from './observation.ts'
import { oidcHandlers } from './oidc.ts'
import { overviewHandlers } from './overview.ts'
import { teamHandlers, userHandlers } from './people.ts'

export type AdminParts = Omit<MountParts, 'authenticator'> & {
  readonly loaded: Loaded
  readonly version: string
  /** Such as `node v24.1.0`. */
  readonly runtime: string
  readonly clock: { now(): number }
  readonly database: Database
  readonly authenticator: Authenticator
  readonly cookies: Cookies
  readonly sessions: Sessions
  readonly events: Events
  readonly changes: Changes
  readonly signIn: SignIn
  readonly oidc: Oidc
  readonly oidcSignIn: OidcSignIn
  readonly users: Users
  readonly teams: Teams
  readonly overviews: Overviews
  readonly usages: Usages
  readonly traces: Traces
  readonly backups: Backups
  /** How this caller names the gateway. */
  readonly baseUrl: (request: FastifyRequest) => string
}

export function mountAdmin(app: FastifyInstance, parts: AdminParts): void {
  mountAll(
    app,
    ADMIN,
    {
      auth: authHandlers(parts),
      oidc: oidcHandlers(parts),
      overview: overviewHandlers(parts),
      users: userHandlers(parts.users, parts.cookies),
      teams: teamHandlers(parts.teams),
      usage: usageHandlers(parts.usages),
      traces: traceHandlers(parts.traces),
      auditLog: auditLogHandlers(parts),
      config: configHandlers({ ...parts, dbVersion: parts.database.version }),
    },
    parts,
  )
}
