// As whom a call reaches its backend: the token of its person, or why it has no token. It never falls back to another credential.
import { hash } from 'node:crypto'
import type { IdentityMode } from '../contract/admin/identity.ts'
import type { Base } from '../records/base.ts'
import type { Backend, Tool, UpstreamCredential } from '../registry/backend.ts'
import { TokenUnavailable } from '../registry/credentials.ts'
import { rememberToolScopes, toolScopes } from '../storage/upstream-grants.ts'
import { readChallenge, union } from './challenge.ts'
import type { Exchange } from './exchange.ts'
import type { Links } from './links.ts'
import { type Principal, type Principals, personOfCall } from './principals.ts'
import { ProviderError } from './provider-error.ts'
import type { Grant, NoGrant, Vault } from './vault.ts'

/** The identity of one call. */
export type Acting = {
  /** Differs between people, and between connections of one. A cached answer belongs to it. */
  readonly key: string
  readonly mode: Extract<IdentityMode, 'per_principal' | 'exchange' | 'id_jag'>
  readonly principal: Principal
  readonly issuer: string
  readonly tokenHash: string
  /** As it is when a request is sent: a token may be replaced while its call waits. */
  readonly current: () => UpstreamCredential | Promise<UpstreamCredential>
  /** After a 401. True when another token is there now. */
  readonly renew: () => Promise<boolean>
  /** What the backend answered to a token that has too few scopes. */
  readonly challenged: (header: string | undefined) => void
  readonly lacking: () => readonly string[] | undefined
}

export type Unidentified = {
  readonly code: 'identity_required' | 'oauth_required'
  readonly text: string
  readonly details: Readonly<Record<string, unknown>>
}
type Call = Parameters<typeof personOfCall>[0] & {
  readonly backend: Backend
  readonly tool: Pick<Tool, 'id'>
  readonly calledAs: string
  readonly caller: { readonly subjectToken?: () => string }
}
type Found = Acting | Unidentified
export type Actings = ReturnType<typeof createActing>

export const isActing = (found: Found): found is Acting => 'key' in found
/** Whether calls of a backend are made as people. */
export const isPersonal = ({ identity }: Pick<Backend, 'identity'>): boolean =>
  identity !== null && identity.mode !== 'none' && identity.mode !== 'shared'

/** Of one person and tool: a backend that is never content makes no loop. */
const MOST_ROUNDS = 2
const MOST_COUNTED = 10_000

type Parts = Pick<Base, 'database'> & {
  readonly principals: Principals
  readonly vault: Vault
  readonly exchange: Exchange
  readonly links: Links
}

export function createActing({ database, principals, vault, exchange, links }: Parts) {
  const rounds = new Map<string, number>()

  const required = (backend: Backend, why: string): Unidentified => ({
    code: 'identity_required',
    text: `"${backend.name}" is called as a person: ${why}.`,
    details: { client: backend.name },
  })

  async function toConnect(
    { backend, tool }: Call,
    principal: Principal,
    why: string,
    more: readonly string[],
  ): Promise<Unidentified> {
    const scopes = union(await toolScopes(database.query, tool.id), more)
    const { url, expiresAt } = await links.make(backend, principal, scopes)
    return {
      code: 'oauth_required',
      text: `Connect your account: "${backend.name}" is called as ${principal.name}, and ${why}. Open ${url} and call again. The link works once, for 10 minutes.`,
      details: { client: backend.name, connectUrl: url, expiresAt },
    }
  }

  function scopesLacking(): Pick<Acting, 'challenged' | 'lacking'> {
    let lacking: readonly string[] | undefined
    return {
      challenged(header) {
        const challenge = readChallenge(header)
        if (challenge?.error === 'insufficient_scope' && challenge.scopes.length > 0) lacking = challenge.scopes
      },
      lacking: () => lacking,
    }
  }

  function actingBy(backend: Backend, principal: Principal, grant: Grant): Acting {
    const { id, issuer, tokenHash } = grant
    const now = async (): Promise<UpstreamCredential> => used(await vault.get(backend, principal))
    const used = (found: Grant | NoGrant): UpstreamCredential => {
      if ('missing' in found || found.id !== id)
        throw new TokenUnavailable('upstream_error', 'gave a token for a connection that has ended')
      return found.credential
    }
    return {
      key: `grant ${id}`,
      mode: 'per_principal',
      principal,
      issuer,
      tokenHash,
      current() {
        const found = vault.get(backend, principal)
        return found instanceof Promise ? now() : used(found)
      },
      renew: () => vault.refused(backend, principal, tokenHash),
      ...scopesLacking(),
    }
  }

  function perPrincipal(call: Call, principal: Principal): Found | Promise<Found> {
    const { backend } = call
    const of = (found: Grant | NoGrant): Found | Promise<Found> => {
      if (!('missing' in found)) return actingBy(backend, principal, found)
      if (found.missing === 'unavailable') throw new TokenUnavailable('upstream_error', `gave no token: ${found.why}`)
      return toConnect(call, principal, found.why, [])
    }
    const found = vault.get(backend, principal)
    return found instanceof Promise ? found.then(of) : of(found)
  }

  async function reconnect(call: Call, principal: Principal): Promise<Unidentified | undefined> {
    const found = await vault.get(call.backend, principal)
    if (!('missing' in found) || found.missing === 'unavailable') return undefined
    return toConnect(call, principal, found.why, [])
  }

  async function exchanged(call: Call, principal: Principal): Promise<Found> {
    const { backend, caller, reserved } = call
    const { identity } = backend
    if (identity?.mode !== 'exchange' && identity?.mode !== 'id_jag') return required(backend, 'its setting changed')
    const { subjectToken } = caller
    if (subjectToken === undefined || reserved.endUser !== null)
      return required(backend, 'the token of the caller is exchanged, and this call brought none')
    const token = subjectToken()
    try {
      const { issuer, tokenHash, credential } = await exchange.get(backend, identity, token)
      return {
        key: `exchange ${hash('sha256', `${backend.id} ${principal.id} ${hash('sha256', token)}`)}`,
        mode: identity.mode,
        principal,
        issuer,
        tokenHash,
        current: () => credential,
        renew: async () => false,
        ...scopesLacking(),
      }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      if (error.failure === 'unavailable')
        throw new TokenUnavailable('upstream_error', `gave no token: ${error.message}`)
      return required(backend, `its provider does not exchange the token of this caller (${error.message})`)
    }
  }

  function as(call: Call, principal: Principal | undefined): Found | Promise<Found> {
    const { backend } = call
    if (principal === undefined) return required(backend, 'there is no active user of this name')
    return backend.identity?.mode === 'per_principal' ? perPrincipal(call, principal) : exchanged(call, principal)
  }

  return {
    /** Throws TokenUnavailable where the provider does not respond. */
    resolve(call: Call): Found | Promise<Found> {
      const person = personOfCall(call)
      if (person === undefined) return required(call.backend, 'this key may not name another person')
      if (person === null)
        return required(call.backend, 'use a key that has a person, a token of the identity provider, or sign in')
      const principal = principals.of(person)
      return principal instanceof Promise ? principal.then((found) => as(call, found)) : as(call, principal)
    },

    /** After a call that failed: a link where its connection ended, or where its token had too few scopes and more were not asked for yet. */
    async linkAfter(call: Call, acting: Acting): Promise<Unidentified | undefined> {
      if (acting.mode !== 'per_principal') return undefined
      const lacking = acting.lacking()
      if (lacking === undefined) return reconnect(call, acting.principal)
      const key = `${acting.principal.id} ${call.tool.id}`
      const round = (rounds.get(key) ?? 0) + 1
      if (round > MOST_ROUNDS) return undefined
      if (rounds.size >= MOST_COUNTED) rounds.clear()
      rounds.set(key, round)
      const scopes = union(await toolScopes(database.query, call.tool.id), lacking)
      if (call.tool.id > 0) await database.write((tx) => rememberToolScopes(tx, call.tool.id, scopes.join(' ')))
      return toConnect(call, acting.principal, `this tool needs more rights (${lacking.join(', ')})`, lacking)
    },

    /** The tool answered: the next refusal starts again. */
    satisfied({ tool }: Pick<Call, 'tool'>, { principal }: Pick<Acting, 'principal'>): void {
      if (rounds.size > 0) rounds.delete(`${principal.id} ${tool.id}`)
    },
  }
}
