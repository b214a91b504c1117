// The connections of people: their own, those of a backend for its administrators, and what ends them.
import { personOf } from '../../auth/person.ts'
import type { ClientConnection, OwnConnection } from '../../contract/admin/identity.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { ended, type Links } from '../../identity/links.ts'
import type { Principal, Principals } from '../../identity/principals.ts'
import type { Vault } from '../../identity/vault.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { Backend, UpstreamCredential } from '../../registry/backend.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { type Granted, grantOf, grantsOf } from '../../storage/upstream-grants.ts'

type ConnectionsDeps = Pick<Base, 'database'> & {
  readonly registry: Pick<LiveRegistry, 'known' | 'all'>
  readonly principals: Principals
  readonly vault: Pick<Vault, 'get' | 'revoke' | 'stateOf'>
  readonly links: Pick<Links, 'find'>
}
export type Connections = ReturnType<typeof createConnections>

const notFound = (): GatewayError => new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
const noConnection = (): GatewayError => new GatewayError('CONNECTION_NOT_FOUND', 'There is no such connection')
const connects = ({ identity }: Backend): boolean => identity?.mode === 'per_principal'

export function createConnections({ database, registry, principals, vault, links }: ConnectionsDeps) {
  /** The person behind an actor. Throws NOT_APPLICABLE for a key of the environment. */
  async function principalOf(actor: Actor): Promise<Principal> {
    const person = personOf(actor)
    const principal = person === null ? undefined : await principals.of(person)
    if (principal) return principal
    throw new GatewayError(
      'NOT_APPLICABLE',
      'Sign in as a user in a browser: neither a key of the environment nor the desktop window is a person here',
    )
  }

  function backendFor(actor: Actor, name: string): Backend {
    const backend = registry.known(name)
    if (backend === undefined || !mayTouch(actor, backend)) throw notFound()
    return backend
  }

  async function shown(client: string, { grant, row }: Granted): Promise<ClientConnection> {
    return {
      id: grant.id,
      client,
      person: grant.person,
      issuer: row.issuer,
      state: await vault.stateOf(grant),
      scopes: grant.scopes === '' ? [] : grant.scopes.split(' '),
      expiresAt: grant.expires_at_ms === null ? null : new Date(grant.expires_at_ms).toISOString(),
      retryingSince: grant.retrying_since,
      lastError: grant.last_error,
      connectedAt: grant.created_at,
      updatedAt: grant.updated_at,
    }
  }

  return {
    principalOf,
    backendFor,

    async clientConnections(actor: Actor, name: string): Promise<{ items: ClientConnection[] }> {
      const backend = backendFor(actor, name)
      const found = await grantsOf(database.query, { backendId: backend.id })
      return { items: await Promise.all(found.map((each) => shown(name, each))) }
    },

    async revokeConnection(by: By, name: string, given: string): Promise<void> {
      const backend = backendFor(by.actor, name)
      const found = await grantsOf(database.query, { backendId: backend.id })
      const granted = found.find(({ grant }) => grant.id === idIn(given))
      if (granted === undefined) throw noConnection()
      await vault.revoke(by, name, granted)
    },

    async mine(actor: Actor): Promise<{ items: OwnConnection[] }> {
      const person = personOf(actor)
      const principal = person === null ? undefined : await principals.of(person)
      if (principal === undefined) return { items: [] }
      const own = await grantsOf(database.query, { principal: principal.id })
      const backends = registry.all().filter((backend) => connects(backend) && mayTouch(actor, backend))
      return {
        items: await Promise.all(
          backends.map(async ({ id, name }) => {
            const granted = own.find(({ grant }) => grant.backend_id === id)
            if (granted === undefined) return { client: name, connection: null }
            const { id: _id, ...connection } = await shown(name, granted)
            return { client: name, connection }
          }),
        ),
      }
    },

    async disconnect(by: By, name: string): Promise<void> {
      const backend = backendFor(by.actor, name)
      const principal = await principalOf(by.actor)
      const granted = await grantOf(database.query, backend.id, principal.id)
      if (granted === undefined || granted.grant.state === 'revoked') throw noConnection()
      await vault.revoke(by, name, granted)
    },

    async link(actor: Actor, code: string): Promise<{ client: string }> {
      const row = await links.find(code, await principalOf(actor))
      const backend = registry.all().find(({ id }) => id === row.backend_id)
      if (backend === undefined) throw ended()
      return { client: backend.name }
    },

    /** The token of an actor at a backend that is called as people. */
    async credentialAs(actor: Actor, backend: Backend): Promise<UpstreamCredential | undefined> {
      const person = connects(backend) ? personOf(actor) : null
      const principal = person === null ? undefined : await principals.of(person)
      const found = principal && (await vault.get(backend, principal))
      return found && !('missing' in found) ? found.credential : undefined
    },

    /** What ends the grants of a person or backend, taken before they go and called after. */
    async ending(of: { readonly backend: string } | { readonly username: string }): Promise<(by: By) => Promise<void>> {
      const backend = 'backend' in of ? registry.known(of.backend) : undefined
      const principal = 'username' in of ? await principals.of({ kind: 'user', username: of.username }) : undefined
      const wanted = backend ? { backendId: backend.id } : principal ? { principal: principal.id } : undefined
      const granted = wanted === undefined ? [] : await grantsOf(database.query, wanted)
      const names = new Map(registry.all().map(({ id, name }) => [id, name]))
      return async (by) => {
        principals.forget()
        for (const each of granted)
          if (each.grant.sealed !== null) await vault.revoke(by, names.get(each.grant.backend_id) ?? '', each)
      }
    },
  }
}
