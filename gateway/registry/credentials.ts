// The credentials of backends: decrypted once, or fetched as tokens; never shown or logged.

import type { UpstreamAuthInput } from '../contract/admin/clients.ts'
import { GatewayError } from '../contract/error.ts'
import { ExchangeError } from '../net/exchange.ts'
import type { Base } from '../records/base.ts'
import { backendByName } from '../storage/backends.ts'
import { fromText } from '../storage/json-text.ts'
import type { Query } from '../storage/schema.ts'
import type { OAuthStored } from '../storage/stored.ts'
import { secretParts, spellings } from '../text/spellings.ts'
import type { Injected, UpstreamCredential } from './backend.ts'
import { originOf, originsIn } from './credential-origins.ts'

export type Credentials = ReturnType<typeof createCredentials>

export const authRef = (name: string): string => `clients/${name}/upstream-auth`
export const oauthRef = (name: string): string => `clients/${name}/oauth`
export const budgetRef = (client: string, tool: string): string => `clients/${client}/tools/${tool}/context-budget`

type CredentialsDeps = Pick<Base, 'outbound'> & {
  readonly query: Query
  readonly box: { open(sealed: string, ref: string): Promise<string> }
  readonly tokenTimeoutMs: number
  /** Monotonic. */
  readonly monotonic: () => number
}

type CachedToken = {
  readonly credential: UpstreamCredential | undefined
  readonly untilMs: number
  readonly oauth: boolean
  readonly expiresInMs: number | null
}

/** No token, so nothing is sent; neither the gateway's nor the backend's fault (contract 9.3). */
export class TokenUnavailable extends GatewayError {
  readonly failure: 'network' | 'upstream_error'
  constructor(failure: TokenUnavailable['failure'], why: string) {
    super('SECRETS_PROVIDER_ERROR', `the token endpoint ${why}`)
    this.failure = failure
  }
}

const RENEW_BEFORE_MS = 60_000
/** Defaults and limits of a token's lifetime. */
const UNTOLD_MS = 300_000
const LONGEST_MS = 86_400_000
const TOKEN_ANSWER_MAX_BYTES = 65_536
/** How long a secret decrypted by a key service may be cached (contract 16). */
const REMEMBER_MS = 60_000

/** Sent to these origins only. */
export function boundTo(
  origins: readonly string[],
  { secrets, ...injected }: Injected & Pick<UpstreamCredential, 'secrets'>,
): UpstreamCredential {
  const given = new Set(origins)
  return { sentTo: (origin) => (given.has(origin) ? injected : undefined), secrets }
}

/** The sealed form: a credential from a pasted command may include cookies. */
export type StoredAuth = UpstreamAuthInput & { readonly cookie?: string | undefined }

export function credentialOf({ cookie, ...auth }: StoredAuth): Injected & Pick<UpstreamCredential, 'secrets'> {
  const own = credentialAlone(auth)
  if (cookie === undefined) return own
  const secrets = [...own.secrets, ...spellings(...secretParts(cookie))].sort((a, b) => b.length - a.length)
  return { ...own, headers: { ...own.headers, cookie }, secrets }
}

function credentialAlone(auth: UpstreamAuthInput): Injected & Pick<UpstreamCredential, 'secrets'> {
  if (auth.type === 'bearer')
    return { headers: { authorization: `Bearer ${auth.token}` }, secrets: spellings(auth.token) }
  if (auth.type === 'header')
    return { headers: { [auth.headerName.toLowerCase()]: auth.value }, secrets: spellings(...secretParts(auth.value)) }
  if (auth.type === 'query')
    return { headers: {}, query: { name: auth.paramName, value: auth.value }, secrets: spellings(auth.value) }
  const pair = `${auth.username}:${auth.password}`
  return {
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    secrets: spellings(pair, auth.password),
  }
}

export function createCredentials({ query, box, outbound, tokenTimeoutMs, monotonic }: CredentialsDeps) {
  const held = new Map<string, CachedToken>()
  const waiting = new Map<string, Promise<CachedToken>>()
  const kept = (credential: UpstreamCredential | undefined, untilMs: number): CachedToken => ({
    credential,
    untilMs,
    oauth: false,
    expiresInMs: null,
  })

  async function open(name: string): Promise<CachedToken> {
    const row = await backendByName(query, name)
    if (row === undefined) return kept(undefined, Number.POSITIVE_INFINITY)
    if (fromText(row.identity)?.mode === 'none') return kept(undefined, Number.POSITIVE_INFINITY)
    if (row.oauth_info !== null && row.oauth_secret !== null) {
      // Stored in this shape by operations/backends/upstream-auth.ts.
      return token(name, JSON.parse(row.oauth_info) as OAuthStored, await box.open(row.oauth_secret, oauthRef(name)))
    }
    if (row.upstream_auth === null) return kept(undefined, Number.POSITIVE_INFINITY)
    const auth = JSON.parse(await box.open(row.upstream_auth, authRef(name))) as StoredAuth
    return kept(boundTo(originsIn(row.upstream_auth_info), credentialOf(auth)), monotonic() + REMEMBER_MS)
  }

  async function token(name: string, settings: OAuthStored, clientSecret: string): Promise<CachedToken> {
    requireGiven(settings)
    const basic = settings.authStyle === 'basic'
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    if (!basic) {
      form.set('client_id', settings.clientId)
      form.set('client_secret', clientSecret)
    }
    if (settings.scope) form.set('scope', settings.scope)
    if (settings.audience) form.set('audience', settings.audience)
    const pair = `${encodeURIComponent(settings.clientId)}:${encodeURIComponent(clientSecret)}`
    const request = {
      url: settings.tokenUrl,
      owner: name,
      pin: outbound.repin(settings.tokenUrl, settings.addresses),
      method: 'POST' as const,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(basic ? { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } : {}),
      },
      body: form.toString(),
      deadlineMs: tokenTimeoutMs,
      maxBytes: TOKEN_ANSWER_MAX_BYTES,
    }
    const answer = await outbound.request(request).catch((error: unknown) => {
      if (error instanceof ExchangeError)
        throw new TokenUnavailable('network', `could not be queried: ${error.message}`)
      throw error
    })
    const { accessToken, expiresInMs } = readToken(answer.status, answer.body.toString('utf8'))
    const usableMs = Math.min(expiresInMs ?? UNTOLD_MS, LONGEST_MS) - RENEW_BEFORE_MS
    return {
      credential: boundTo(settings.origins, {
        headers: { authorization: `Bearer ${accessToken}` },
        secrets: spellings(accessToken, clientSecret, pair),
      }),
      untilMs: monotonic() + Math.max(0, usableMs),
      oauth: true,
      expiresInMs,
    }
  }

  const load = (name: string): Promise<CachedToken> => {
    const known = waiting.get(name)
    if (known) return known
    const loading = open(name)
      .then((fresh) => {
        // Ignores an outdated load: a `forget` in between means the settings changed.
        if (waiting.get(name) === loading) held.set(name, fresh)
        return fresh
      })
      .finally(() => {
        if (waiting.get(name) === loading) waiting.delete(name)
      })
    waiting.set(name, loading)
    return loading
  }

  const forget = (name: string): void => {
    held.delete(name)
    waiting.delete(name)
  }

  return {
    /** Synchronous when cached. Rejects if it cannot be decrypted: requests are never sent without it. */
    get(name: string): UpstreamCredential | undefined | Promise<UpstreamCredential | undefined> {
      const known = held.get(name)
      if (known && known.untilMs > monotonic()) return known.credential
      return load(name).then(({ credential }) => credential)
    },
    /** Drops a refused token. True if another can be fetched. */
    async refresh(name: string): Promise<boolean> {
      // Concurrent refusals share one token request.
      const fetching = waiting.get(name)
      if (fetching) return (await fetching).oauth
      const { oauth } = held.get(name) ?? (await load(name))
      if (!oauth) return false
      forget(name)
      await load(name)
      return true
    },
    forget,
    /** Fetches a token now, for the test button. */
    async fetchToken(name: string): Promise<{ readonly expiresInMs: number | null }> {
      forget(name)
      const { expiresInMs } = await load(name)
      return { expiresInMs }
    },
  }
}

/** The client secret is sent only to endpoints it is bound to, under any settings. */
function requireGiven({ tokenUrl, secretOrigins }: OAuthStored): void {
  const origin = originOf(tokenUrl)
  if (secretOrigins.includes(origin)) return
  const given = secretOrigins.join(', ') || 'no origin'
  throw new TokenUnavailable(
    'upstream_error',
    `${origin} does not receive the client secret, which was given for ${given}; an admin sets it again or confirms it with keepCredential`,
  )
}

function readToken(
  status: number,
  text: string,
): { readonly accessToken: string; readonly expiresInMs: number | null } {
  const refuse = (why: string): never => {
    throw new TokenUnavailable('upstream_error', why)
  }
  if (status < 200 || status > 299) refuse(`answered ${status}`)
  let answer: { access_token?: unknown; expires_in?: unknown; token_type?: unknown }
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    return refuse('did not answer JSON')
  }
  const { access_token: accessToken, expires_in: expiresIn } = answer
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    return refuse('answered without a usable access_token')
  const seconds = Number(expiresIn)
  return { accessToken, expiresInMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null }
}
