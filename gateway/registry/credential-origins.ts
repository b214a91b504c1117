// The origins that a stored credential is bound to. It is sent only there; an address change adds none. Contract, amendment 13.

import type { BackendRow } from '../storage/backends.ts'
import { fromText, type JsonText, jsonText } from '../storage/json-text.ts'
import type { LbTargetRow } from '../storage/lb-targets.ts'
import type { Bound } from '../storage/stored.ts'

type Credentialed = Pick<BackendRow, 'upstream_auth_info' | 'oauth_info'>

const NONE: readonly string[] = []

/** An in-process backend has no address, hence no origin. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'null')

export const originsIn = (info: JsonText<Bound> | null): readonly string[] => fromText(info)?.origins ?? NONE
export const secretOriginsIn = (info: JsonText<Bound> | null): readonly string[] =>
  fromText(info)?.secretOrigins ?? NONE

/** The origins of the credential in use: a token takes precedence over a stored credential. Null without either. */
export function credentialOrigins({ oauth_info, upstream_auth_info }: Credentialed): readonly string[] | null {
  const info = oauth_info ?? upstream_auth_info
  return info === null ? null : originsIn(info)
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

const bound = <T extends Bound>(info: JsonText<T>, to: Bound): JsonText<T> =>
  jsonText({ ...fromText(info), ...to } as T) // two of its own fields are replaced

/** The record, additionally bound to these origins. */
export const alsoFor = <T extends Bound>(info: JsonText<T>, origins: readonly string[]): JsonText<T> =>
  bound(info, { origins: union(originsIn(info), origins) })

/** The record, with its client secret additionally bound to this token endpoint. */
export const secretAlsoFor = <T extends Bound>(info: JsonText<T>, origin: string): JsonText<T> =>
  bound(info, { secretOrigins: union(secretOriginsIn(info), [origin]) })

/** The binding of a new credential: the backend's own origin, and confirmed ones still in use. */
export function givenFor<T extends Bound>(
  info: JsonText<T>,
  row: Pick<BackendRow, 'base_url'>,
  confirmed: readonly string[],
): JsonText<T> {
  return bound(info, { origins: union([originOf(row.base_url)], confirmed) })
}

/** Every origin that a backend's calls use with a credential: its own, its canary's or failover's, and its pool's. */
export function servingOrigins(
  row: Pick<BackendRow, 'base_url' | 'canary'>,
  targets: readonly Pick<LbTargetRow, 'base_url'>[],
): readonly string[] {
  const second = row.canary === null ? [] : [fromText(row.canary).secondaryBaseUrl]
  return [...new Set([row.base_url, ...second, ...targets.map(({ base_url }) => base_url)].map(originOf))]
}
