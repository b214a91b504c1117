// What a token endpoint is asked, and what of its answers is believed.
import type { StoredUpstreamClient } from '../storage/stored.ts'
import type { Ask } from './ask.ts'
import { scopesIn } from './challenge.ts'
import { ProviderError } from './provider-error.ts'

export type Tokens = {
  readonly access: string
  readonly refresh: string | undefined
  /** Undefined where the answer has none; then they are what was asked for. */
  readonly scopes: readonly string[] | undefined
  readonly lifetimeMs: number | null
}

export type Authenticated = Pick<StoredUpstreamClient, 'clientId' | 'authMethod'> & { readonly secret: string | null }

const LONGEST_MS = 86_400_000 * 365
const VISIBLE = /^[\x21-\x7e]{1,16384}$/

/** RFC 6749 2.3.1: both parts are form-encoded before joining with a colon. */
function basic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

function authenticate(form: URLSearchParams, { clientId, authMethod, secret }: Authenticated): Record<string, string> {
  if (authMethod === 'client_secret_basic' && secret !== null) return { authorization: basic(clientId, secret) }
  form.set('client_id', clientId)
  if (authMethod === 'client_secret_post' && secret !== null) form.set('client_secret', secret)
  return {}
}

/** Throws ProviderError. `field`: of the answer that holds the token. */
export async function requestTokens(
  { post }: Pick<Ask, 'post'>,
  url: string,
  asked: Readonly<Record<string, string | null | undefined>>,
  client: Authenticated,
): Promise<Tokens> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) if (value != null && value !== '') form.set(name, value)
  const { status, fields } = await post('token endpoint', url, form, authenticate(form, client))
  if (status >= 500 || status === 429 || status === 408)
    throw new ProviderError('unavailable', `the token endpoint answered ${status}`)
  if (status !== 200) {
    const error = typeof fields.error === 'string' && /^[a-z_]{1,64}$/.test(fields.error) ? fields.error : undefined
    const failure = error === 'invalid_grant' ? 'invalid_grant' : 'refused'
    throw new ProviderError(failure, `the token endpoint answered ${status}${error ? ` ${error}` : ''}`)
  }
  return read(fields)
}

function read(fields: Readonly<Record<string, unknown>>): Tokens {
  const { access_token: access, refresh_token: refresh, token_type: type, expires_in: seconds, scope } = fields
  if (typeof access !== 'string' || !VISIBLE.test(access))
    throw new ProviderError('refused', 'the token endpoint answered without a usable access_token')
  // `N_A` is what RFC 8693 gives an assertion that is no access token.
  if (typeof type !== 'string' || !/^(bearer|n_a)$/i.test(type))
    throw new ProviderError('refused', 'the token is of a type that cannot be sent as Bearer')
  if (refresh !== undefined && (typeof refresh !== 'string' || !VISIBLE.test(refresh)))
    throw new ProviderError('refused', 'the token endpoint answered with an unusable refresh_token')
  const lifetime = Number(seconds) * 1000
  return {
    access,
    refresh,
    scopes: scope === undefined ? undefined : scopesIn(scope),
    lifetimeMs: seconds !== undefined && lifetime > 0 ? Math.min(lifetime, LONGEST_MS) : null,
  }
}

/** RFC 7009. True when the provider took it back. */
export async function revokeToken(
  { post }: Pick<Ask, 'post'>,
  url: string,
  token: string,
  client: Authenticated,
): Promise<boolean> {
  const form = new URLSearchParams({ token })
  const { status } = await post('revocation endpoint', url, form, authenticate(form, client))
  return status === 200
}
