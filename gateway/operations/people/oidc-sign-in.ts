// Signing in at an identity provider: there with a state that only this browser can bring back, and back once. Contract 7.1.

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { type Claims, domainAllowed, isComplete, roleOf, usernameOf, verifiedEmail } from '../../auth/oidc-claims.ts'
import { type OidcProvider, type ProviderAccess, ProviderError } from '../../auth/oidc-provider.ts'
import { type LiveSession, type OpenedSession, type Origin, type Sessions, sameToken } from '../../auth/sessions.ts'
import type { SsoError } from '../../contract/admin/oidc.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Role } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { Audit } from '../../records/changes.ts'
import { openOidcSignIn, takeOidcSignIn, userBySubject } from '../../storage/oidc.ts'
import type { Tx } from '../../storage/schema.ts'
import { insertUser, noteLogin, otherAdmins, type UserRow, updateUser, userByName } from '../../storage/users.ts'
import { type Configured, callbackAt, type Oidc } from './oidc.ts'

type From = Origin & { readonly requestId: string }
export type Answered = {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly error: string | undefined
  readonly iss: string | undefined
}
export type SignedIn =
  | { readonly ok: true; readonly opened: OpenedSession; readonly returnTo: string }
  | { readonly ok: false; readonly error: SsoError }
export type OidcSignIn = ReturnType<typeof createOidcSignIn>

type OidcSignInDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly oidc: Oidc
  readonly provider: OidcProvider
  readonly sessions: Pick<Sessions, 'open' | 'end' | 'ended'>
}

export const SIGN_IN_TTL_MS = 600_000
const MOST_UNDER_WAY = 10_000

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const token = (): string => randomBytes(32).toString('base64url')
/** Stored in the browser alone: what the database holds of a sign-in under way cannot be used. */
const derived = (browser: string, state: string, use: string): string =>
  createHmac('sha256', browser).update(`gantry sso ${use} ${state}`).digest('base64url')

/** Why it ended, for the browser in a word and for the log in a few. */
class Refused extends Error {
  readonly error: SsoError
  constructor(error: SsoError, reason: string) {
    super(reason)
    this.name = 'Refused'
    this.error = error
  }
}

/** Only into the admin application, for every spelling that leads out of it. */
export function safeReturn(wanted: string | undefined): string {
  const home = '/admin'
  if (wanted === undefined || !wanted.startsWith('/') || !URL.canParse(wanted, 'http://gantry.invalid')) return home
  const { origin, pathname, search, hash: fragment } = new URL(wanted, 'http://gantry.invalid')
  if (origin !== 'http://gantry.invalid' || !/^\/admin(\/|$)/.test(pathname) || /\/\/|%5c|%2f/i.test(pathname))
    return home
  return pathname + search + fragment
}

export function createOidcSignIn({ database, changes, oidc, provider, sessions, clock }: OidcSignInDeps) {
  const iso = (ms = clock.now()): string => new Date(ms).toISOString()
  const accessOf = (configured: Configured, clientSecret: string | null): ProviderAccess => ({
    ...configured,
    clientSecret,
  })

  /** The claims of the person who signed in. Throws Refused. */
  async function claimsOf(
    {
      configured,
      state,
      browser,
      redirectUri,
    }: { configured: Configured; state: string; browser: string; redirectUri: string },
    { code, iss }: Answered,
  ): Promise<Claims & { readonly sub: string }> {
    if (code === undefined) throw new Refused('exchange', 'the provider sent no code')
    const at = async <T>(error: SsoError, work: () => Promise<T>): Promise<T> => {
      try {
        return await work()
      } catch (thrown) {
        if (thrown instanceof ProviderError || thrown instanceof GatewayError) throw new Refused(error, thrown.message)
        throw thrown
      }
    }
    const access = await at('exchange', async () => accessOf(configured, await configured.clientSecret()))
    const { namesItself } = await at('exchange', () => provider.discover(access))
    if ((iss === undefined && namesItself) || (iss !== undefined && iss !== configured.issuer))
      throw new Refused('state', 'the answer came from another provider')
    const verifier = derived(browser, state, 'pkce')
    const grant = await at('exchange', () => provider.exchange(access, { code, verifier, redirectUri }))
    const nonce = derived(browser, state, 'nonce')
    const claims = await at('token', () => provider.verify(access, grant.idToken, nonce))
    if (isComplete(claims, configured)) return claims
    const filled = await at('exchange', () => provider.fillIn(access, claims, grant.accessToken))
    return { ...filled, sub: claims.sub }
  }

  /** The user here: known by issuer and subject, or new. A name alone never makes a known user. */
  async function userOf(
    tx: Tx,
    audit: Audit,
    claims: Claims & { readonly sub: string },
    configured: Configured,
    username: string,
  ): Promise<UserRow> {
    if (!domainAllowed(claims, configured)) throw new Refused('not_allowed', 'no verified address of an allowed domain')
    const { issuer } = configured
    const role = roleOf(claims, configured)
    const known = await userBySubject(tx, issuer, claims.sub)
    if (known?.username === username) return withRole(tx, audit, known, role)
    const namesake = await userByName(tx, username)
    const linked = { oidc_issuer: issuer, oidc_subject: claims.sub }
    if (namesake) {
      const proven = configured.usernameClaim === 'email' && verifiedEmail(claims) === username
      if (namesake.auth_method !== 'password' || !proven)
        throw new Refused('not_allowed', 'another user already has this user name')
      await updateUser(tx, username, { ...linked, auth_method: 'oidc', password_hash: null, updated_at: iso() })
      await audit('user.update', username, { before: { authMethod: 'password' }, after: { authMethod: 'oidc' } })
      return withRole(tx, audit, { ...namesake, ...linked }, role)
    }
    if (!configured.autoProvision) throw new Refused('not_allowed', 'no user has this name')
    const at = iso()
    const given: Role = role ?? configured.defaultRole
    await insertUser(tx, {
      username,
      ...linked,
      password_hash: null,
      role: given,
      is_active: 1,
      team_id: null,
      auth_method: 'oidc',
      created_at: at,
      updated_at: at,
      created_by: username,
      last_login_at: null,
    })
    await audit('user.create', username, { after: { role: given, isActive: true, teamId: null, authMethod: 'oidc' } })
    return required(tx, username)
  }

  const required = async (tx: Tx, username: string): Promise<UserRow> => {
    const row = await userByName(tx, username)
    if (row === undefined) throw new Refused('not_allowed', 'the user is gone')
    return row
  }

  /** Groups change at the provider, so they are read at every sign-in. */
  async function withRole(tx: Tx, audit: Audit, user: UserRow, role: Role | undefined): Promise<UserRow> {
    if (user.is_active !== 1) throw new Refused('user_inactive', 'the user is not active')
    if (role === undefined || role === user.role) return user
    if (user.role === 'admin') {
      const { admins, superadmins } = await otherAdmins(tx, user.username)
      if (admins === 0 || (user.team_id === null && superadmins === 0))
        throw new Refused('not_allowed', 'the provider takes the role from the last admin')
    }
    await updateUser(tx, user.username, { role, updated_at: iso() })
    await audit('user.update', user.username, { before: { role: user.role }, after: { role } })
    return required(tx, user.username)
  }

  return {
    /** Where to send the browser, and what it must bring back. */
    async start(
      returnTo: string | undefined,
      baseUrl: string,
    ): Promise<{ readonly location: string; readonly browser: string }> {
      const configured = await oidc.configured()
      if (configured === undefined)
        throw new GatewayError('SSO_NOT_CONFIGURED', 'Single sign-on is not set up: sign in with a password')
      const found = await provider.discover(accessOf(configured, null)).catch((error: unknown) => {
        throw error instanceof ProviderError ? new GatewayError('SSO_DISCOVERY_FAILED', error.message) : error
      })
      const [browser, state] = [token(), token()]
      const redirectUri = configured.redirectUri ?? callbackAt(baseUrl)
      const row = {
        state_hash: hash(state),
        browser_hash: hash(browser),
        return_to: safeReturn(returnTo),
        issuer: configured.issuer,
        client_id: configured.clientId,
        redirect_uri: redirectUri,
        expires_at: iso(clock.now() + SIGN_IN_TTL_MS),
      }
      await database.write((tx) => openOidcSignIn(tx, row, iso(), MOST_UNDER_WAY), 'sign-ins')
      const location = new URL(found.authorization_endpoint)
      const asked = {
        response_type: 'code',
        client_id: configured.clientId,
        redirect_uri: redirectUri,
        scope: configured.scopes,
        state,
        nonce: derived(browser, state, 'nonce'),
        code_challenge: createHash('sha256')
          .update(derived(browser, state, 'pkce'))
          .digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value)
      return { location: location.href, browser }
    },

    async finish(
      answered: Answered,
      browser: string | undefined,
      from: From,
      before: LiveSession | undefined,
    ): Promise<SignedIn> {
      try {
        const { state } = answered
        // Taken before anything else is checked: on every outcome, this state cannot be used again.
        const row = state === undefined ? undefined : await database.write((tx) => takeOidcSignIn(tx, hash(state)))
        const configured = await oidc.configured()
        if (state === undefined || row === undefined || row.expires_at <= iso())
          throw new Refused('state', 'no sign-in of this state is under way')
        if (browser === undefined || !sameToken(hash(browser), row.browser_hash))
          throw new Refused('state', 'it was started in another browser')
        if (configured?.issuer !== row.issuer || configured.clientId !== row.client_id)
          throw new Refused('state', 'the single sign-on settings changed during the sign-in')
        if (answered.error !== undefined) throw new Refused('denied', 'the provider refused')
        const claims = await claimsOf({ configured, state, browser, redirectUri: row.redirect_uri }, answered)
        const known = await userBySubject(database.query, row.issuer, claims.sub)
        const name = known?.username ?? usernameOf(claims, configured)
        if (name === undefined) throw new Refused('not_allowed', 'the claim contains no valid user name')
        const by = { actor: { name, teamId: known?.team_id ?? null }, requestId: from.requestId }
        const { opened, ended } = await changes(by, async (tx, audit) => {
          const user = await userOf(tx, audit, claims, configured, name)
          const over = before ? await sessions.end(tx, { username: before.username, only: before.id }) : []
          // Other rights, other sessions.
          const stale = known?.role === user.role ? [] : await sessions.end(tx, { username: name })
          const session = await sessions.open(tx, name, from)
          await noteLogin(tx, name, iso())
          await audit('auth.sso.login', name, { ip: from.ip })
          return { opened: session, ended: [...over, ...stale] }
        })
        sessions.ended(ended)
        return { ok: true, opened, returnTo: row.return_to }
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown
        const { error, message: reason } = thrown
        await changes({ actor: { name: 'anonymous' }, requestId: from.requestId }, (_tx, audit) =>
          audit('auth.sso.failed', 'unknown', { ip: from.ip, error, reason }),
        )
        return { ok: false, error }
      }
    },
  }
}
