// The origins that a stored credential is bound to. It is sent only there; an address change adds none. Contract, amendment 13.
import type { BackendRow } from '../storage/backends.ts'
import type { LbTargetRow } from '../storage/lb-targets.ts'

/** The permitted origins of a credential, an OAuth token and its client secret. */
type Bound = { readonly origins?: readonly string[]; readonly secretOrigins?: readonly string[] }
type Credentialed = Pick<BackendRow, 'upstream_auth_info' | 'oauth_info'>

const NONE: readonly string[] = []

// Written by the gateway in this shape. A credential without origins is sent nowhere.
const read = (info: string | null): Bound => (info === null ? {} : (JSON.parse(info) as Bound))

/** An in-process backend has no address, hence no origin. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'null')

export const originsIn = (info: string | null): readonly string[] => read(info).origins ?? NONE
export const secretOriginsIn = (info: string | null): readonly string[] => read(info).secretOrigins ?? NONE

/** The origins of the credential in use: a token takes precedence over a stored credential. Null without either. */
export function credentialOrigins({ oauth_info, upstream_auth_info }: Credentialed): readonly string[] | null {
  const info = oauth_info ?? upstream_auth_info
  return info === null ? null : originsIn(info)
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

/** The record, additionally bound to these origins. */
export const alsoFor = (info: string, origins: readonly string[]): string =>
  JSON.stringify({ ...read(info), origins: union(originsIn(info), origins) })

/** The record, with its client secret additionally bound to this token endpoint. */
export const secretAlsoFor = (info: string, origin: string): string =>
  JSON.stringify({ ...read(info), secretOrigins: union(secretOriginsIn(info), [origin]) })

/** The binding of a new credential: the backend's own origin, and confirmed ones still in use. */
export function givenFor(info: string, row: Pick<BackendRow, 'base_url'>, confirmed: readonly string[]): string {
  return JSON.stringify({ ...read(info), origins: union([originOf(row.base_url)], confirmed) })
}

/** Every origin that a backend's calls use with a credential: its own, its canary's or failover's, and its pool's. */
export function servingOrigins(
  row: Pick<BackendRow, 'base_url' | 'canary'>,
  targets: readonly Pick<LbTargetRow, 'base_url'>[],
): readonly string[] {
  const second = row.canary === null ? [] : [(JSON.parse(row.canary) as { secondaryBaseUrl: string }).secondaryBaseUrl]
  return [...new Set([row.base_url, ...second, ...targets.map(({ base_url }) => base_url)].map(originOf))]
}
