// Requests to an identity provider: metadata, keys, token exchange, userinfo.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Outbound, OutboundRequest } from '../net/outbound.ts'
import type { Base } from '../records/base.ts'
import { type Claims, merged } from './oidc-claims.ts'

export type ProviderAccess = {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client (PKCE only). */
  readonly clientSecret: string | null
  /** The environment names the issuer: its origin is trusted. */
  readonly trusted: boolean
}
export type Endpoints = {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly jwks_uri: string
  readonly userinfo_endpoint?: string | undefined
}
export type Discovered = Endpoints & {
  readonly secretInBody: boolean
  /** It sends `iss` in every answer (RFC 9207); reject answers without it. */
  readonly namesItself: boolean
}
export type Grant = { readonly idToken: string; readonly accessToken: string | null }
export type OidcProvider = ReturnType<typeof createOidcProvider>

/** Why the provider failed, without foreign text. */
export class ProviderError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProviderError'
  }
}

const MAX_BYTES = 1_048_576
const FRESH_MS = 600_000
const REFETCH_AFTER_MS = 30_000
const SKEW_SECONDS = 60
/** A token older than a sign-in may take belongs to another one. */
const MOST_SECONDS = 600
/** Asymmetric signatures only: a shared secret or `none` proves nothing. */
const ALGORITHMS = ['RS256', 'ES256', 'PS256', 'EdDSA', 'RS384', 'RS512', 'ES384', 'ES512', 'PS384', 'PS512']
const FORM = 'application/x-www-form-urlencoded'

const Metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.string().optional(),
  response_types_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
})
const Keys = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(200) })
const Tokens = z.looseObject({ id_token: z.string().max(65_536), access_token: z.string().max(65_536).optional() })

type Cached<T> = { readonly value: T; readonly at: number }

export function createOidcProvider(
  outbound: Pick<Outbound, 'request'>,
  { timeoutMs, clock, monotonic }: { readonly timeoutMs: number } & Pick<Base, 'clock' | 'monotonic'>,
) {
  const documents = new Map<string, Cached<Discovered>>()
  const keySets = new Map<string, Cached<JSONWebKeySet>>()

  async function ask(
    access: ProviderAccess,
    what: string,
    request: Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>,
  ) {
    const url = httpUrl(request.url, what)
    const issuer = httpUrl(access.issuer, 'issuer')
    if (issuer.protocol === 'https:' && url.protocol !== 'https:')
      throw new ProviderError(`The ${what} of the provider is not served over HTTPS.`)
    const answer = await outbound
      .request({
        ...request,
        headers: { accept: 'application/json', ...request.headers },
        deadlineMs: timeoutMs,
        maxBytes: MAX_BYTES,
        trusted: access.trusted && url.origin === issuer.origin,
      })
      .catch(() => {
        throw new ProviderError(`The ${what} of the provider did not answer, or its address is not allowed.`)
      })
    if (answer.status !== 200) throw new ProviderError(`The ${what} of the provider answered ${answer.status}.`)
    return parsed(answer.body.toString('utf8'), what)
  }

  async function discover(access: ProviderAccess): Promise<Discovered> {
    const key = `${access.issuer} ${access.trusted}`
    const kept = documents.get(key)
    if (kept && monotonic() - kept.at < FRESH_MS) return kept.value
    const url = `${access.issuer.replace(/(?<!\/)\/+$/, '')}/.well-known/openid-configuration`
    const found = Metadata.safeParse(await ask(access, 'discovery document', { url }))
    if (!found.success) throw new ProviderError('The discovery document of the provider lacks what a sign-in needs.')
    const value = checked(found.data, access)
    documents.clear() // one provider is configured at a time
    documents.set(key, { value, at: monotonic() })
    return value
  }

  async function keysOf(access: ProviderAccess, uri: string, again: boolean): Promise<JSONWebKeySet> {
    const kept = keySets.get(uri)
    if (kept && monotonic() - kept.at < (again ? REFETCH_AFTER_MS : FRESH_MS)) return kept.value
    const found = Keys.safeParse(await ask(access, 'key set', { url: uri }))
    if (!found.success) throw new ProviderError('The identity provider returned no signing keys.')
    keySets.clear()
    keySets.set(uri, { value: found.data, at: monotonic() })
    return found.data
  }

  async function verified(access: ProviderAccess, uri: string, idToken: string): Promise<JWTPayload> {
    const options = {
      issuer: access.issuer,
      audience: access.clientId,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      clockTolerance: SKEW_SECONDS,
      maxTokenAge: MOST_SECONDS,
      currentDate: new Date(clock.now()),
    }
    const check = async (again: boolean): Promise<JWTPayload> =>
      (await jwtVerify(idToken, createLocalJWKSet(await keysOf(access, uri, again)), options)).payload
    return check(false).catch((error: unknown) => {
      if (error instanceof errors.JWKSNoMatchingKey) return check(true)
      throw error
    })
  }

  return {
    discover,

    /** Throws ProviderError. */
    async exchange(
      access: ProviderAccess,
      {
        code,
        verifier,
        redirectUri,
      }: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
    ): Promise<Grant> {
      const { token_endpoint: url, secretInBody } = await discover(access)
      const { clientId, clientSecret } = access
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
      const headers: Record<string, string> = { 'content-type': FORM }
      if (clientSecret === null || secretInBody) form.set('client_id', clientId)
      if (clientSecret !== null && secretInBody) form.set('client_secret', clientSecret)
      if (clientSecret !== null && !secretInBody) headers.authorization = basic(clientId, clientSecret)
      const body = form.toString()
      const tokens = Tokens.safeParse(await ask(access, 'token endpoint', { url, method: 'POST', headers, body }))
      if (!tokens.success) throw new ProviderError('The token endpoint of the provider answered without an ID token.')
      return { idToken: tokens.data.id_token, accessToken: tokens.data.access_token ?? null }
    },

    /** The claims of a current token for this client and this sign-in. Throws ProviderError. */
    async verify(access: ProviderAccess, idToken: string, nonce: string): Promise<Claims & { readonly sub: string }> {
      const { jwks_uri: uri } = await discover(access)
      const payload = await verified(access, uri, idToken).catch((error: unknown) => {
        if (error instanceof ProviderError) throw error
        throw new ProviderError(
          `The ID token is not valid: ${error instanceof errors.JOSEError ? error.code : 'unreadable'}.`,
        )
      })
      const { sub, aud, azp } = payload
      if (payload.nonce !== nonce) throw new ProviderError('The ID token is of another sign-in.')
      // A token with several audiences must name us in `azp`.
      if ((Array.isArray(aud) && aud.length > 1 && azp === undefined) || (azp !== undefined && azp !== access.clientId))
        throw new ProviderError('The ID token was made for another client.')
      if (typeof sub !== 'string' || sub === '' || sub.length > 255)
        throw new ProviderError('The ID token has no subject.')
      return { ...payload, sub }
    },

    /** Adds missing claims from userinfo; unchanged without that endpoint. Throws ProviderError. */
    async fillIn(
      access: ProviderAccess,
      claims: Claims & { readonly sub: string },
      accessToken: string | null,
    ): Promise<Claims> {
      const { userinfo_endpoint: url } = await discover(access)
      if (url === undefined || accessToken === null) return claims
      const headers = { authorization: `Bearer ${accessToken}` }
      const found = z
        .looseObject({ sub: z.string() })
        .safeParse(await ask(access, 'userinfo endpoint', { url, headers }))
      if (!found.success || found.data.sub !== claims.sub)
        throw new ProviderError('The userinfo subject does not match the ID token.')
      return merged(claims, found.data)
    },

    /** Refetches metadata and keys. Throws ProviderError. */
    async test(access: ProviderAccess): Promise<Endpoints> {
      documents.clear()
      keySets.clear()
      const found = await discover(access)
      if ((await keysOf(access, found.jwks_uri, false)).keys.length === 0)
        throw new ProviderError('The key set of the provider is empty.')
      return found
    },
  }
}

function checked(found: z.infer<typeof Metadata>, { issuer }: ProviderAccess): Discovered {
  if (found.issuer !== issuer)
    throw new ProviderError(
      'The provider calls itself by another issuer: enter exactly the one of its discovery document.',
    )
  if (found.response_types_supported && !found.response_types_supported.includes('code'))
    throw new ProviderError('The provider does not offer the code flow.')
  if (found.code_challenge_methods_supported && !found.code_challenge_methods_supported.includes('S256'))
    throw new ProviderError('The provider does not offer PKCE with S256.')
  // OpenID Connect: absent means basic.
  const methods = found.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return {
    authorization_endpoint: httpUrl(found.authorization_endpoint, 'authorization endpoint').href,
    token_endpoint: found.token_endpoint,
    jwks_uri: found.jwks_uri,
    userinfo_endpoint: found.userinfo_endpoint,
    secretInBody: !methods.includes('client_secret_basic') && methods.includes('client_secret_post'),
    namesItself: found.authorization_response_iss_parameter_supported === true,
  }
}

function httpUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url
  throw new ProviderError(`The ${what} of the provider is no web address.`)
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError(`The ${what} of the provider answered with something that is not JSON.`)
  }
}

/** RFC 6749 2.3.1: both parts are form-encoded before joining with a colon. */
function basic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}
