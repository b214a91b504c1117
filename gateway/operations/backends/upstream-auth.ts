// The credential a backend is called with: set, shown as set, tested, removed; never shown again. Contract 9.3, 9.4.

import type { ClientDetail, OAuthInput, UpstreamAuthInput } from '../../contract/admin/clients.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch, mayUse } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { givenFor, originOf, originsIn, secretOriginsIn, servingOrigins } from '../../registry/credential-origins.ts'
import { authRef, type Credentials, credentialOf, oauthRef, type StoredAuth } from '../../registry/credentials.ts'
import { classify, type Payload, type SourceAuth } from '../../registry/plan.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { SecretBox } from '../../secrets/box.ts'
import { type BackendRow, backendByName, updateBackend } from '../../storage/backends.ts'
import { fromText, type JsonText, jsonText } from '../../storage/json-text.ts'
import { lbTargetsOf } from '../../storage/lb-targets.ts'
import type { Tx } from '../../storage/schema.ts'
import type { Bound, CredentialInfo, OAuthStored } from '../../storage/stored.ts'
import { secretWarning, stillServing } from './credential-binding.ts'
import { upstreamAuthInfo } from './present.ts'

type UpstreamAuthDeps = Pick<Base, 'database' | 'changes' | 'outbound' | 'box' | 'clock'> & {
  readonly registry: LiveRegistry
  readonly credentials: Credentials
}

type OAuthInfo = {
  tokenUrl: string
  clientId: string
  scope: string | null
  audience: string | null
  authStyle: 'body' | 'basic'
  clientSecretSet: true
  updatedAt: string
  origins: string[]
  secretOrigins: string[]
}
type OAuthAnswer = { oauth: OAuthInfo | null; warnings?: string[] }
export type UpstreamAuth = ReturnType<typeof createUpstreamAuth>
/** The columns of a credential: the hidden ones, and those every user may see. */
export type SealedAuth = { readonly upstream_auth: string; readonly upstream_auth_info: JsonText<CredentialInfo> }

/** The origins are added where the row is written: they are those of the row as it is then. */
export async function sealAuth(box: SecretBox, name: string, auth: StoredAuth, at: string): Promise<SealedAuth> {
  return {
    upstream_auth: await box.seal(JSON.stringify(auth), authRef(name)),
    upstream_auth_info: jsonText({
      type: auth.type,
      headerName: auth.type === 'header' ? auth.headerName : null,
      paramName: auth.type === 'query' ? auth.paramName : null,
      updatedAt: at,
    }),
  }
}

/** For a credential that is set now: the backend's own origin, and those an admin confirmed that are still in use. */
async function givenNow<T extends Bound>(
  tx: Tx,
  row: BackendRow,
  info: JsonText<T>,
  before: JsonText<Bound> | null,
): Promise<JsonText<T>> {
  const targets = row.lb === null ? [] : await lbTargetsOf(tx, row.id)
  return givenFor(info, row, stillServing(before, servingOrigins(row, targets)))
}

function refuseQueryForMcp(kind: string, auth: UpstreamAuthInput): void {
  if (auth.type === 'query' && kind === 'mcp')
    throw new GatewayError('NOT_APPLICABLE', 'An MCP server takes its key in a header; use bearer or header')
}

/** For reading the source of a backend that is not registered yet. */
function forSource(actor: Actor, payload: Payload, auth: UpstreamAuthInput): SourceAuth {
  if (!mayUse(actor, 'admin')) throw new GatewayError('FORBIDDEN', 'Only an admin may set the credential of a backend')
  refuseQueryForMcp(classify(payload).kind, auth)
  return { headers: credentialOf(auth).headers }
}

export function createUpstreamAuth({
  database,
  changes,
  registry,
  credentials,
  outbound,
  box,
  clock,
}: UpstreamAuthDeps) {
  async function required(actor: Actor, name: string): Promise<BackendRow> {
    const row = await backendByName(database.query, name)
    if (row === undefined || !mayTouch(actor, { teamId: row.team_id }))
      throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
    return row
  }

  async function current(tx: Tx, name: string): Promise<BackendRow> {
    const row = await backendByName(tx, name)
    if (row === undefined) throw new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
    return row
  }

  const stored = (row: BackendRow): OAuthStored | undefined => fromText(row.oauth_info) ?? undefined

  function oauthInfo(row: BackendRow): OAuthInfo | null {
    const info = stored(row)
    if (info === undefined) return null
    const { tokenUrl, clientId, scope, audience, authStyle, updatedAt, origins, secretOrigins } = info
    return {
      tokenUrl,
      clientId,
      scope: scope ?? null,
      audience: audience ?? null,
      authStyle,
      clientSecretSet: true,
      updatedAt,
      origins: [...origins],
      secretOrigins: [...secretOrigins],
    }
  }

  const unset = (): GatewayError => new GatewayError('NOT_CONFIGURED', 'Nothing is configured here')
  const at = (): string => new Date(clock.now()).toISOString()

  return {
    async getUpstreamAuth(actor: Actor, name: string): Promise<ClientDetail['upstreamAuth']> {
      return upstreamAuthInfo(await required(actor, name))
    },

    async setUpstreamAuth(by: By, name: string, auth: UpstreamAuthInput): Promise<ClientDetail['upstreamAuth']> {
      const row = await required(by.actor, name)
      refuseQueryForMcp(row.kind, auth)
      const sealed = await sealAuth(box, name, auth, at())
      const upstream_auth_info = await changes(by, async (tx, audit) => {
        const now = await current(tx, name)
        const info = await givenNow(tx, now, sealed.upstream_auth_info, now.upstream_auth_info)
        await updateBackend(tx, row.id, { ...sealed, upstream_auth_info: info, updated_at: at() })
        await audit('client.upstream_auth.set', name, { type: auth.type, value: '[set]', origins: originsIn(info) })
        return info
      })
      await registry.reload(name, 'changed')
      return upstreamAuthInfo({ upstream_auth_info })
    },

    forSource,

    /** For a backend that is about to be registered with it. */
    seal: (name: string, auth: UpstreamAuthInput): Promise<SealedAuth> => sealAuth(box, name, auth, at()),

    async clearUpstreamAuth(by: By, name: string): Promise<void> {
      const row = await required(by.actor, name)
      if (row.upstream_auth === null) throw unset()
      await changes(by, async (tx, audit) => {
        await updateBackend(tx, row.id, { upstream_auth: null, upstream_auth_info: null, updated_at: at() })
        await audit('client.upstream_auth.clear', name)
      })
      await registry.reload(name, 'changed')
    },

    async getOauth(actor: Actor, name: string): Promise<OAuthAnswer> {
      return { oauth: oauthInfo(await required(actor, name)) }
    },

    async setOauth(by: By, name: string, { clientSecret, keepCredential, ...input }: OAuthInput): Promise<OAuthAnswer> {
      const row = await required(by.actor, name)
      if (clientSecret === undefined && row.oauth_secret === null)
        throw new GatewayError('VALIDATION_ERROR', 'clientSecret is required the first time', {
          fields: [{ path: 'clientSecret', message: 'is required the first time' }],
        })
      const { addresses } = await outbound.pin(input.tokenUrl, 'tokenUrl')
      const sealed = clientSecret === undefined ? undefined : await box.seal(clientSecret, oauthRef(name))
      const endpoint = originOf(input.tokenUrl)
      const detached = await changes(by, async (tx, audit) => {
        const now = await current(tx, name)
        const before = secretOriginsIn(now.oauth_info)
        const isNew = sealed !== undefined || keepCredential === true
        const info: OAuthStored = {
          ...input,
          addresses,
          updatedAt: at(),
          origins: originsIn(now.oauth_info),
          secretOrigins: sealed === undefined ? [...new Set([...before, ...(isNew ? [endpoint] : [])])] : [endpoint],
        }
        const text = jsonText(info)
        const oauth_info = sealed === undefined ? text : await givenNow(tx, now, text, now.oauth_info)
        await updateBackend(tx, row.id, { oauth_secret: sealed ?? now.oauth_secret, oauth_info, updated_at: at() })
        const away = info.secretOrigins.includes(endpoint) ? undefined : before
        await audit('client.oauth.set', name, {
          tokenUrl: input.tokenUrl,
          clientId: input.clientId,
          clientSecret: '[set]',
          ...(away && { secretDetached: [endpoint] }),
        })
        return away
      })
      await registry.reload(name, 'changed')
      const oauth = oauthInfo(await required(by.actor, name))
      return detached === undefined ? { oauth } : { oauth, warnings: [secretWarning(endpoint, detached)] }
    },

    async clearOauth(by: By, name: string): Promise<void> {
      const row = await required(by.actor, name)
      if (row.oauth_info === null) throw unset()
      await changes(by, async (tx, audit) => {
        await updateBackend(tx, row.id, { oauth_secret: null, oauth_info: null, updated_at: at() })
        await audit('client.oauth.clear', name)
      })
      await registry.reload(name, 'changed')
    },

    async testOauth(
      { actor }: By,
      name: string,
    ): Promise<{ ok: boolean; expiresInMs: number | null; error: string | null }> {
      if (stored(await required(actor, name)) === undefined) throw unset()
      try {
        const { expiresInMs } = await credentials.fetchToken(name)
        return { ok: true, expiresInMs, error: null }
      } catch (error) {
        // The reason, in our own words: an endpoint's answer could repeat the secret.
        return {
          ok: false,
          expiresInMs: null,
          error: error instanceof GatewayError ? error.message : 'the token could not be fetched',
        }
      }
    },
  }
}
