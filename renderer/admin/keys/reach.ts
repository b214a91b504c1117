// The access of a key as text and as a payload. Pure.
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'

export type Reach =
  | { readonly kind: 'all' }
  | { readonly kind: 'bundle'; readonly name: string }
  | { readonly kind: 'clients'; readonly names: readonly string[] }

export function scopesOf(reach: Reach): KeyRecord['scopes'] {
  if (reach.kind === 'all') return null
  return reach.kind === 'bundle' ? { bundles: [reach.name] } : { clients: [...reach.names] }
}

const counted = (names: readonly string[], one: string, many: string): string =>
  names.length === 1 ? `${one} ${names[0] ?? ''}` : `${names.length} ${many}`

export function reachInWords({ scopes }: Pick<KeyRecord, 'scopes'>): string {
  if (scopes === null) return t('Everything')
  const parts = [
    ...(scopes.bundles?.length ? [counted(scopes.bundles, 'Bundle', 'bundles')] : []),
    ...(scopes.clients?.length ? [counted(scopes.clients, 'Backend', 'backends')] : []),
    ...(scopes.tools?.length ? [counted(scopes.tools, 'Tool', 'tools')] : []),
  ]
  return parts.length > 0 ? parts.join(', ') : t('Nothing')
}

/** The endpoint for a client with this key; null if there are several. */
export function pathOf({ scopes }: Pick<KeyRecord, 'scopes'>): string | null {
  const [bundle, ...bundles] = scopes?.bundles ?? []
  const [client, ...clients] = scopes?.clients ?? []
  if (bundle !== undefined && bundles.length === 0) return `/mcp-custom/${bundle}`
  if (bundle === undefined && client !== undefined && clients.length === 0) return `/mcp/${client}`
  return null
}

export const STATES = ['active', 'revoked', 'expired', 'off'] as const
export type KeyState = (typeof STATES)[number]

export function stateOf(key: Pick<KeyRecord, 'revokedAt' | 'expiresAt' | 'enabled'>, nowMs: number): KeyState {
  if (key.revokedAt !== null) return 'revoked'
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= nowMs) return 'expired'
  return key.enabled ? 'active' : 'off'
}
