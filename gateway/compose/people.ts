// Who acts: passwords, sessions and the first administrator; and the routes of people and of the gateway itself.
import type { MountTable } from '../admin/handlers.ts'
import { type AdminDeps, mountAdmin } from '../admin/mount-admin.ts'
import { type Authenticator, createAuthenticator } from '../auth/admin.ts'
import { type Bootstrapped, bootstrapAdmin } from '../auth/bootstrap.ts'
import { createCookies } from '../auth/cookies.ts'
import { createOidcProvider } from '../auth/oidc-provider.ts'
import { createPasswords } from '../auth/passwords.ts'
import { createSessions, type Sessions } from '../auth/sessions.ts'
import type { Connections } from '../operations/identity/connections.ts'
import { createInvitations } from '../operations/people/invitations.ts'
import { createOidc } from '../operations/people/oidc.ts'
import { createOidcSignIn } from '../operations/people/oidc-sign-in.ts'
import { createSignIn } from '../operations/people/sign-in.ts'
import { createTeams } from '../operations/people/teams.ts'
import { createUsers } from '../operations/people/users.ts'
import type { Foundation } from './foundation.ts'

type Observed = Pick<AdminDeps, 'overviews' | 'usages' | 'traces' | 'backups' | 'baseUrl'> & {
  readonly ending: Connections['ending']
}

export type People = {
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  /** Creates the first administrator. The hash of a password takes longer than the rest of a start. */
  readonly bootstrap: () => Promise<Bootstrapped>
  readonly mountOn: (mount: MountTable, observed: Observed) => void
}

export function createPeople(base: Foundation, passwordCost: number | undefined): People {
  const { settings } = base
  const passwords = createPasswords(passwordCost === undefined ? {} : { cost: passwordCost })
  const sessions = createSessions(base)
  const cookies = createCookies({ secure: settings.SESSION_COOKIE_SECURE })
  const authenticator = createAuthenticator({ settings, sessions, cookies })
  return {
    authenticator,
    sessions,
    bootstrap: () => bootstrapAdmin({ ...base, passwords, requestId: base.newId() }),
    mountOn(mount, { ending, ...observed }) {
      const provider = createOidcProvider(base.outbound, { timeoutMs: settings.OIDC_TIMEOUT_MS, ...base })
      const oidc = createOidc({ ...base, provider })
      const people = { ...base, passwords, sessions }
      mountAdmin(mount, {
        ...people,
        ...observed,
        runtime: `node ${process.version}`,
        authenticator,
        cookies,
        oidc,
        oidcSignIn: createOidcSignIn({ ...people, oidc, provider }),
        signIn: createSignIn(people),
        users: createUsers({ ...people, ending }),
        invitations: createInvitations(people),
        teams: createTeams(base),
      })
    },
  }
}
