// Connects a person to a backend: to the provider with a state that only this browser can bring back, and back once. RFC 6749, 7636, 8707, 9207.
import { createHash, createHmac } from 'node:crypto'
import type { ConnectOffer } from '../contract/admin/identity.ts'
import { GatewayError } from '../contract/error.ts'
import type { Base } from '../records/base.ts'
import type { By } from '../records/changes.ts'
import type { Backend } from '../registry/backend.ts'
import { clientById, grantOf, insertConnect, takeConnect } from '../storage/upstream-grants.ts'
import type { Ask } from './ask.ts'
import { union } from './challenge.ts'
import { type Clients, type Registered, secretsOfBackend } from './clients.ts'
import { createDiscovery, type PerPrincipal, type Provider } from './discovery.ts'
import { hashed, LINK_TTL_MS, type Links, newToken } from './links.ts'
import type { Principal } from './principals.ts'
import { ProviderError } from './provider-error.ts'
import { requestTokens } from './token-endpoint.ts'
import type { Vault } from './vault.ts'

export type Answered = Readonly<Record<'state' | 'code' | 'error' | 'iss', string | undefined>>
/** What the page after it says. */
export type ConnectProblem = 'state' | 'denied' | 'exchange'
export type Connected =
  | { readonly ok: true; readonly client: string }
  | { readonly ok: false; readonly problem: ConnectProblem; readonly client: string | null }

type ConnectingDeps = Pick<Base, 'database' | 'box' | 'clock' | 'outbound' | 'log'> & {
  readonly ask: Ask
  readonly clients: Clients
  readonly vault: Vault
  readonly links: Links
  readonly backendOf: (id: number) => Backend | undefined
  readonly documentUrl: string | null
}
type Offered = Registered & { readonly provider: Provider; readonly scopes: readonly string[] }
export type Connecting = ReturnType<typeof createConnecting>

/** Stored in the browser alone: what the database holds of a connection under way cannot be used. */
const verifierOf = (browser: string, state: string): string =>
  createHmac('sha256', browser).update(`gantry connect pkce ${state}`).digest('base64url')

export const redirectAt = (baseUrl: string): string =>
  `${baseUrl.replace(/(?<!\/)\/+$/, '')}/admin-api/connect/callback`

export function createConnecting(deps: ConnectingDeps) {
  const { database, box, clock, outbound, log, ask, clients, vault, links, backendOf } = deps
  const { discover } = createDiscovery(ask)
  const iso = (ms = clock.now()): string => new Date(ms).toISOString()

  function settingsOf({ identity, name }: Backend): PerPrincipal {
    if (identity?.mode === 'per_principal') return identity
    throw new GatewayError(
      'NOT_APPLICABLE',
      `"${name}" is not called as each person, so there is no connection to make`,
    )
  }

  /** The answer of the backend to a request without a credential holds its challenge. */
  async function probe(backend: Backend): Promise<string | undefined> {
    if (backend.pins === null) return undefined
    const isMcp = backend.kind === 'mcp'
    const { challenge, status } = await ask.ask('backend', {
      url: backend.baseUrl,
      // Another pool than that of its calls: nothing of theirs goes along.
      owner: `${backend.name}#connect`,
      pin: backend.pins.base,
      ...(isMcp && {
        method: 'POST' as const,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      }),
    })
    return status === 401 || status === 403 ? challenge : undefined
  }

  async function offered(
    backend: Backend,
    principal: Principal,
    wanted: string,
    redirectUri: string,
  ): Promise<Offered> {
    const settings = settingsOf(backend)
    try {
      const place = { baseUrl: backend.baseUrl, isMcp: backend.kind === 'mcp', probe: () => probe(backend) }
      const provider = await discover(place, settings)
      const registered = await clients.of({
        backendId: backend.id,
        settings,
        clientSecret: (await secretsOfBackend({ database, box }, backend.id)).clientSecret ?? null,
        provider,
        redirectUri,
        documentUrl: deps.documentUrl,
      })
      // Those of a grant that ends with this one, so that nothing that worked stops.
      const known = await grantOf(database.query, backend.id, principal.id)
      const before = known?.row.issuer === provider.issuer ? known.grant.scopes : ''
      return { ...registered, provider, scopes: union(provider.scopes, split(before), split(wanted)) }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      throw new GatewayError('CONNECT_FAILED', `"${backend.name}" cannot be connected to: ${error.message}`)
    } finally {
      await outbound.drop(`${backend.name}#connect`)
    }
  }

  async function wantedBy(backend: Backend, principal: Principal, link: string | undefined): Promise<string> {
    if (link === undefined) return ''
    const row = await links.find(link, principal)
    if (row.backend_id !== backend.id) throw new GatewayError('NOT_APPLICABLE', 'This link is for another backend')
    return row.scopes
  }

  return {
    /** What a person agrees to. Throws CONNECT_FAILED. */
    async offer(
      backend: Backend,
      principal: Principal,
      link: string | undefined,
      baseUrl: string,
    ): Promise<ConnectOffer> {
      const wanted = await wantedBy(backend, principal, link)
      const { row, client, scopes } = await offered(backend, principal, wanted, redirectAt(baseUrl))
      return {
        client: backend.name,
        person: principal.name,
        issuer: row.issuer,
        clientId: client.clientId,
        scopes: [...scopes],
      }
    },

    /** Uses up the link. */
    async begin(
      backend: Backend,
      principal: Principal,
      link: string | undefined,
      baseUrl: string,
    ): Promise<{ readonly location: string; readonly browser: string }> {
      const wanted = await wantedBy(backend, principal, link)
      const redirectUri = redirectAt(baseUrl)
      const { row, client, provider, scopes } = await offered(backend, principal, wanted, redirectUri)
      const [browser, state] = [newToken(), newToken()]
      const under = {
        link_hash: hashed(`state ${state}`),
        backend_id: backend.id,
        principal: principal.id,
        scopes: scopes.join(' '),
        state_hash: hashed(state),
        browser_hash: hashed(browser),
        client_id: row.id,
        redirect_uri: redirectUri,
        expires_at: iso(clock.now() + LINK_TTL_MS),
      }
      await database.write(async (tx) => {
        // Of two that use a link at once, one finds it.
        if (link !== undefined && (await takeConnect(tx, { link: hashed(link) })) === undefined)
          throw new GatewayError('CONNECT_LINK_ENDED', 'This link was used already')
        await insertConnect(tx, under, iso())
      })
      links.used(backend.id, principal)
      const location = new URL(provider.authorization)
      const asked = {
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: createHash('sha256').update(verifierOf(browser, state)).digest('base64url'),
        code_challenge_method: 'S256',
        scope: scopes.join(' '),
        resource: client.resource,
        audience: client.audience,
      }
      for (const [name, value] of Object.entries(asked)) if (value) location.searchParams.set(name, value)
      return { location: location.href, browser }
    },

    /** `by`: the person whose session the browser has. */
    async finish(
      by: By,
      answered: Answered,
      browser: string | undefined,
      principal: Principal | undefined,
    ): Promise<Connected> {
      const { state, code, error, iss } = answered
      // Taken before anything else is looked at: on every outcome this state cannot be used again.
      const row =
        state === undefined ? undefined : await database.write((tx) => takeConnect(tx, { state: hashed(state) }))
      const backend = row && backendOf(row.backend_id)
      const failed = (problem: ConnectProblem, why: string): Connected => {
        log.warn('a person was not connected', { client: backend?.name ?? null, reason: why })
        return { ok: false, problem, client: backend?.name ?? null }
      }
      if (row === undefined || state === undefined || backend === undefined || row.expires_at <= iso())
        return failed('state', 'no connection of this state is under way')
      if (browser === undefined || hashed(browser) !== row.browser_hash)
        return failed('state', 'it was begun in another browser')
      if (principal?.id !== row.principal) return failed('state', 'it was begun by another person')
      const registered = row.client_id === null ? undefined : await clientById(database.query, row.client_id)
      if (registered === undefined) return failed('state', 'the settings of the backend were changed in the meantime')
      const { issuer } = registered.row
      if ((iss === undefined && registered.client.namesItself) || (iss !== undefined && iss !== issuer))
        return failed('state', 'the answer came from another authorization server')
      if (error !== undefined) return failed('denied', 'the provider refused')
      if (code === undefined) return failed('exchange', 'the provider sent no code')
      try {
        const asked = {
          grant_type: 'authorization_code',
          code,
          redirect_uri: row.redirect_uri,
          code_verifier: verifierOf(browser, state),
          resource: registered.client.resource,
        }
        const secret = await clients.secretOf(registered.row)
        const tokens = await requestTokens(ask, registered.client.token, asked, { ...registered.client, secret })
        await vault.put(by, backend, principal, registered, { ...tokens, scopes: tokens.scopes ?? split(row.scopes) })
        return { ok: true, client: backend.name }
      } catch (thrown) {
        if (!(thrown instanceof ProviderError)) throw thrown
        return failed('exchange', thrown.message)
      }
    },
  }
}

const split = (scopes: string): readonly string[] => (scopes === '' ? [] : scopes.split(' '))
