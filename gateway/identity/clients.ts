// The OAuth client of a backend: given by an administrator, named by its metadata document, or registered. In this order.
import type { Base } from '../records/base.ts'
import { jsonText } from '../storage/json-text.ts'
import type { StoredUpstreamClient } from '../storage/stored.ts'
import {
  clientRef,
  insertUpstreamClient,
  latestClient,
  type UpstreamClientRow,
  updateUpstreamClient,
} from '../storage/upstream-grants.ts'
import type { Ask } from './ask.ts'
import type { PerPrincipal, Provider } from './discovery.ts'
import { ProviderError } from './provider-error.ts'

export type Registered = { readonly row: UpstreamClientRow; readonly client: StoredUpstreamClient }

export const identityRef = (backend: string): string => `backends/${backend}/identity`
/** Of the OAuth clients that an administrator entered. */
export type ClientSecrets = { readonly clientSecret?: string; readonly resourceClientSecret?: string }

type Wanted = {
  readonly backendId: number
  readonly settings: PerPrincipal
  /** Of the setting, decrypted. */
  readonly clientSecret: string | null
  readonly provider: Provider
  readonly redirectUri: string
  /** The address of our own metadata document; null where others cannot read it. */
  readonly documentUrl: string | null
}
type Made = Pick<StoredUpstreamClient, 'clientId' | 'authMethod'> & {
  readonly secret: string | null
  readonly origin: UpstreamClientRow['origin']
}

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const
const VISIBLE = /^[\x20-\x7e]{1,4096}$/

/** RFC 8414: absent means basic. */
function secretMethod(offered: readonly string[]): StoredUpstreamClient['authMethod'] {
  if (offered.length === 0) return 'client_secret_basic'
  return SECRET_METHODS.find((method) => offered.includes(method)) ?? 'client_secret_basic'
}

export const clientMetadata = (redirectUri: string) => ({
  client_name: 'Gantry',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: new URL(redirectUri).protocol === 'https:' ? 'web' : 'native',
})

/** What is stored beside the setting of a backend, decrypted. */
export async function openSecrets(
  box: Pick<Base['box'], 'open'>,
  { name, identity_secret: sealed }: { readonly name: string; readonly identity_secret: string | null },
): Promise<ClientSecrets> {
  // Sealed in this shape by `sealSecrets`.
  return sealed === null ? {} : (JSON.parse(await box.open(sealed, identityRef(name))) as ClientSecrets)
}

export const sealSecrets = async (
  box: Pick<Base['box'], 'seal'>,
  name: string,
  secrets: ClientSecrets,
): Promise<string | null> =>
  Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets), identityRef(name))

export async function secretsOfBackend(
  { database, box }: Pick<Base, 'database' | 'box'>,
  id: number,
): Promise<ClientSecrets> {
  const row = await database.query
    .selectFrom('backends')
    .select(['name', 'identity_secret'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? {} : openSecrets(box, row)
}

export function createClients({
  database,
  box,
  clock,
  ask,
}: Pick<Base, 'database' | 'box' | 'clock'> & { readonly ask: Ask }) {
  async function register(url: string, redirectUri: string): Promise<Made> {
    const { status, fields } = await ask.ask('registration endpoint', {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(clientMetadata(redirectUri)),
    })
    const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: given } = fields
    if (status >= 500) throw new ProviderError('unavailable', `the registration endpoint answered ${status}`)
    if ((status !== 201 && status !== 200) || typeof clientId !== 'string' || !VISIBLE.test(clientId))
      throw new ProviderError('refused', `the registration endpoint answered ${status} without a client`)
    if (secret !== undefined && (typeof secret !== 'string' || !VISIBLE.test(secret)))
      throw new ProviderError('refused', 'the registration endpoint answered with an unusable secret')
    const authMethod =
      SECRET_METHODS.find((method) => method === given) ??
      (secret === undefined || given === 'none' ? 'none' : 'client_secret_basic')
    return { clientId, secret: authMethod === 'none' ? null : (secret ?? null), authMethod, origin: 'registered' }
  }

  async function make({ settings, clientSecret, provider, redirectUri, documentUrl }: Wanted): Promise<Made> {
    if (settings.clientId !== null)
      return {
        clientId: settings.clientId,
        secret: clientSecret,
        authMethod: clientSecret === null ? 'none' : secretMethod(provider.authMethods),
        origin: 'form',
      }
    if (provider.takesMetadataDocuments && documentUrl !== null)
      return { clientId: documentUrl, secret: null, authMethod: 'none', origin: 'metadata' }
    if (provider.registration !== null) return register(provider.registration, redirectUri)
    throw new ProviderError(
      'refused',
      'the authorization server registers no clients: register one there by hand, and enter its client id',
    )
  }

  /** Whether a stored client is still what would be used now. */
  function fits(
    { origin }: UpstreamClientRow,
    client: StoredUpstreamClient,
    { settings, redirectUri, documentUrl }: Wanted,
  ): boolean {
    if (client.redirectUri !== redirectUri) return false
    if (settings.clientId !== null) return origin === 'form' && client.clientId === settings.clientId
    return origin === 'registered' || (origin === 'metadata' && client.clientId === documentUrl)
  }

  /** A client that was entered is of one server. The backend cannot lead it to another one. */
  async function requireItsIssuer({ backendId, settings, provider }: Wanted): Promise<void> {
    if (settings.clientId === null || settings.issuer !== null) return
    const earlier = await latestClient(database.query, backendId)
    if (earlier?.row.origin === 'form' && earlier.row.issuer !== provider.issuer)
      throw new ProviderError(
        'refused',
        `the backend names ${provider.issuer} now, and its client was entered for ${earlier.row.issuer}: save the identity of the backend again`,
      )
  }

  const facts = ({ provider, settings, redirectUri }: Wanted) => ({
    authorization: provider.authorization,
    token: provider.token,
    revocation: provider.revocation,
    namesItself: provider.namesItself,
    resource: provider.resource,
    audience: settings.audience,
    origin: settings.origin,
    redirectUri,
  })

  return {
    /** The client of this backend at this issuer. Throws ProviderError. */
    async of(wanted: Wanted): Promise<Registered> {
      const { backendId, provider } = wanted
      const { issuer } = provider
      const known = await latestClient(database.query, backendId, issuer)
      if (known && fits(known.row, known.client, wanted)) {
        const client: StoredUpstreamClient = { ...known.client, ...facts(wanted) }
        if (JSON.stringify(client) !== JSON.stringify(known.client))
          await database.write((tx) => updateUpstreamClient(tx, known.row.id, jsonText(client)))
        return { row: known.row, client }
      }
      await requireItsIssuer(wanted)
      const { secret, origin, ...made } = await make(wanted)
      const client: StoredUpstreamClient = { ...made, ...facts(wanted) }
      const generation = (known?.row.generation ?? 0) + 1
      const sealed = secret === null ? null : await box.seal(secret, clientRef(backendId, issuer, generation))
      const row = await database.write((tx) =>
        insertUpstreamClient(tx, {
          backend_id: backendId,
          issuer,
          generation,
          origin,
          client: jsonText(client),
          secret: sealed,
          created_at: new Date(clock.now()).toISOString(),
        }),
      )
      return { row, client }
    },
    async secretOf({ backend_id, issuer, generation, secret }: UpstreamClientRow): Promise<string | null> {
      return secret === null ? null : box.open(secret, clientRef(backend_id, issuer, generation))
    },
  }
}
export type Clients = ReturnType<typeof createClients>
