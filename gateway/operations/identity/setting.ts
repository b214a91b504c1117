// The setting of whom a backend is called as: its addresses checked, its secrets apart from what is shown. Pure.
import { type IdentityMode, SECRET_FIELDS } from '../../contract/admin/identity.ts'
import { GatewayError } from '../../contract/error.ts'
import { webAddress } from '../../identity/ask.ts'
import type { ClientSecrets } from '../../identity/clients.ts'
import { ProviderError } from '../../identity/provider-error.ts'
import type { StoredIdentity } from '../../storage/stored.ts'

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never
export type Shown = Without<StoredIdentity, 'updatedAt' | 'origin' | 'secrets'>

export const isPersonalMode = (mode: IdentityMode): boolean => mode !== 'none' && mode !== 'shared'

function addressesIn(input: Shown): readonly (readonly [string, string | null | undefined])[] {
  switch (input.mode) {
    case 'none':
    case 'shared':
      return []
    case 'per_principal':
      return [
        ['issuer', input.issuer],
        ['endpoints.authorization', input.endpoints?.authorization],
        ['endpoints.token', input.endpoints?.token],
        ['endpoints.revocation', input.endpoints?.revocation],
      ]
    case 'exchange':
      return [['tokenUrl', input.tokenUrl]]
    case 'id_jag':
      return [
        ['tokenUrl', input.tokenUrl],
        ['resourceTokenUrl', input.resourceTokenUrl],
        ['resourceIssuer', input.resourceIssuer],
      ]
  }
}

/** Every address of a setting is checked as those that are found. */
export function requireWeb(input: Shown): void {
  for (const [path, url] of addressesIn(input))
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
export function apart<Secret>(
  input: (Shown & { readonly [K in (typeof SECRET_FIELDS)[number]]?: Secret | undefined }) | Shown,
): { readonly shown: Shown; readonly secrets: { readonly [K in (typeof SECRET_FIELDS)[number]]?: Secret } } {
  const entries = Object.entries(input)
  const isSecret = ([name]: readonly [string, unknown]): boolean => SECRET_FIELDS.some((field) => field === name)
  return {
    // The same member of the union without these fields.
    shown: Object.fromEntries(entries.filter((entry) => !isSecret(entry))) as Shown,
    // Exactly these fields.
    secrets: Object.fromEntries(entries.filter((entry) => isSecret(entry) && entry[1] !== undefined)) as {
      readonly [K in (typeof SECRET_FIELDS)[number]]?: Secret
    },
  }
}

/** The client and the place that receives its secret. */
function receiverOf(setting: Shown, field: (typeof SECRET_FIELDS)[number]): string | undefined {
  if (setting.mode === 'per_principal')
    return JSON.stringify([setting.mode, setting.clientId, setting.issuer, setting.endpoints?.token ?? null])
  if (setting.mode !== 'exchange' && setting.mode !== 'id_jag') return undefined
  if (field === 'clientSecret') return JSON.stringify([setting.mode, setting.clientId, setting.tokenUrl])
  return setting.mode === 'id_jag' ? JSON.stringify([setting.resourceClientId, setting.resourceTokenUrl]) : undefined
}

/** A secret stays with its client, and with the server that it was entered for. */
export function keptSecrets(before: Shown | undefined, next: Shown, secrets: ClientSecrets): ClientSecrets {
  return Object.fromEntries(
    SECRET_FIELDS.flatMap((field) => {
      const receiver = before && receiverOf(before, field)
      const stays = receiver !== undefined && receiver === receiverOf(next, field)
      return stays && secrets[field] !== undefined ? [[field, secrets[field]]] : []
    }),
  )
}

/** The parts of one member of the union, with the fields that each member has. */
export const storedOf = (
  shown: Shown,
  { secrets, ...more }: Required<Pick<StoredIdentity, 'updatedAt' | 'origin' | 'secrets'>>,
): StoredIdentity => ({ ...shown, ...more, ...(secrets.length > 0 && { secrets }) })
