// A registered backend and its tools as the running gateway holds them: immutable snapshots, replaced when configuration changes.
import type { CallContext, Toolset } from '#pcg-contract'
import type { ClientGuards, Health } from '../contract/admin/clients.ts'
import type { Features } from '../contract/admin/tool-features.ts'
import type { ApprovalCfg, Guardrails, Guards } from '../contract/admin/tool-guards.ts'
import type { OverridesPatch } from '../contract/admin/tools.ts'
import type { Kind, RegistrationPayload, SOURCES, SourceInput } from '../contract/registration.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import type { Pin } from '../net/pin.ts'
import type { CanaryTarget, Pool } from './targets.ts'

/** Per-tool configuration as stored: only what was set. Contract 8.1. */
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

export type Tool = {
  readonly id: number
  readonly client: string
  /** The stored bare name. */
  readonly name: string
  readonly sourceName: string
  readonly definition: DiscoveredTool
  readonly config: ToolConfig
  readonly tags: readonly string[]
  readonly schemaHash: string
  /** When re-discovery stopped finding it; its configuration sleeps until then plus 30 days. */
  readonly missingSince: string | null
  readonly revision: number
  readonly updatedAt: string
}

/** Where a backend's requests go, by purpose. */
export type Pins = {
  readonly base: Pin
  readonly health?: Pin
  readonly source?: Pin
  /** Of operations that live elsewhere, by origin. No credential goes there. */
  readonly servers: Readonly<Record<string, Pin>>
}

export type Backend = {
  readonly id: number
  readonly name: string
  readonly kind: Kind
  readonly source: (typeof SOURCES)[number]
  readonly input: SourceInput | null
  readonly enabled: boolean
  readonly description: string | null
  /** As last accepted, canonical, without credentials. */
  readonly registration: RegistrationPayload | null
  readonly baseUrl: string
  readonly healthUrl: string | null
  /** Absent for a backend inside the process. */
  readonly pins: Pins | null
  readonly pinnedAt: string | null
  /** Where its credential is sent; null without one. */
  readonly credentialOrigins: readonly string[] | null
  readonly guards: ClientGuards | null
  readonly canary: CanaryTarget | null
  readonly lb: Pool | null
  readonly tags: readonly string[]
  readonly teamId: number | null
  /** By bare name, in name order, missing ones included. */
  readonly tools: ReadonlyMap<string, Tool>
  readonly discoveredAt: string
  readonly revision: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdBy: string | null
}

/** What the health loop knows; it changes without the snapshot changing. */
export type HealthState = {
  status: Health
  consecutiveFailures: number
  lastCheckedAt: string | null
  lastSeenAt: string | null
  lastError: string | null
  evictedAt: string | null
}

/** What a credential adds to one request. */
export type Injected = {
  readonly headers: Readonly<Record<string, string>>
  /** A parameter of every request's address, for backends that take their key there. */
  readonly query?: { readonly name: string; readonly value: string }
}

/** The credential of a backend, opened from the secret box when first needed. */
export type UpstreamCredential = {
  /** The only way to what is sent: undefined for an origin the credential was not given for. */
  readonly sentTo: (origin: string) => Injected | undefined
  /** Every spelling of the secret that must never come back to a caller. */
  readonly secrets: readonly string[]
}

export type RegistryEvent =
  | { readonly type: 'registered' | 'changed' | 'removed' | 'torn_down'; readonly client: string }
  | { readonly type: 'health'; readonly client: string; readonly status: Health; readonly evicted: boolean }

/** What a surface and the pipeline need of the registry. */
export type Registry = {
  get(name: string): Backend | undefined
  list(): readonly Backend[]
  health(name: string): HealthState | undefined
  /** Registered and not torn down. */
  isLive(name: string): boolean
  isEvicted(name: string): boolean
  /** Its deletion is under way. */
  isLeaving(name: string): boolean
  /** At once when it is known already, so that a call need not wait a turn for it. */
  credential(name: string): UpstreamCredential | undefined | Promise<UpstreamCredential | undefined>
  /** After a 401: forget a cached token, so that the next `credential` fetches one. True when there is something to gain. */
  refreshCredential(name: string): Promise<boolean>
  subscribe(listener: (event: RegistryEvent) => void): () => void
}

/** A backend inside the process is a toolset of an editor: tools and a call, no address. */
export type LocalBackend = Toolset

/** A person's call: the batch it belongs to, and who receives the change it became. */
export type Edit = Pick<CallContext, 'batchId' | 'label' | 'onChange'>
