// What the JSON columns hold where the contract has no type for it: settings with what the gateway added to them.
import type { OAuthInput } from '../contract/admin/clients.ts'
import type { IdentityInput, SECRET_FIELDS } from '../contract/admin/identity.ts'
import type { CanaryInput, LbInput } from '../contract/admin/targets.ts'
import type { Features } from '../contract/admin/tool-features.ts'
import type { ApprovalCfg, Guardrails, Guards } from '../contract/admin/tool-guards.ts'
import type { OverridesPatch } from '../contract/admin/tools.ts'
import type { LocalService } from '../net/address.ts'

/** Per-tool configuration: only what was set. Contract 8.1. */
export type ToolConfig = Features & {
  readonly enabled?: boolean
  readonly guards?: Guards
  readonly overrides?: OverridesPatch
  readonly sensitive?: boolean
  readonly redactPaths?: readonly string[]
  readonly guardrails?: Guardrails
  readonly approval?: ApprovalCfg
  readonly listOutputSchema?: boolean
}

type JsonSchema = Readonly<Record<string, unknown>>

/** A script as it runs, and what its approval is of. */
export type StoredScript = {
  readonly source: string
  readonly js: string
  readonly outputSchema: JsonSchema | null
  readonly hash: string
  /** Who wrote this text last. */
  readonly author: string
}
/** What a person approves: the text, its schemas and the tools it may call. */
export type ScriptDefinition = Pick<StoredScript, 'source' | 'outputSchema'> & {
  readonly inputSchema: JsonSchema
  readonly tools: readonly string[]
}

/** A local service that an admin allowed for one backend; by whom and when. */
export type AllowedService = LocalService & { readonly by: string; readonly at: string }

/** Origin and checked addresses. */
export type StoredPin = { readonly url: string; readonly addresses: readonly string[] }
export type StoredPins = Readonly<
  Record<'base', StoredPin> &
    Partial<Record<'health' | 'source', StoredPin>> & {
      servers?: Readonly<Record<string, readonly string[]>>
      local?: AllowedService
    }
>

export type StoredCanary = CanaryInput & {
  readonly addresses: readonly string[]
  readonly updatedAt: string
  readonly revision: number
}

/** The servers have their own table. */
export type StoredLb = Omit<LbInput, 'upstreams'> & { readonly revision: number }

/** The permitted origins of a credential, an OAuth token and its client secret; without them it is sent nowhere. */
export type Bound = { readonly origins?: readonly string[]; readonly secretOrigins?: readonly string[] }

/** The part of a credential that is not secret. */
export type CredentialInfo = {
  readonly type: string
  readonly headerName: string | null
  readonly paramName?: string | null
  readonly updatedAt: string
  /** The origins that receive it; without them it is sent nowhere. */
  readonly origins?: string[]
}

/** Stored beside the sealed secret. */
export type OAuthStored = Omit<OAuthInput, 'clientSecret'> & {
  readonly addresses: readonly string[]
  readonly updatedAt: string
  /** The origins that receive the token. */
  readonly origins: readonly string[]
  /** The token endpoints that receive the client secret. */
  readonly secretOrigins: readonly string[]
}

type WithoutSecrets<T> = T extends unknown ? Omit<T, 'clientSecret' | 'resourceClientSecret'> : never
/** Whom a backend is called as. The secrets of its OAuth clients are sealed beside it. */
export type StoredIdentity = WithoutSecrets<IdentityInput> & {
  readonly updatedAt: string
  /** The origin that receives tokens: another address of the backend receives none. */
  readonly origin: string
  /** Those that are sealed. */
  readonly secrets?: readonly (typeof SECRET_FIELDS)[number][]
}

/** An OAuth client of this gateway, with the metadata of its authorization server. */
export type StoredUpstreamClient = {
  readonly clientId: string
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post'
  readonly authorization: string
  readonly token: string
  readonly revocation: string | null
  /** It sends `iss` in every answer (RFC 9207). */
  readonly namesItself: boolean
  /** Null where the parameter is not sent. */
  readonly resource: string | null
  readonly audience: string | null
  /** The origin that receives its tokens. */
  readonly origin: string
  /** Where it leads back to; a client that registered itself may use no other address. */
  readonly redirectUri: string | null
}

/** Earlier values of a key that still work after a rotation. */
export type Retired = readonly { readonly hash: string; readonly until: string }[]

/** The reason of a refusal. Short keys, because it is a column of many rows. */
export type StoredVerdict = {
  /** The sentence that the caller received. */
  readonly t: string
  /** The setting that decided, by its name in the configuration. */
  readonly s?: string
  readonly v?: string | number | boolean
  /** Which of several reasons. */
  readonly r?: string
  /** At the door: the address it came from, and how many more were refused and not recorded. */
  readonly a?: string
  readonly n?: number
}
