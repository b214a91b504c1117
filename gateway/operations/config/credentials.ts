// The secrets of a document: references become what is stored already, or what the environment of the gateway holds. Contract 12.

import type { ZodType } from 'zod'
import { UpstreamAuthInput } from '../../contract/admin/clients.ts'
import {
  type ConfigClient,
  type ConfigOAuth,
  type ConfigUpstreamAuth,
  type EnvRef,
  sortedKeys,
} from '../../contract/config-document.ts'
import { GatewayError } from '../../contract/error.ts'
import { referencesIn, withReferences, withValues } from '../../contract/secret-query.ts'
import type { Base } from '../../records/base.ts'
import { originOf } from '../../registry/credential-origins.ts'
import { authRef, oauthRef } from '../../registry/credentials.ts'
import type { Loaded } from '../../settings/load.ts'
import type { BackendRow } from '../../storage/backends.ts'
import { fromText, type JsonText, jsonText } from '../../storage/json-text.ts'
import type { OAuthStored } from '../../storage/stored.ts'
import { type SealedAuth, sealAuth } from '../backends/upstream-auth.ts'
import { registrationOf } from './read.ts'

type SealedOAuth = { readonly oauth_secret: string; readonly oauth_info: JsonText<OAuthStored> }
type Cleared<T> = Readonly<Record<keyof T, null>>

/** What is to be written; nothing when it stays as it is. */
export type Credential = {
  readonly columns?: SealedAuth | Cleared<SealedAuth> | SealedOAuth | Cleared<SealedOAuth>
  /** The value given, for the registration that needs it before anything is stored. */
  readonly auth?: { readonly input: UpstreamAuthInput; readonly sealed: SealedAuth }
  /** The place that has no secret yet. */
  readonly needs?: string
  readonly skipped?: string
  /** The environment gives what is stored already: for the address of the backend as it is now. */
  readonly given?: true
  /** The names of the variables, when what they hold is not what is stored. */
  readonly renewed?: unknown
}

type CredentialReaderDeps = Pick<Base, 'box' | 'outbound' | 'clock'> & {
  readonly envSecrets: Loaded['envSecrets']
}
type Row = Pick<BackendRow, 'name' | 'registration' | 'upstream_auth' | 'oauth_secret' | 'oauth_info'> | undefined

export type CredentialReader = ReturnType<typeof createCredentialReader>

const CLEARED_AUTH: Cleared<SealedAuth> = { upstream_auth: null, upstream_auth_info: null }
const CLEARED_OAUTH: Cleared<SealedOAuth> = { oauth_secret: null, oauth_info: null }

class Unset extends Error {}

export function createCredentialReader({ envSecrets, box, outbound, clock }: CredentialReaderDeps) {
  const at = (): string => new Date(clock.now()).toISOString()

  function valueOf({ $env }: EnvRef): string {
    const found = envSecrets.get($env)
    if (found === undefined || found.text === '')
      throw new Unset(`${$env} is not set in the environment of the gateway`)
    return found.text
  }
  const textOf = (given: EnvRef | string): string => (typeof given === 'string' ? given : valueOf(given))

  /** Sealed again only when it differs: an import that changes nothing writes nothing. */
  async function isStored(sealed: string | null | undefined, ref: string, text: string): Promise<boolean> {
    if (sealed == null || !box.configured) return false
    return (await box.open(sealed, ref).catch(() => undefined)) === text
  }

  async function reading(ref: string, read: () => Promise<Credential>): Promise<Credential> {
    try {
      return await read()
    } catch (error) {
      if (error instanceof Unset) return { needs: ref, skipped: error.message }
      if (!(error instanceof GatewayError) || error.code === 'IMPORT_ERROR') throw error
      // A key service that failed may be well a moment later: all of the document then, or nothing now.
      if (error.code === 'SECRETS_PROVIDER_ERROR') throw error
      // No key to seal it with, or an address that may not be asked: the rest of the document is applied.
      return { needs: ref, skipped: error.message }
    }
  }

  function inputOf(name: string, given: Exclude<ConfigUpstreamAuth, { $secret: string }>): UpstreamAuthInput {
    switch (given.type) {
      case 'bearer':
        return judged(name, UpstreamAuthInput, { ...given, token: valueOf(given.token) })
      case 'basic':
        return judged(name, UpstreamAuthInput, {
          ...given,
          username: textOf(given.username),
          password: valueOf(given.password),
        })
      case 'header':
      case 'query':
        return judged(name, UpstreamAuthInput, { ...given, value: valueOf(given.value) })
    }
  }

  return {
    /** With what its references stand for, or why that is unknown. What is stored already needs no environment. */
    registration({ name, registration }: ConfigClient, row: Row): ConfigClient['registration'] | string {
      if (!registration) return registration
      const valued = withValues(name, registration, (variable) => envSecrets.get(variable)?.text)
      const [unknown] = referencesIn(valued)
      if (unknown === undefined) return valued
      const stored = row && registrationOf(row)
      const text = (value: typeof registration): string => JSON.stringify(sortedKeys(withReferences(name, value)))
      if (stored && text(stored) === text(registration)) return stored
      return `${unknown.name} is not set in the environment of the gateway, or is not a variable of ${name}`
    },

    async upstreamAuth(name: string, given: ConfigUpstreamAuth | null, row: Row): Promise<Credential> {
      const ref = authRef(name)
      if (given === null) return row?.upstream_auth ? { columns: CLEARED_AUTH } : {}
      if ('$secret' in given) return row?.upstream_auth && given.$secret === ref ? {} : { needs: given.$secret }
      return reading(ref, async () => {
        const input = inputOf(name, given)
        if (await isStored(row?.upstream_auth, ref, JSON.stringify(input))) return { given: true }
        const sealed = await sealAuth(box, name, input, at())
        return { columns: sealed, auth: { input, sealed }, given: true, renewed: given }
      })
    },

    async oauth(name: string, given: ConfigOAuth | null, row: Row): Promise<Credential> {
      const ref = oauthRef(name)
      if (given === null) return row?.oauth_info ? { columns: CLEARED_OAUTH } : {}
      const { clientSecret, ...settings } = given
      return reading(ref, async () => {
        const referred = '$secret' in clientSecret
        if (referred && (!row?.oauth_secret || clientSecret.$secret !== ref)) return { needs: clientSecret.$secret }
        const text = referred ? undefined : valueOf(clientSecret)
        const kept = text === undefined || (await isStored(row?.oauth_secret, ref, text))
        const stored = fromText(row?.oauth_info)
        const endpoint = originOf(settings.tokenUrl)
        const { origins = [], secretOrigins = [] } = stored ?? {}
        const given = referred ? {} : ({ given: true } as const)
        if (kept && stored && sameSettings(stored, settings) && (referred || secretOrigins.includes(endpoint)))
          return given
        const { addresses } = await outbound.pin(settings.tokenUrl, 'tokenUrl')
        const info: OAuthStored = {
          ...settings,
          addresses,
          updatedAt: at(),
          origins: kept ? origins : [],
          secretOrigins: referred ? secretOrigins : [endpoint],
        }
        const sealed = kept ? row?.oauth_secret : await box.seal(text ?? '', ref)
        return {
          columns: { oauth_secret: sealed ?? '', oauth_info: jsonText(info) },
          ...given,
          ...(kept ? {} : { renewed: { clientSecret } }),
        }
      })
    },
  }
}

function sameSettings(stored: OAuthStored, settings: Omit<ConfigOAuth, 'clientSecret'>): boolean {
  const keys = ['tokenUrl', 'clientId', 'scope', 'audience', 'authStyle'] as const
  return keys.every((key) => (stored[key] ?? null) === (settings[key] ?? null))
}

/** Reported by field, never by value. */
function judged<T>(name: string, schema: ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path, message }) => ({
    path: ['clients', name, 'upstreamAuth', ...path.map(String)].join('.'),
    message,
  }))
  throw new GatewayError('IMPORT_ERROR', `${fields[0]?.path ?? name}: ${fields[0]?.message ?? 'is invalid'}`, {
    fields,
  })
}
