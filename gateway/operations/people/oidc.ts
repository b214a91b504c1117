// The settings of single sign-on: kept with a sealed secret, or given by the environment and then not to be changed here. Contract 7.1.

import type { ClaimRules } from '../../auth/oidc-claims.ts'
import { type OidcProvider, type ProviderAccess, ProviderError } from '../../auth/oidc-provider.ts'
import { OidcSettings, OidcSettingsInput } from '../../contract/admin/oidc.ts'
import { GatewayError } from '../../contract/error.ts'
import { parseHttpUrl } from '../../net/pin.ts'
import type { Base } from '../../records/base.ts'
import { type By, difference, type Revision, requireRevision } from '../../records/changes.ts'
import { jsonText } from '../../storage/json-text.ts'
import { type OidcRow, oidcRow, putOidcRow } from '../../storage/oidc.ts'
import type { Query } from '../../storage/schema.ts'

type OidcDeps = Pick<Base, 'database' | 'changes' | 'box' | 'settings' | 'clock'> & {
  readonly provider: OidcProvider
}
export type Oidc = ReturnType<typeof createOidc>
/** Everything a sign-in needs but the secret, which is opened when it is sent. */
export type Configured = ClaimRules & {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string | null
  readonly scopes: string
  readonly autoProvision: boolean
  readonly trusted: boolean
  readonly clientSecret: () => Promise<string | null>
}

export const CALLBACK = '/admin-api/auth/oidc/callback'
export const callbackAt = (baseUrl: string): string => `${baseUrl.replace(/\/$/, '')}${CALLBACK}`

/** A sealed secret opens for the issuer it was entered for, and for no other. */
export const clientSecretRef = (issuer: string): string => `oidc:${issuer}:client-secret`

const Stored = OidcSettingsInput.omit({ clientSecret: true, revision: true })
type Stored = ReturnType<typeof Stored.parse>
const storedIn = (row: OidcRow): Stored => Stored.parse(JSON.parse(row.settings))

const NONE = { issuer: '', clientId: '', clientSecretSet: false, revision: 0, source: 'none' } as const

export function createOidc({ database, changes, box, settings, provider, clock }: OidcDeps) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: envSecret } = settings
  const managed = issuer !== null && clientId !== null && envSecret !== null

  function fromEnv(): Stored {
    return {
      enabled: true,
      issuer: issuer ?? '',
      clientId: clientId ?? '',
      ...(settings.OIDC_REDIRECT_URI === null ? {} : { redirectUri: settings.OIDC_REDIRECT_URI }),
      scopes: settings.OIDC_SCOPES,
      usernameClaim: settings.OIDC_USERNAME_CLAIM,
      roleClaim: settings.OIDC_ROLE_CLAIM,
      roleMap: settings.OIDC_ROLE_MAP,
      defaultRole: settings.OIDC_DEFAULT_ROLE,
      allowedDomains: settings.OIDC_ALLOWED_DOMAINS.map((domain) => domain.toLowerCase()),
      autoProvision: settings.OIDC_AUTO_PROVISION,
    }
  }

  async function read(query: Query, baseUrl: string): Promise<OidcSettings> {
    const shown = (stored: Stored, more: Pick<OidcSettings, 'clientSecretSet' | 'source' | 'revision'>): OidcSettings =>
      OidcSettings.parse({ ...stored, redirectUri: stored.redirectUri ?? callbackAt(baseUrl), ...more })
    if (managed) return shown(fromEnv(), { clientSecretSet: true, source: 'env', revision: 0 })
    const row = await oidcRow(query)
    if (row)
      return shown(storedIn(row), {
        clientSecretSet: row.client_secret !== null,
        source: 'database',
        revision: row.revision,
      })
    const defaults = Stored.parse({ issuer: 'http://unset.invalid', clientId: 'unset' })
    return OidcSettings.parse({ ...defaults, ...NONE, redirectUri: callbackAt(baseUrl) })
  }

  /** Undefined when single sign-on is off. */
  async function configured(): Promise<Configured | undefined> {
    if (managed) {
      const env = fromEnv()
      return { ...env, redirectUri: env.redirectUri ?? null, trusted: true, clientSecret: async () => envSecret }
    }
    const row = await oidcRow(database.query)
    if (row === undefined) return undefined
    const stored = storedIn(row)
    if (!stored.enabled) return undefined
    const sealed = row.client_secret
    return {
      ...stored,
      redirectUri: stored.redirectUri ?? null,
      trusted: false,
      clientSecret: async () => (sealed === null ? null : box.open(sealed, clientSecretRef(stored.issuer))),
    }
  }

  /** Over plain HTTP, any host on the path could answer as the provider. */
  function checkUrl(url: string, field: string): void {
    const { protocol } = parseHttpUrl(url, field)
    if (protocol === 'https:' || settings.ALLOW_PRIVATE_IPS) return
    const message = 'must be https'
    throw new GatewayError('INVALID_URL', `${field} ${message}`, { fields: [{ path: field, message }] })
  }

  return {
    configured,
    read: (baseUrl: string): Promise<OidcSettings> => read(database.query, baseUrl),

    async update(
      by: By,
      { clientSecret, revision, ...input }: OidcSettingsInput,
      ifMatch: Revision,
      baseUrl: string,
    ): Promise<OidcSettings> {
      if (managed)
        throw new GatewayError(
          'MANAGED_BY_ENV',
          'Single sign-on is set up by OIDC_* in the environment: change it there',
        )
      checkUrl(input.issuer, 'issuer')
      if (input.redirectUri !== undefined) parseHttpUrl(input.redirectUri, 'redirectUri')
      // Kept as it is now: later requests may name the gateway otherwise, and the provider has this one.
      const stored: Stored = { ...input, redirectUri: input.redirectUri ?? callbackAt(baseUrl) }
      const sealed =
        clientSecret === undefined ? undefined : await box.seal(clientSecret, clientSecretRef(input.issuer))
      return changes(by, async (tx, audit) => {
        const row = await oidcRow(tx)
        requireRevision(row?.revision ?? 0, [ifMatch, revision])
        const before = row ? storedIn(row) : undefined
        if (sealed === undefined && row?.client_secret != null && before?.issuer !== input.issuer)
          throw new GatewayError(
            'VALIDATION_ERROR',
            'Enter the client secret for the new issuer; the stored one is not sent to it',
            {
              fields: [{ path: 'clientSecret', message: 'is required with another issuer' }],
            },
          )
        const changed = difference(before ?? {}, stored)
        if (!changed && sealed === undefined) return read(tx, baseUrl)
        await putOidcRow(tx, {
          settings: jsonText(stored),
          client_secret: sealed ?? row?.client_secret ?? null,
          revision: (row?.revision ?? 0) + 1,
          updated_at: new Date(clock.now()).toISOString(),
        })
        const secret = sealed === undefined ? {} : { clientSecret: '[set]' }
        await audit('oidc.update', input.issuer, {
          before: changed?.before ?? {},
          after: { ...changed?.after, ...secret },
        })
        return read(tx, baseUrl)
      })
    },

    /** With what is given, else with what is stored. The secret is not needed for it, and not sent. */
    async test(given: Partial<OidcSettingsInput>): Promise<{
      ok: boolean
      issuer: string
      endpoints: Record<string, string>
      error: string | null
    }> {
      if (given.issuer !== undefined) checkUrl(given.issuer, 'issuer')
      const row = await oidcRow(database.query)
      const known = managed ? fromEnv() : row && storedIn(row)
      const asked = given.issuer ?? known?.issuer
      if (asked === undefined)
        throw new GatewayError('SSO_NOT_CONFIGURED', 'Single sign-on is not set up: give an issuer to test')
      const access: ProviderAccess = {
        issuer: asked,
        clientId: given.clientId ?? known?.clientId ?? '',
        clientSecret: null,
        trusted: managed && asked === issuer,
      }
      try {
        const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = await provider.test(access)
        const endpoints = { authorization_endpoint, token_endpoint, jwks_uri }
        return {
          ok: true,
          issuer: asked,
          endpoints: userinfo_endpoint === undefined ? endpoints : { ...endpoints, userinfo_endpoint },
          error: null,
        }
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        return { ok: false, issuer: asked, endpoints: {}, error: error.message }
      }
    },
  }
}
