// Whom the backends of a document are called as: its secrets by reference, and never a connection of a person.
import { isDeepStrictEqual } from 'node:util'
import { SECRET_FIELDS } from '../../contract/admin/identity.ts'
import type { ConfigIdentity, EnvRef } from '../../contract/config-document.ts'
import { GatewayError } from '../../contract/error.ts'
import { type ClientSecrets, identityRef, openSecrets, sealSecrets } from '../../identity/clients.ts'
import type { Base } from '../../records/base.ts'
import { originOf } from '../../registry/credential-origins.ts'
import type { Loaded } from '../../settings/load.ts'
import { type BackendRow, updateBackend } from '../../storage/backends.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import { forgetIdentity, grantsOf } from '../../storage/upstream-grants.ts'
import { apart, isPersonalMode, keptSecrets, requireWeb, type Shown, storedOf } from '../identity/setting.ts'
import type { Applying } from './applying.ts'

export type ReadyIdentity = {
  readonly wanted: Shown | null
  readonly secrets: readonly (typeof SECRET_FIELDS)[number][]
  /** Undefined: what is stored stays. */
  readonly sealed?: string | null
  readonly needs?: string
  readonly skipped?: string
  /** The names of the variables, when what they hold is not what is stored. */
  readonly renewed?: unknown
}
type IdentityReaderDeps = Pick<Base, 'box'> & { readonly envSecrets: Loaded['envSecrets'] }
type Row = Pick<BackendRow, 'name' | 'identity' | 'identity_secret'> | undefined
type Reference = EnvRef | { readonly $secret: string }
export type IdentityReader = ReturnType<typeof createIdentityReader>

export function createIdentityReader({ box, envSecrets }: IdentityReaderDeps) {
  return async (name: string, given: ConfigIdentity | null, row: Row): Promise<ReadyIdentity> => {
    if (given === null) return { wanted: null, secrets: [], sealed: null }
    const { shown, secrets: references } = apart<Reference>(given)
    requireValid(name, shown)
    const ref = identityRef(name)
    const before = row ? await openSecrets(box, row).catch(() => undefined) : {}
    const kept = keptSecrets(fromText(row?.identity ?? null) ?? undefined, shown, before ?? {})
    const next: { -readonly [K in keyof ClientSecrets]: ClientSecrets[K] } = {}
    const missing: string[] = []
    for (const field of SECRET_FIELDS) {
      const reference = references[field]
      if (reference === undefined) continue
      const found =
        '$env' in reference
          ? envSecrets.get(reference.$env)?.text || undefined
          : reference.$secret === ref
            ? kept[field]
            : undefined
      if (found !== undefined) next[field] = found
      else missing.push('$env' in reference ? `${reference.$env} is not set in the environment of the gateway` : '')
    }
    // The mode is applied without its secret: the provider refuses then, and no call is made as anyone else.
    const [why] = missing
    const lacks = why === undefined ? {} : { needs: ref, ...(why === '' ? {} : { skipped: why }) }
    const found = { wanted: shown, secrets: SECRET_FIELDS.filter((field) => next[field] !== undefined), ...lacks }
    if (before !== undefined && isDeepStrictEqual(next, before)) return found
    try {
      const fromEnvironment = Object.values(references).some((each) => each !== undefined && '$env' in each)
      return {
        ...found,
        sealed: await sealSecrets(box, name, next),
        ...(fromEnvironment && {
          renewed: references,
        }),
      }
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code === 'SECRETS_PROVIDER_ERROR') throw error
      return { ...found, secrets: [], sealed: null, needs: ref, skipped: error.message }
    }
  }
}

function requireValid(name: string, shown: Shown): void {
  try {
    requireWeb(shown)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const message = `clients.${name}.identity: ${error.message}`
    throw new GatewayError('IMPORT_ERROR', message, { fields: [{ path: `clients.${name}.identity`, message }] })
  }
}

/** True when it changed. Then the connections of people end, as they do with each change of the setting. */
export async function putIdentity(
  { tx, at, by, skip, later, revoke }: Applying,
  row: BackendRow,
  ready: ReadyIdentity | undefined,
): Promise<boolean> {
  if (ready === undefined) return false
  const { wanted, secrets, sealed = row.identity_secret } = ready
  if (row.pins === null && wanted !== null && isPersonalMode(wanted.mode)) {
    skip('clients', row.name, 'a program of this computer is not called over the network, so not as a person')
    return false
  }
  const before = fromText(row.identity)
  const next = wanted && storedOf(wanted, { secrets, updatedAt: at, origin: originOf(row.base_url) })
  const same = isDeepStrictEqual(next && { ...next, updatedAt: '' }, before && { ...before, updatedAt: '' })
  if (same && sealed === row.identity_secret) return false
  const granted = await grantsOf(tx, { backendId: row.id })
  await forgetIdentity(tx, row.id)
  await updateBackend(tx, row.id, { identity: next && jsonText(next), identity_secret: sealed })
  later(async () => {
    for (const each of granted) if (each.grant.sealed !== null) await revoke(by, row.name, each)
  })
  return true
}
