// Whom a backend is called as: set and shown, with the secrets of its OAuth clients set and never shown.
import type { IdentityInfo, IdentityInput } from '../../contract/admin/identity.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { webAddress } from '../../identity/ask.ts'
import { identityRef } from '../../identity/clients.ts'
import { ProviderError } from '../../identity/provider-error.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { originOf } from '../../registry/credential-origins.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { type BackendRow, backendByName, updateBackend } from '../../storage/backends.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import type { StoredIdentity } from '../../storage/stored.ts'
import { forgetIdentity, type Granted, grantsOf, latestClient } from '../../storage/upstream-grants.ts'

type IdentityDeps = Pick<Base, 'database' | 'changes' | 'box' | 'clock'> & {
  readonly registry: Pick<LiveRegistry, 'reload'>
  readonly revoke: (by: By, backend: string, granted: Granted) => Promise<void>
}
type Secrets = { clientSecret?: string; resourceClientSecret?: string }

const notFound = (): GatewayError => new GatewayError('CLIENT_NOT_FOUND', 'Client not found')

/** Every address of a setting is checked as those that are found. */
function requireWeb(input: IdentityInput): void {
  const given: readonly (readonly [string, string | null | undefined])[] =
    input.mode === 'per_principal'
      ? [
          ['issuer', input.issuer],
          ['endpoints.authorization', input.endpoints?.authorization],
          ['endpoints.token', input.endpoints?.token],
          ['endpoints.revocation', input.endpoints?.revocation],
        ]
      : input.mode === 'exchange'
        ? [['tokenUrl', input.tokenUrl]]
        : input.mode === 'id_jag'
          ? [
              ['tokenUrl', input.tokenUrl],
              ['resourceTokenUrl', input.resourceTokenUrl],
              ['resourceIssuer', input.resourceIssuer],
            ]
          : []
  for (const [path, url] of given)
    try {
      if (url != null) webAddress(url, path)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      throw new GatewayError('INVALID_URL', `${path} must be an https address`, {
        fields: [{ path, message: 'must be an https address' }],
      })
    }
}

/** The setting without its secrets, and the secrets alone. */
function apart(input: IdentityInput): {
  readonly shown: Omit<StoredIdentity, 'updatedAt' | 'origin'>
  readonly secrets: Secrets
} {
  if (input.mode === 'none' || input.mode === 'shared') return { shown: input, secrets: {} }
  if (input.mode === 'id_jag') {
    const { clientSecret, resourceClientSecret, ...shown } = input
    return {
      shown,
      secrets: { ...(clientSecret && { clientSecret }), ...(resourceClientSecret && { resourceClientSecret }) },
    }
  }
  const { clientSecret, ...shown } = input
  return { shown, secrets: clientSecret === undefined ? {} : { clientSecret } }
}

export function createIdentitySettings({ database, changes, box, clock, registry, revoke }: IdentityDeps) {
  async function required(actor: Actor, name: string): Promise<BackendRow> {
    const row = await backendByName(database.query, name)
    if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
    return row
  }

  async function info(row: BackendRow): Promise<IdentityInfo> {
    const stored = fromText(row.identity)
    const known = await latestClient(database.query, row.id)
    const hasCredential = row.upstream_auth !== null || row.oauth_info !== null
    const mode = stored?.mode ?? (hasCredential ? 'shared' : 'none')
    const own = stored?.mode === 'per_principal' ? stored : undefined
    const exchanging = stored?.mode === 'exchange' || stored?.mode === 'id_jag' ? stored : undefined
    return {
      mode,
      issuer: own?.issuer ?? (stored?.mode === 'id_jag' ? stored.resourceIssuer : null),
      clientId: own?.clientId ?? exchanging?.clientId ?? null,
      clientSecretSet: row.identity_secret !== null,
      scopes: own?.scopes ?? exchanging?.scopes ?? null,
      resource: own?.resource ?? exchanging?.resource ?? null,
      audience: own?.audience ?? (stored?.mode === 'exchange' ? stored.audience : null),
      endpoints: own?.endpoints ?? null,
      tokenUrl: exchanging?.tokenUrl ?? null,
      registration: known
        ? {
            issuer: known.row.issuer,
            clientId: known.client.clientId,
            origin: known.row.origin,
            generation: known.row.generation,
          }
        : null,
      updatedAt: stored?.updatedAt ?? null,
    }
  }

  async function secretsOf(row: BackendRow): Promise<Secrets> {
    // Sealed in this shape below.
    return row.identity_secret === null
      ? {}
      : (JSON.parse(await box.open(row.identity_secret, identityRef(row.id))) as Secrets)
  }

  return {
    getIdentity: async (actor: Actor, name: string): Promise<IdentityInfo> => info(await required(actor, name)),

    async setIdentity(by: By, name: string, input: IdentityInput): Promise<IdentityInfo> {
      const row = await required(by.actor, name)
      const personal = input.mode !== 'none' && input.mode !== 'shared'
      if (personal && row.pins === null)
        throw new GatewayError('NOT_APPLICABLE', 'A program of this computer is not called over the network')
      requireWeb(input)
      const { shown, secrets } = apart(input)
      const before = fromText(row.identity)
      // A secret stays with the client it belongs to.
      const stays =
        before?.mode === input.mode && 'clientId' in input && 'clientId' in before && before.clientId === input.clientId
      const all: Secrets = { ...(stays ? await secretsOf(row) : {}), ...secrets }
      const sealed = Object.keys(all).length === 0 ? null : await box.seal(JSON.stringify(all), identityRef(row.id))
      const grants = await grantsOf(database.query, { backendId: row.id })
      // Tokens that are not used any more are revoked first.
      for (const granted of grants) if (granted.grant.sealed !== null) await revoke(by, name, granted)
      const updatedAt = new Date(clock.now()).toISOString()
      // The parts of one member of the union, and two fields that each of them has.
      const stored = { ...shown, updatedAt, origin: originOf(row.base_url) } as StoredIdentity
      await changes(by, async (tx, audit) => {
        await forgetIdentity(tx, row.id)
        await updateBackend(tx, row.id, { identity: jsonText(stored), identity_secret: sealed, updated_at: updatedAt })
        await audit('client.identity.set', name, {
          before: { mode: before?.mode ?? null },
          after: { ...shown, ...(sealed === null ? {} : { clientSecret: '[set]' }) },
          endedConnections: grants.length,
        })
      })
      await registry.reload(name, 'changed')
      return info(await required(by.actor, name))
    },
  }
}
