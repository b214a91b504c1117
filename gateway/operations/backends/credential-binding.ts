// What a change of address does to the stored credential of a backend: detached from the new origin, unless an admin keeps it. Contract, amendment 13.

import type { AuditDetail } from '../../audit-log/canonical.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayUse } from '../../contract/role.ts'
import type { Backend } from '../../registry/backend.ts'
import {
  alsoFor,
  givenFor,
  originOf,
  originsIn,
  secretAlsoFor,
  secretOriginsIn,
  servingOrigins,
} from '../../registry/credential-origins.ts'
import { type BackendRow, backendByName, updateBackend } from '../../storage/backends.ts'
import { fromText, type JsonText } from '../../storage/json-text.ts'
import { lbTargetsOf } from '../../storage/lb-targets.ts'
import type { Tx } from '../../storage/schema.ts'
import type { Bound, CredentialInfo } from '../../storage/stored.ts'

type Credentialed = Pick<BackendRow, 'upstream_auth_info' | 'oauth_info'>

/** What the new addresses come to: columns to write, and what the answer and the log say. */
export type Binding = {
  readonly columns: Partial<Credentialed>
  readonly warnings: readonly string[]
  readonly detail: AuditDetail
  /** Something is to be written though the addresses are as they were. */
  readonly confirmed: boolean
}

const INFOS = ['upstream_auth_info', 'oauth_info'] as const
const UNTOUCHED: Binding = { columns: {}, warnings: [], detail: {}, confirmed: false }

/** Where a credential goes is for those who may set one. */
export function requireAdminToKeep(actor: Actor, keepCredential: boolean | undefined): void {
  if (keepCredential && !mayUse(actor, 'admin'))
    throw new GatewayError('FORBIDDEN', 'Only an admin may send a stored credential to another origin')
}

export const detachedWarning = (origins: readonly string[], given: readonly string[]): string =>
  `The stored credential is not sent to ${origins.join(', ')}: it was given for ${given.join(', ') || 'no origin'}. An admin sends it there with "keepCredential": true, or sets it again.`

/** `urls`: where calls go after the change, in as far as the change is about them. */
export function bindingFor(row: Credentialed, urls: readonly string[], keepCredential: boolean | undefined): Binding {
  if (row.upstream_auth_info === null && row.oauth_info === null) return UNTOUCHED
  const origins = [...new Set(urls.map(originOf))]
  const missing = (info: JsonText<Bound>): string[] => origins.filter((origin) => !originsIn(info).includes(origin))
  const infos = INFOS.flatMap((column) => {
    const info = row[column]
    return info === null || missing(info).length === 0 ? [] : [{ column, info }]
  })
  if (infos.length === 0) return UNTOUCHED
  const added = [...new Set(infos.flatMap(({ info }) => missing(info)))]
  if (keepCredential)
    return {
      columns: Object.fromEntries(infos.map(({ column, info }) => [column, alsoFor<Bound>(info, origins)])),
      warnings: [],
      detail: { credentialKept: added },
      confirmed: true,
    }
  const given = [...new Set(infos.flatMap(({ info }) => originsIn(info)))]
  return {
    columns: {},
    warnings: [detachedWarning(added, given)],
    detail: { credentialDetached: added },
    confirmed: false,
  }
}

/** A credential that comes with the registration is for its address; one that is stored stays with the origins it was given for. */
export function boundAgain(
  found: Pick<BackendRow, 'base_url'> & { readonly upstream_auth_info?: JsonText<CredentialInfo> },
  known: BackendRow | undefined,
  keepCredential: boolean,
): Binding {
  const { base_url, upstream_auth_info } = found
  const given = upstream_auth_info === undefined ? undefined : givenFor(upstream_auth_info, { base_url }, [])
  const infos = {
    upstream_auth_info: given ?? known?.upstream_auth_info ?? null,
    oauth_info: known?.oauth_info ?? null,
  }
  const binding = bindingFor(infos, [base_url], keepCredential)
  return given === undefined ? binding : { ...binding, columns: { upstream_auth_info: given, ...binding.columns } }
}

/** What a dry run says of it. */
export function wouldDetach(
  { credentialOrigins }: Pick<Backend, 'credentialOrigins'>,
  { baseUrl }: { readonly baseUrl: string },
): string[] {
  const origin = originOf(baseUrl)
  return credentialOrigins === null || credentialOrigins.includes(origin)
    ? []
    : [detachedWarning([origin], credentialOrigins)]
}

/** Origins that were confirmed for the credential before, and are still in use when another one is set. */
export const stillServing = (info: JsonText<Bound> | null, serving: readonly string[]): readonly string[] =>
  originsIn(info).filter((origin) => serving.includes(origin))

export const secretWarning = (endpoint: string, given: readonly string[]): string =>
  `The client secret is not sent to ${endpoint}: it was given for ${given.join(', ') || 'no origin'}. Send it with the settings, or confirm it with "keepCredential": true.`

/** After an import: everything a backend calls by now, whichever part of the document moved it. */
export async function bindImported(
  tx: Tx,
  names: readonly string[],
  keepCredential: boolean,
  touched: Set<string>,
): Promise<{ readonly warnings: string[]; readonly detached: Record<string, unknown> }> {
  const warnings: string[] = []
  const detached: Record<string, unknown> = {}
  for (const name of names) {
    const row = await backendByName(tx, name)
    if (row === undefined || (row.upstream_auth_info === null && row.oauth_info === null)) continue
    const serving = servingOrigins(row, row.lb === null ? [] : await lbTargetsOf(tx, row.id))
    const binding = bindingFor(row, serving, keepCredential)
    const secret = secretBinding({ ...row, ...binding.columns }, keepCredential)
    const columns = { ...binding.columns, ...secret.columns }
    if (Object.keys(columns).length > 0) {
      await updateBackend(tx, row.id, columns)
      touched.add(name)
    }
    const received = [...binding.warnings, ...secret.warnings]
    warnings.push(...received.map((warning) => `${name}: ${warning}`))
    if (Object.keys({ ...binding.detail, ...secret.detail }).length > 0)
      detached[name] = { ...binding.detail, ...secret.detail }
  }
  return { warnings, detached }
}

function secretBinding({ oauth_info }: Credentialed, keepCredential: boolean): Binding {
  if (oauth_info === null) return UNTOUCHED
  const endpoint = originOf(fromText(oauth_info).tokenUrl)
  const given = secretOriginsIn(oauth_info)
  if (given.includes(endpoint)) return UNTOUCHED
  if (keepCredential)
    return {
      columns: { oauth_info: secretAlsoFor(oauth_info, endpoint) },
      warnings: [],
      detail: { secretKept: [endpoint] },
      confirmed: true,
    }
  return {
    columns: {},
    warnings: [secretWarning(endpoint, given)],
    detail: { secretDetached: [endpoint] },
    confirmed: false,
  }
}
