// The live snapshot of a backend and its tools: immutable, replaced when configuration changes.

import type { CallContext, Toolset } from '#pcg-contract'
import type { ClientGuards, Health } from '../contract/admin/clients.ts'
import type { Kind, RegistrationPayload, SOURCES, SourceInput } from '../contract/registration.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import type { Pin } from '../net/pin.ts'
import type { AllowedService, StoredIdentity, ToolConfig } from '../storage/stored.ts'
import type { CanaryTarget, Pool } from './targets.ts'

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
  /** When re-discovery no longer found it; its configuration is kept for 30 days more. */
  readonly missingSince: string | null
  readonly revision: number
  readonly updatedAt: string
}

/** The pins of a backend, by purpose. */
export type Pins = {
  readonly base: Pin
  readonly health?: Pin
  readonly source?: Pin
  /** Pins of operations on other servers, by origin. They receive no credential. */
  readonly servers: Readonly<Record<string, Pin>>
  /** Part of the reach of base, health and source; never of another server. */
  readonly local?: AllowedService | undefined
}

export type Backend = {
  readonly id: number
  readonly name: string
  readonly kind: Kind
  readonly source: (typeof SOURCES)[number]
  readonly input: SourceInput | null
  readonly enabled: boolean
  readonly description: string | null
  /** The last accepted source, canonical, without credentials. */
  readonly registration: RegistrationPayload | null
  readonly baseUrl: string
  readonly healthUrl: string | null
  /** Absent for an in-process backend. */
  readonly pins: Pins | null
  readonly pinnedAt: string | null
  /** The origins that receive its credential; null without one. */
  readonly credentialOrigins: readonly string[] | null
  /** Whom it is called as; null for its stored credential. */
  readonly identity: StoredIdentity | null
  readonly guards: ClientGuards | null
  readonly canary: CanaryTarget | null
  readonly lb: Pool | null
  readonly tags: readonly string[]
  readonly teamId: number | null
  /** By bare name, sorted, including missing ones. */
  readonly tools: ReadonlyMap<string, Tool>
  readonly discoveredAt: string
  readonly revision: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly createdBy: string | null
}

/** Health state; changes without replacing the snapshot. */
export type HealthState = {
  status: Health
  consecutiveFailures: number
  lastCheckedAt: string | null
  lastSeenAt: string | null
  lastError: string | null
  evictedAt: string | null
}

/** What a credential adds to a request. */
export type Injected = {
  readonly headers: Readonly<Record<string, string>>
  /** A query parameter, for backends that expect their key in the URL. */
  readonly query?: { readonly name: string; readonly value: string }
}

/** The credential of a backend, decrypted on first use. */
export type UpstreamCredential = {
  /** Returns what to send to an origin: undefined unless the credential is bound to it. */
  readonly sentTo: (origin: string) => Injected | undefined
  /** All spellings of the secret, to mask in answers. */
  readonly secrets: readonly string[]
}

export type RegistryEvent =
  | { readonly type: 'registered' | 'changed' | 'removed' | 'torn_down'; readonly client: string }
  | { readonly type: 'health'; readonly client: string; readonly status: Health; readonly evicted: boolean }

/** What surfaces and the pipeline need from the registry. */
export type Registry = {
  get(name: string): Backend | undefined
  list(): readonly Backend[]
  health(name: string): HealthState | undefined
  /** Registered and not torn down. */
  isLive(name: string): boolean
  isEvicted(name: string): boolean
  /** Its deletion is in progress. */
  isLeaving(name: string): boolean
  /** Synchronous when cached, so that calls skip a tick. */
  credential(name: string): UpstreamCredential | undefined | Promise<UpstreamCredential | undefined>
  /** After a 401: drops a cached token. True if the next `credential` fetches a new one. */
  refreshCredential(name: string): Promise<boolean>
  subscribe(listener: (event: RegistryEvent) => void): () => void
}

/** An in-process backend is a toolset of an editor: tools and a call function, no address. */
export type LocalBackend = Toolset

/** A person's call: its batch, and the receiver of the resulting change. */
export type Edit = Pick<CallContext, 'batchId' | 'label' | 'onChange'>
