// Tokens that are exchanged for the caller's own: RFC 8693, and the assertion of an identity provider (ID-JAG) after it. Kept in memory only.
import { hash } from 'node:crypto'
import type { Base } from '../records/base.ts'
import type { Backend, UpstreamCredential } from '../registry/backend.ts'
import { boundTo } from '../registry/credentials.ts'
import type { StoredIdentity } from '../storage/stored.ts'
import { spellings } from '../text/spellings.ts'
import type { Ask } from './ask.ts'
import { type ClientSecrets, secretsOfBackend } from './clients.ts'
import { requestTokens, type Tokens } from './token-endpoint.ts'

export type Exchanging = Extract<StoredIdentity, { readonly mode: 'exchange' | 'id_jag' }>
export type Exchanged = {
  readonly issuer: string
  readonly tokenHash: string
  readonly credential: UpstreamCredential
}
type Kept = Exchanged & { readonly untilMs: number; readonly revision: number }

const TYPE = 'urn:ietf:params:oauth:token-type:'
const MOST = 10_000
const SHORTEST_MS = 60_000
/** Where the answer does not say how long. */
const UNTOLD_MS = 300_000
const EARLIER_MS = 10_000

export function createExchange({
  database,
  box,
  monotonic,
  ask,
}: Pick<Base, 'database' | 'box' | 'monotonic'> & { readonly ask: Ask }) {
  const kept = new Map<string, Kept>()
  const waiting = new Map<string, Promise<Kept>>()

  async function tokensFor(settings: Exchanging, secrets: ClientSecrets, token: string): Promise<Tokens> {
    const { tokenUrl, clientId } = settings
    const secret = secrets.clientSecret ?? null
    const client = { clientId, secret, authMethod: secret === null ? 'none' : 'client_secret_basic' } as const
    const common = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      scope: settings.scopes?.join(' '),
      resource: settings.resource,
    }
    if (settings.mode === 'exchange') {
      const asked = { ...common, subject_token_type: `${TYPE}access_token`, audience: settings.audience }
      return requestTokens(ask, tokenUrl, asked, client)
    }
    const assertion = await requestTokens(
      ask,
      tokenUrl,
      {
        ...common,
        subject_token_type: `${TYPE}id_token`,
        requested_token_type: `${TYPE}id-jag`,
        audience: settings.resourceIssuer,
      },
      client,
    )
    const own = secrets.resourceClientSecret ?? null
    return requestTokens(
      ask,
      settings.resourceTokenUrl,
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: assertion.access,
        scope: settings.scopes?.join(' '),
      },
      { clientId: settings.resourceClientId, secret: own, authMethod: own === null ? 'none' : 'client_secret_basic' },
    )
  }

  async function fetched(backend: Backend, settings: Exchanging, token: string, key: string): Promise<Kept> {
    const tokens = await tokensFor(settings, await secretsOfBackend({ database, box }, backend.id), token)
    const life = Math.max(tokens.lifetimeMs ?? UNTOLD_MS, SHORTEST_MS) - EARLIER_MS
    const made: Kept = {
      issuer: settings.mode === 'exchange' ? new URL(settings.tokenUrl).origin : settings.resourceIssuer,
      tokenHash: hash('sha256', tokens.access).slice(0, 16),
      credential: boundTo([settings.origin], {
        headers: { authorization: `Bearer ${tokens.access}` },
        secrets: spellings(tokens.access, token),
      }),
      untilMs: monotonic() + Math.min(life, tokens.lifetimeMs ?? life),
      revision: backend.revision,
    }
    if (kept.size >= MOST) kept.clear()
    kept.set(key, made)
    return made
  }

  return {
    /** Throws ProviderError. */
    get(backend: Backend, settings: Exchanging, token: string): Exchanged | Promise<Exchanged> {
      // By the digest of the whole token: two tokens of a subject may have other rights.
      const key = `${backend.id} ${hash('sha256', token)}`
      const known = kept.get(key)
      if (known && known.revision === backend.revision && monotonic() < known.untilMs) return known
      const under = waiting.get(key)
      if (under) return under
      const work = fetched(backend, settings, token, key).finally(() => waiting.delete(key))
      waiting.set(key, work)
      return work
    },
    drop: (backend: Backend, token: string): boolean => kept.delete(`${backend.id} ${hash('sha256', token)}`),
  }
}
export type Exchange = ReturnType<typeof createExchange>
