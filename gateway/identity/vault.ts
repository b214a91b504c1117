// The grants of people: sealed in the database, opened into memory, refreshed ahead of their end by one instance at a time, revoked.
import { createHash } from 'node:crypto'
import type { GrantState } from '../contract/admin/identity.ts'
import type { Base } from '../records/base.ts'
import type { By } from '../records/changes.ts'
import { SYSTEM } from '../records/changes.ts'
import type { Backend, UpstreamCredential } from '../registry/backend.ts'
import { originOf } from '../registry/credential-origins.ts'
import { boundTo } from '../registry/credentials.ts'
import { acquireLease, type Lease, leaseEnd, releaseLease, requireLease } from '../storage/lease.ts'
import type { LeaseClock } from '../storage/lease-clock.ts'
import { StorageError } from '../storage/storage-error.ts'
import {
  type Granted,
  type GrantRow,
  grantById,
  grantOf,
  grantRef,
  replaceGrant,
  updateGrant,
} from '../storage/upstream-grants.ts'
import { spellings } from '../text/spellings.ts'
import type { Ask } from './ask.ts'
import type { Clients, Registered } from './clients.ts'
import type { Principal } from './principals.ts'
import { ProviderError, type ProviderFailure } from './provider-error.ts'
import { requestTokens, revokeToken, type Tokens } from './token-endpoint.ts'

/** A token of a person, as calls use it. */
export type Grant = {
  readonly id: number
  readonly issuer: string
  readonly scopes: readonly string[]
  readonly tokenHash: string
  readonly credential: UpstreamCredential
}
/** Why there is no token. */
export type NoGrant = { readonly missing: 'never' | 'reconnect' | 'revoked' | 'unavailable'; readonly why: string }

type Held = Grant & {
  readonly version: number
  readonly renewable: boolean
  readonly expiresAtMs: number
  readonly refreshAtMs: number
  /** Monotonic. */
  checkedAt: number
}
type Secret = { readonly access: string; readonly refresh: string | null }
type VaultDeps = Pick<
  Base,
  'database' | 'changes' | 'box' | 'clock' | 'monotonic' | 'log' | 'metrics' | 'instanceId' | 'newId'
> & {
  readonly ask: Ask
  readonly clients: Clients
  readonly leaseClock: LeaseClock
  readonly tokenTimeoutMs: number
  /** What belongs to a grant and is kept elsewhere ends with it. */
  readonly onEnded: (grantId: number) => void
}
export type Vault = ReturnType<typeof createVault>

/** What another instance changed is used after this time. */
const FRESH_MS = 1_000
const MOST_HELD = 10_000
/** Ahead of its end by this part of its life, and by no more than a minute. */
const AHEAD = 0.2
const AHEAD_MS = 60_000
/** After a server error. */
const RETRY_MS = 5_000
const POLL_MS = 50
/** A backend that refuses each fresh token makes no loop. */
const FORCED_EVERY_MS = 30_000

const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16)
const aheadOf = (lifetimeMs: number): number => Math.min(lifetimeMs * AHEAD, AHEAD_MS)

export function createVault(deps: VaultDeps) {
  const { database, changes, box, clock, monotonic, log, metrics, ask, clients, leaseClock, onEnded } = deps
  const held = new Map<string, Held>()
  const renewing = new Map<number, Promise<void>>()
  const retryAt = new Map<number, number>()
  const keyOf = (backendId: number, principal: string): string => `${backendId} ${principal}`
  const iso = (): string => new Date(clock.now()).toISOString()
  const count = (outcome: 'success' | ProviderFailure): void =>
    metrics.inc('mcp_upstream_token_refreshes_total', { outcome })

  const opened = async ({ grant, row }: Granted): Promise<Secret> =>
    // Sealed in this shape below.
    JSON.parse(await box.open(grant.sealed ?? '', grantRef(grant, row.issuer, row.generation))) as Secret

  function forget({ id, backend_id, principal }: Pick<GrantRow, 'id' | 'backend_id' | 'principal'>): void {
    held.delete(keyOf(backend_id, principal))
    retryAt.delete(id)
    onEnded(id)
  }

  async function holdOf(granted: Granted): Promise<Held> {
    const { grant, row, client } = granted
    const { access, refresh } = await opened(granted)
    const expiresAtMs = grant.expires_at_ms ?? Number.POSITIVE_INFINITY
    return {
      id: grant.id,
      issuer: row.issuer,
      scopes: grant.scopes === '' ? [] : grant.scopes.split(' '),
      tokenHash: grant.token_hash ?? '',
      credential: boundTo([client.origin], {
        headers: { authorization: `Bearer ${access}` },
        secrets: spellings(access),
      }),
      version: grant.version,
      renewable: refresh !== null,
      expiresAtMs,
      refreshAtMs: expiresAtMs - aheadOf(grant.lifetime_ms ?? 0),
      checkedAt: monotonic(),
    }
  }

  /** Reads the row; undefined where it holds no token. */
  async function load(backend: Backend, principal: Principal): Promise<Held | NoGrant> {
    const key = keyOf(backend.id, principal.id)
    const before = held.get(key)
    const granted = await grantOf(database.query, backend.id, principal.id)
    if (granted === undefined || granted.grant.sealed === null || granted.client.origin !== originOf(backend.baseUrl)) {
      held.delete(key)
      if (before) onEnded(before.id)
      return missing(granted)
    }
    if (before && before.id !== granted.grant.id) onEnded(before.id)
    if (before?.id === granted.grant.id && before.version === granted.grant.version) {
      before.checkedAt = monotonic()
      return before
    }
    const fresh = await holdOf(granted)
    if (held.size >= MOST_HELD) held.clear()
    held.set(key, fresh)
    return fresh
  }

  function missing(granted: Granted | undefined): NoGrant {
    const state = granted?.grant.state
    if (state === 'revoked') return { missing: 'revoked', why: 'the connection was ended' }
    if (state === undefined) return { missing: 'never', why: 'there is no connection yet' }
    return { missing: 'reconnect', why: granted?.grant.last_error ?? 'the provider ended the connection' }
  }

  /** One at a time in this process, and by the lease in the fleet. Throws ProviderError. */
  function renew({ id, version }: Pick<Held, 'id' | 'version'>): Promise<void> {
    const known = renewing.get(id)
    if (known) return known
    const work = renewOnce(id, version).finally(() => renewing.delete(id))
    renewing.set(id, work)
    return work
  }

  async function renewOnce(id: number, seen: number): Promise<void> {
    const wanted = { name: `grant ${id}`, holder: deps.instanceId, durationMs: deps.tokenTimeoutMs * 2 }
    const until = monotonic() + wanted.durationMs
    for (;;) {
      const lease = await acquireLease(database, wanted, leaseClock.now())
      const granted = await grantById(database.query, id)
      try {
        // Another instance was faster: its token is in the row.
        if (granted === undefined || granted.grant.sealed === null || granted.grant.version !== seen) return
        if (lease) return await exchange(granted, lease)
      } finally {
        if (lease) await releaseLease(database, lease)
      }
      if (monotonic() > until) throw new ProviderError('unavailable', 'another instance refreshes the token')
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  async function exchange(granted: Granted, lease: Lease): Promise<void> {
    const { grant, row, client } = granted
    const { refresh } = await opened(granted)
    if (refresh === null) return lost(granted, lease, 'the token has ended, and the provider gave none to refresh it')
    const secret = await clients.secretOf(row)
    try {
      const asked = { grant_type: 'refresh_token', refresh_token: refresh, resource: client.resource }
      const tokens = await requestTokens(ask, client.token, asked, { ...client, secret })
      const kept = { ...tokens, refresh: tokens.refresh ?? refresh, scopes: tokens.scopes ?? grant.scopes.split(' ') }
      const columns = await columnsOf(granted, { row }, kept)
      // Stored before its first use; an instance that lost its lease stores nothing.
      await fenced(lease, granted, { ...columns, state: 'connected', retrying_since: null, last_error: null })
      retryAt.delete(grant.id)
      count('success')
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      count(error.failure)
      if (error.failure === 'invalid_grant') return lost(granted, lease, error.message)
      retryAt.set(grant.id, monotonic() + RETRY_MS)
      await fenced(lease, granted, {
        state: 'retrying',
        retrying_since: grant.retrying_since ?? iso(),
        last_error: error.message,
      })
      throw error
    }
  }

  async function fenced(lease: Lease, { grant }: Granted, change: Parameters<typeof updateGrant>[2]): Promise<void> {
    await database.write(async (tx) => {
      await requireLease(tx, lease, leaseClock.now())
      await updateGrant(tx, grant, { ...change, updated_at: iso() })
    }, 'upstream-grants')
  }

  /** At once and for good: a person has to connect again. */
  async function lost({ grant }: Granted, lease: Lease, why: string): Promise<void> {
    const client = await database.query
      .selectFrom('backends')
      .select('name')
      .where('id', '=', grant.backend_id)
      .executeTakeFirst()
    await changes({ actor: SYSTEM, requestId: deps.newId() }, async (tx, audit) => {
      await requireLease(tx, lease, leaseClock.now())
      const change = { state: 'reconnect', sealed: null, token_hash: null, last_error: why, updated_at: iso() } as const
      if (await updateGrant(tx, grant, change))
        await audit('connection.lost', client?.name ?? '', { person: grant.person, why })
    })
    log.warn('a connection of a person has to be made again', { client: client?.name ?? null, reason: why })
    forget(grant)
  }

  async function columnsOf(
    { grant }: { readonly grant: Pick<GrantRow, 'backend_id' | 'principal'> },
    { row }: Pick<Registered, 'row'>,
    { access, refresh, scopes, lifetimeMs }: Tokens,
  ) {
    const secret: Secret = { access, refresh: refresh ?? null }
    return {
      sealed: await box.seal(JSON.stringify(secret), grantRef(grant, row.issuer, row.generation)),
      token_hash: tokenHash(access),
      scopes: (scopes ?? []).join(' '),
      expires_at_ms: lifetimeMs === null ? null : clock.now() + lifetimeMs,
      lifetime_ms: lifetimeMs,
    }
  }

  async function usable(backend: Backend, principal: Principal, found: Held): Promise<Grant | NoGrant> {
    if (clock.now() < found.expiresAtMs) return found
    if ((retryAt.get(found.id) ?? 0) > monotonic())
      return { missing: 'unavailable', why: 'the provider gives no new token at the moment' }
    try {
      await renew(found)
    } catch (error) {
      if (error instanceof ProviderError || (error instanceof StorageError && error.reason === 'fenced'))
        return { missing: 'unavailable', why: error.message }
      throw error
    }
    const after = await load(backend, principal)
    if ('missing' in after || clock.now() < after.expiresAtMs) return after
    return { missing: 'unavailable', why: 'the provider gives tokens that have already ended' }
  }

  /** While the token works, no call waits for the next one. */
  function ahead(found: Held): void {
    if (!found.renewable || clock.now() < found.refreshAtMs || renewing.has(found.id)) return
    if ((retryAt.get(found.id) ?? 0) > monotonic()) return
    renew(found).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) log.warn('a token of a person was not refreshed', { error })
    })
  }

  return {
    /** Synchronous for a token that was looked at a moment ago. */
    get(backend: Backend, principal: Principal): Grant | NoGrant | Promise<Grant | NoGrant> {
      const known = held.get(keyOf(backend.id, principal.id))
      if (known && monotonic() - known.checkedAt < FRESH_MS && clock.now() < known.expiresAtMs) {
        ahead(known)
        return known
      }
      return load(backend, principal).then((found) => {
        if ('missing' in found) return found
        if (clock.now() < found.expiresAtMs) ahead(found)
        return usable(backend, principal, found)
      })
    },

    /** The backend refused the token of this hash. True where another one is there now; one that cannot be refreshed has ended. */
    async refused(backend: Backend, principal: Principal, hashOfToken: string): Promise<boolean> {
      const found = await load(backend, principal)
      if ('missing' in found) return false
      if (found.tokenHash !== hashOfToken) return true
      const granted = await grantById(database.query, found.id)
      if (granted === undefined) return false
      if (clock.now() - Date.parse(granted.grant.updated_at) < FORCED_EVERY_MS) return false
      await renew(found).catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error
      })
      const after = await load(backend, principal)
      return !('missing' in after) && after.tokenHash !== hashOfToken
    },

    /** Stores what a person was given, in place of what was there. */
    async put(
      by: By,
      backend: Pick<Backend, 'id' | 'name'>,
      principal: Principal,
      { row, client }: Registered,
      tokens: Tokens,
    ): Promise<void> {
      const place = { backend_id: backend.id, principal: principal.id }
      const columns = await columnsOf({ grant: place }, { row }, tokens)
      const at = iso()
      const before = await grantOf(database.query, backend.id, principal.id)
      await changes(by, async (tx, audit) => {
        await replaceGrant(tx, {
          ...place,
          ...columns,
          person: principal.name,
          client_id: row.id,
          state: 'connected',
          version: 1,
          retrying_since: null,
          last_error: null,
          created_at: at,
          updated_at: at,
        })
        await audit('connection.connect', backend.name, {
          person: principal.name,
          issuer: row.issuer,
          clientId: client.clientId,
          scopes: columns.scopes,
        })
      })
      if (before) forget(before.grant)
    },

    /** Ends a grant here, then at its provider, as far as that can be reached. */
    async revoke(by: By, backendName: string, granted: Granted): Promise<void> {
      const { grant, row, client } = granted
      const secret = grant.sealed === null ? undefined : await opened(granted).catch(() => undefined)
      await changes(by, async (tx, audit) => {
        await tx
          .updateTable('upstream_grants')
          .set((columns) => ({
            state: 'revoked',
            sealed: null,
            token_hash: null,
            updated_at: iso(),
            version: columns('version', '+', 1),
          }))
          .where('id', '=', grant.id)
          .execute()
        await audit('connection.revoke', backendName, { person: grant.person, issuer: row.issuer })
      })
      forget(grant)
      if (client.revocation === null || secret === undefined) return
      const authenticated = { ...client, secret: await clients.secretOf(row) }
      await revokeToken(ask, client.revocation, secret.refresh ?? secret.access, authenticated).catch(
        (error: unknown) => log.warn('a token could not be revoked at its provider', { client: backendName, error }),
      )
    },

    /** When no refresh is under way: a rotated token is stored before the process ends. */
    async settled(): Promise<void> {
      await Promise.allSettled(renewing.values())
    },

    /** As it is shown. A refresh is under way while its lease is held. */
    async stateOf({ id, state }: Pick<GrantRow, 'id' | 'state'>): Promise<GrantState> {
      if (state !== 'connected') return state
      return ((await leaseEnd(database, `grant ${id}`)) ?? 0) > leaseClock.now() ? 'refreshing' : state
    },
  }
}
