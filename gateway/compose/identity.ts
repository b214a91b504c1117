// Whom backends are called as: who a caller is, the grants of people, and how a person is connected.

import type { MountTable } from '../admin/handlers.ts'
import { identityHandlers } from '../admin/identity.ts'
import { createCookies } from '../auth/cookies.ts'
import { IDENTITY } from '../contract/index.ts'
import { CLIENT_DOCUMENT, registerConnectLink } from '../http/connect-link.ts'
import type { Http } from '../http/server.ts'
import { type Actings, createActing } from '../identity/acting.ts'
import { createAsk } from '../identity/ask.ts'
import { clientMetadata, createClients } from '../identity/clients.ts'
import { type Connecting, createConnecting, redirectAt } from '../identity/connecting.ts'
import { createExchange } from '../identity/exchange.ts'
import { createLinks, type Links } from '../identity/links.ts'
import { createPrincipals, type Principals } from '../identity/principals.ts'
import { createVault, type Vault } from '../identity/vault.ts'
import { type Connections, createConnections } from '../operations/identity/connections.ts'
import { createIdentitySettings } from '../operations/identity/identity.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import type { Foundation } from './foundation.ts'
import type { People } from './people.ts'

export type Identity = {
  readonly actings: Actings
  readonly vault: Vault
  readonly connections: Connections
  readonly connecting: Connecting
  readonly principals: Principals
  readonly links: Links
  /** For who keeps something that belongs to a connection. */
  readonly onEnded: (listener: (actingKey: string) => void) => void
}

/** Where others may read our client document: an https address of this gateway. */
const publicOf = (url: string | null): string | null =>
  url?.startsWith('https://') ? url.replace(/(?<!\/)\/+$/, '') : null

export function createIdentity(base: Foundation, registry: LiveRegistry): Identity {
  const { settings, outbound, own, database } = base
  const listeners = new Set<(actingKey: string) => void>()
  const ask = createAsk(outbound, settings.OAUTH_TOKEN_TIMEOUT_MS)
  const clients = createClients({ ...base, ask })
  const principals = createPrincipals(base)
  const baseUrl = (): string =>
    settings.GATEWAY_PUBLIC_URL?.replace(/(?<!\/)\/+$/, '') ?? `http://127.0.0.1:${own.port() ?? settings.PORT}`
  const links = createLinks(base, baseUrl)
  const vault = createVault({
    ...base,
    ask,
    clients,
    tokenTimeoutMs: settings.OAUTH_TOKEN_TIMEOUT_MS,
    onEnded(id) {
      for (const listener of listeners) listener(`grant ${id}`)
    },
  })
  const publicUrl = publicOf(settings.GATEWAY_PUBLIC_URL)
  return {
    principals,
    vault,
    links,
    actings: createActing({ database, principals, vault, exchange: createExchange({ ...base, ask }), links }),
    connections: createConnections({ database, registry, principals, vault, links }),
    connecting: createConnecting({
      ...base,
      ask,
      clients,
      vault,
      links,
      backendOf: (id) => registry.all().find((backend) => backend.id === id),
      documentUrl: publicUrl && publicUrl + CLIENT_DOCUMENT,
    }),
    onEnded: (listener) => void listeners.add(listener),
  }
}

export function mountIdentity(
  base: Foundation,
  http: Http,
  { registry, identity }: { readonly registry: LiveRegistry; readonly identity: Identity },
  { mount, people }: { readonly mount: MountTable; readonly people: Pick<People, 'authenticator'> },
): void {
  const { connections, vault } = identity
  const settings = createIdentitySettings({ ...base, registry, revoke: vault.revoke })
  const cookies = createCookies({ secure: base.settings.SESSION_COOKIE_SECURE })
  mount(
    IDENTITY.identity,
    { ...settings, ...connections },
    identityHandlers({ ...identity, authenticator: people.authenticator, cookies, baseUrl: http.baseUrl }),
  )
  const publicUrl = publicOf(base.settings.GATEWAY_PUBLIC_URL)
  const document = publicUrl && {
    client_id: publicUrl + CLIENT_DOCUMENT,
    client_uri: publicUrl,
    ...clientMetadata(redirectAt(publicUrl)),
  }
  http.routes((app) => registerConnectLink(app, document || null))
}
