// Before the transaction of an import: opens and seals secrets, discovers backends, vets addresses. Nothing is written.
import type { ConfigClient, ConfigDoc } from '../../contract/config-document.ts'

import { GatewayError } from '../../contract/error.ts'
import type { Base } from '../../records/base.ts'
import type { Audit, By } from '../../records/changes.ts'
import { credentialOf } from '../../registry/credentials.ts'
import { backendByName, toolsOf } from '../../storage/backends.ts'
import type { Tx } from '../../storage/schema.ts'
import type { Registration } from '../backends/registration.ts'
import type { Along } from '../backends/registration-store.ts'
import { compiledScript } from '../curation/scripts.ts'
import { vetHooks } from './apply-alerts.ts'
import { differs, type Readied } from './apply-clients.ts'
import type { createBudgetReader } from './budgets.ts'
import type { CredentialReader } from './credentials.ts'
import type { IdentityReader } from './identity.ts'
import type { createTargetReader } from './target-reader.ts'
import { createSocketVetting, type Vetted } from './tool-sockets.ts'

type ReadyingDeps = Pick<Base, 'database' | 'outbound'> & {
  readonly registration: Pick<Registration, 'stage' | 'vet'>
  readonly credentials: CredentialReader
  readonly identities: IdentityReader
  readonly targets: ReturnType<typeof createTargetReader>
  readonly budgets: ReturnType<typeof createBudgetReader>
}
export type Wish = { readonly registerClients: boolean }
type Registering = (tx: Tx, audit: Audit) => Promise<void>
export type Ready = {
  readonly clients: ReadonlyMap<string, Readied>
  /** Writes the registration of a backend, by its name, in the transaction of the import. */
  readonly registrations: ReadonlyMap<string, Registering>
  /** Catalog entries that may not be dialled, and why. */
  readonly unvetted: ReadonlyMap<string, string>
  /** Where the WebSocket targets that are new or moved may be dialled, or why they may not. */
  readonly vettedSockets: Vetted<readonly string[]>
  /** The same of the webhooks of alert rules. */
  readonly vettedHooks: Vetted<readonly string[]>
  /** What the scripts of composites compile to, by the name of their composite. */
  readonly scripts: ReadonlyMap<string, string>
}

const DIALLED = ['openapiUrl', 'healthUrl', 'baseUrl', 'mcpUrl', 'graphqlUrl'] as const

export function createReadying({
  database,
  registration,
  credentials,
  identities,
  targets,
  budgets,
  outbound,
}: ReadyingDeps) {
  const sockets = createSocketVetting(database.query, outbound)

  async function outsideOf(client: ConfigClient): Promise<Readied> {
    const { name, upstreamAuth, oauth, identity, tools = [] } = client
    const row = await backendByName(database.query, name)
    const special = tools.filter(({ contextBudget, ws }) => contextBudget ?? ws)
    const rows = row && special.length > 0 ? await toolsOf(database.query, row.id) : []
    return {
      ...(upstreamAuth === undefined ? {} : { upstreamAuth: await credentials.upstreamAuth(name, upstreamAuth, row) }),
      ...(oauth === undefined ? {} : { oauth: await credentials.oauth(name, oauth, row) }),
      ...(identity === undefined ? {} : { identity: await identities(name, identity, row) }),
      targets: await targets(client, row),
      budgets: await budgets(name, special, rows),
      sockets: await sockets.tools(name, special, rows),
    }
  }

  async function registrationFor(
    by: By,
    payload: ConfigClient['registration'],
    ready: Readied,
  ): Promise<{ registering: Registering } | { unregistered: string }> {
    if (!payload) return { unregistered: 'the document does not say how it is registered' }
    const { auth } = ready.upstreamAuth ?? {}
    const along: Along = auth
      ? { auth: { source: { headers: credentialOf(auth.input).headers }, sealed: auth.sealed } }
      : {}
    try {
      return { registering: await registration.stage(by, payload, along) }
    } catch (error) {
      if (error instanceof GatewayError) return { unregistered: `it could not be registered: ${error.message}` }
      throw error
    }
  }

  async function vetted(entry: NonNullable<ConfigDoc['catalogEntries']>[number]): Promise<string | undefined> {
    for (const field of DIALLED) {
      const url = entry[field]
      // A document's address may be relative to the API's.
      if (url === undefined || (field === 'openapiUrl' && !URL.canParse(url))) continue
      try {
        await registration.vet(url, field)
      } catch (error) {
        if (error instanceof GatewayError) return error.message
        throw error
      }
    }
    return undefined
  }

  return async function ready(by: By, doc: ConfigDoc, { registerClients }: Wish): Promise<Ready> {
    const clients = new Map<string, Readied>()
    const registrations = new Map<string, Registering>()
    // Secrets first: a key service that fails ends the import before any source is read.
    const sealed = new Map<ConfigClient, Readied>()
    for (const client of doc.clients ?? []) sealed.set(client, await outsideOf(client))
    for (const [client, readied] of sealed) {
      const { name } = client
      let found = readied
      const row = await backendByName(database.query, name)
      const payload = credentials.registration(client, row)
      if (typeof payload === 'string') found = { ...found, unregistered: payload }
      else found = { ...found, registration: payload }
      if (
        registerClients &&
        typeof payload !== 'string' &&
        row?.pins !== null &&
        (row === undefined || differs(payload, row))
      ) {
        const outcome = await registrationFor(by, payload, found)
        if ('unregistered' in outcome) found = { ...found, unregistered: outcome.unregistered }
        else {
          registrations.set(name, outcome.registering)
          // Stored along with the registration.
          if (found.upstreamAuth?.auth) {
            const { columns: _stored, given: _given, ...upstreamAuth } = found.upstreamAuth
            found = { ...found, upstreamAuth }
          }
        }
      }
      clients.set(name, found)
    }
    const unvetted = new Map<string, string>()
    for (const entry of doc.catalogEntries ?? []) {
      const why = await vetted(entry)
      if (why !== undefined) unvetted.set(entry.slug, why)
    }
    const vettedSockets = await sockets.targets(doc)
    const vettedHooks = await vetHooks(database.query, outbound, doc)
    const scripts = new Map<string, string>()
    for (const { name, script } of doc.composites ?? []) {
      const js = await compiledScript(script)
      if (js !== undefined) scripts.set(name, js)
    }
    return { clients, registrations, unvetted, vettedSockets, vettedHooks, scripts }
  }
}
