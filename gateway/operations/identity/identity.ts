// Whom a backend is called as: set and shown, with the secrets of its OAuth clients set and never shown.
import { type IdentityInfo, type IdentityInput, SECRET_FIELDS } from '../../contract/admin/identity.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { openSecrets, sealSecrets } from '../../identity/clients.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { originOf } from '../../registry/credential-origins.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { type BackendRow, backendByName, updateBackend } from '../../storage/backends.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import { forgetIdentity, type Granted, grantsOf, latestClient } from '../../storage/upstream-grants.ts'
import { apart, isPersonalMode, keptSecrets, requireWeb, storedOf } from './setting.ts'

type IdentityDeps = Pick<Base, 'database' | 'changes' | 'box' | 'clock'> & {
  readonly registry: Pick<LiveRegistry, 'reload'>
  readonly revoke: (by: By, backend: string, granted: Granted) => Promise<void>
}

const notFound = (): GatewayError => new GatewayError('CLIENT_NOT_FOUND', 'Client not found')

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
      clientSecretSet: stored?.secrets?.includes('clientSecret') ?? false,
      resourceClientSecretSet: stored?.secrets?.includes('resourceClientSecret') ?? false,
      scopes: own?.scopes ?? exchanging?.scopes ?? null,
      resource: own?.resource ?? exchanging?.resource ?? null,
      audience: own?.audience ?? (stored?.mode === 'exchange' ? stored.audience : null),
      endpoints: own?.endpoints ?? null,
      tokenUrl: exchanging?.tokenUrl ?? null,
      resourceTokenUrl: stored?.mode === 'id_jag' ? stored.resourceTokenUrl : null,
      resourceClientId: stored?.mode === 'id_jag' ? stored.resourceClientId : null,
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

  return {
    getIdentity: async (actor: Actor, name: string): Promise<IdentityInfo> => info(await required(actor, name)),

    async setIdentity(by: By, name: string, input: IdentityInput): Promise<IdentityInfo> {
      const row = await required(by.actor, name)
      if (isPersonalMode(input.mode) && row.pins === null)
        throw new GatewayError('NOT_APPLICABLE', 'A program of this computer is not called over the network')
      requireWeb(input)
      const { shown, secrets } = apart<string>(input)
      const before = fromText(row.identity) ?? undefined
      const all = { ...keptSecrets(before, shown, await openSecrets(box, row)), ...secrets }
      const sealed = await sealSecrets(box, name, all)
      const grants = await grantsOf(database.query, { backendId: row.id })
      // Tokens that are not used any more are revoked first.
      for (const granted of grants) if (granted.grant.sealed !== null) await revoke(by, name, granted)
      const updatedAt = new Date(clock.now()).toISOString()
      const stored = storedOf(shown, {
        secrets: SECRET_FIELDS.filter((field) => all[field] !== undefined),
        updatedAt,
        origin: originOf(row.base_url),
      })
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
