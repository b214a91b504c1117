// Authenticates admin API callers: desktop window, Bearer key of the environment, or session. Contract 2.1.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../contract/error.ts'
import { type Access, type Actor, mayUse } from '../contract/role.ts'
import type { Settings } from '../settings/table.ts'
import type { Cookies } from './cookies.ts'
import { desktopActor } from './desktop.ts'
import { type LiveSession, requireCsrf, type Sessions } from './sessions.ts'

export type Identity = { readonly actor: Actor; readonly session?: LiveSession }

export type Authenticator = ReturnType<typeof createAuthenticator>

type Needs = {
  readonly settings: Pick<Settings, 'ADMIN_API_KEYS' | 'AUTH_DISABLED'>
  readonly sessions: Pick<Sessions, 'find'>
  readonly cookies: Pick<Cookies, 'read'>
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
const BEARER = /^Bearer ([\x21-\x7e]+)$/

const unauthorized = (): GatewayError =>
  new GatewayError('UNAUTHORIZED', 'Sign in, or send an admin key as Bearer; this credential is missing or not valid')

const digest = (key: string): string => createHash('sha256').update(key).digest('hex')

export function createAuthenticator({ settings, sessions, cookies }: Needs) {
  // Keys are looked up by digest, so that timing reveals nothing about a partly correct key.
  const keys = new Map(settings.ADMIN_API_KEYS.map((key) => [digest(key), `bearer:${digest(key).slice(0, 8)}`]))

  async function sessionOf({ headers }: IncomingMessage): Promise<LiveSession | undefined> {
    const token = cookies.read(headers.cookie)
    return token === undefined ? undefined : sessions.find(token)
  }

  async function bySession(raw: IncomingMessage): Promise<Identity> {
    const session = await sessionOf(raw)
    if (!session) throw unauthorized()
    if (!READING.has(raw.method ?? '')) requireCsrf(session, raw.headers['x-csrf-token'])
    const { username, role, teamId, id } = session
    return { session, actor: { name: username, kind: 'session', role, teamId, username, sessionId: id } }
  }

  return {
    /** The session of a request, independent of other credentials; no error if absent. */
    sessionOf,
    /** Throws UNAUTHORIZED, or CSRF_VALIDATION_FAILED for a mutation under a session. */
    async identify(raw: IncomingMessage): Promise<Identity> {
      const desktop = desktopActor(raw)
      if (desktop) return { actor: desktop }
      if (settings.AUTH_DISABLED)
        return { actor: { name: 'auth-disabled', kind: 'disabled', role: 'admin', teamId: null } }
      const given = bearerOf(raw)
      if (given === undefined) return bySession(raw)
      const name = keys.get(digest(given))
      if (name === undefined) throw unauthorized()
      return { actor: { name, kind: 'bearer', role: 'admin', teamId: null } }
    },
  }
}

/** A malformed Bearer is refused; other schemes may belong to a proxy and are ignored. */
function bearerOf(raw: IncomingMessage): string | undefined {
  const count = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization').length
  const header = raw.headers.authorization
  if (count > 1) throw unauthorized()
  if (header === undefined || !/^bearer\b/i.test(header)) return undefined
  const token = BEARER.exec(header)?.[1]
  if (token === undefined) throw unauthorized()
  return token
}

export function requireAccess(actor: Actor, access: Exclude<Access, 'public'>): void {
  if (mayUse(actor, access)) return
  const needed: Record<typeof access, string> = {
    viewer: 'This needs the role viewer',
    auditor: 'This needs the role auditor',
    operator: 'This needs the role operator',
    admin: 'This needs the role admin',
    superadmin: 'This needs an admin without a team',
    self: 'Only a user who signed in with a password can do this',
  }
  throw new GatewayError('FORBIDDEN', needed[access])
}
