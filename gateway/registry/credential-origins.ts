// The origins a stored credential was given for. It is sent to these only; a change of address adds none. Contract, amendment 13.
import type { BackendRow } from '../storage/backends.ts'
import type { LbTargetRow } from '../storage/lb-targets.ts'

/** Where an upstream credential, an OAuth token and the client secret behind it may be sent. */
type Bound = { readonly origins?: readonly string[]; readonly secretOrigins?: readonly string[] }
type Credentialed = Pick<BackendRow, 'upstream_auth_info' | 'oauth_info'>

const NONE: readonly string[] = []

// Our own writes, in this shape. A record without origins is sent nowhere.
const read = (info: string | null): Bound => (info === null ? {} : (JSON.parse(info) as Bound))

/** A backend inside the process has no address, and so no origin. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'null')

export const originsIn = (info: string | null): readonly string[] => read(info).origins ?? NONE
export const secretOriginsIn = (info: string | null): readonly string[] => read(info).secretOrigins ?? NONE

/** Of the credential that requests carry: a token goes before a stored credential. Null without either. */
export function credentialOrigins({ oauth_info, upstream_auth_info }: Credentialed): readonly string[] | null {
  const info = oauth_info ?? upstream_auth_info
  return info === null ? null : originsIn(info)
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

/** The same record, also given for these origins. */
export const alsoFor = (info: string, origins: readonly string[]): string =>
  JSON.stringify({ ...read(info), origins: union(originsIn(info), origins) })

/** The same record, with the client secret also given for this token endpoint. */
export const secretAlsoFor = (info: string, origin: string): string =>
  JSON.stringify({ ...read(info), secretOrigins: union(secretOriginsIn(info), [origin]) })

/** A record of a credential that was given just now: for the backend's own origin, and those it was confirmed for that are still in use. */
export function givenFor(info: string, row: Pick<BackendRow, 'base_url'>, confirmed: readonly string[]): string {
  return JSON.stringify({ ...read(info), origins: union([originOf(row.base_url)], confirmed) })
}

/** Every origin that calls of a backend go to with a credential: its own, its second server's and its pool's. */
export function servingOrigins(
  row: Pick<BackendRow, 'base_url' | 'canary'>,
  targets: readonly Pick<LbTargetRow, 'base_url'>[],
): readonly string[] {
  const second = row.canary === null ? [] : [(JSON.parse(row.canary) as { secondaryBaseUrl: string }).secondaryBaseUrl]
  return [...new Set([row.base_url, ...second, ...targets.map(({ base_url }) => base_url)].map(originOf))]
}
