// Builds the immutable snapshot of a backend from its rows, checking pins by the current rules.

import { INPUTS, KINDS, SOURCES } from '../contract/registration.ts'
import { inTurns } from '../discovery/in-turns.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import type { Outbound } from '../net/outbound.ts'
import type { Pin } from '../net/pin.ts'
import type { BackendRow, ToolRecord } from '../storage/backends.ts'
import { fromText, type JsonText, jsonText } from '../storage/json-text.ts'
import type { LbTargetRow } from '../storage/lb-targets.ts'
import type { AllowedService, StoredPin, StoredPins, ToolConfig } from '../storage/stored.ts'
import type { Backend, Pins, Tool } from './backend.ts'
import { credentialOrigins } from './credential-origins.ts'
import { openCanary, openPool } from './targets.ts'

export function storePins(pins: Pins): JsonText<StoredPins> {
  const keep = ({ origin, addresses }: Pin): StoredPin => ({ url: origin, addresses })
  const kept: StoredPins = {
    base: keep(pins.base),
    ...(pins.health ? { health: keep(pins.health) } : {}),
    ...(pins.source ? { source: keep(pins.source) } : {}),
    servers: Object.fromEntries(Object.entries(pins.servers).map(([origin, { addresses }]) => [origin, addresses])),
  }
  return jsonText(kept)
}

/** The local service that stored pins allow. */
export const localIn = (pins: BackendRow['pins'] | undefined): AllowedService | undefined =>
  pins == null ? undefined : fromText(pins).local

/** Stored pins that allow this local service: none where no address of theirs is that service. */
export function withLocal(pins: JsonText<StoredPins>, local: AllowedService | undefined): JsonText<StoredPins> {
  const { local: _before, ...kept } = fromText(pins)
  const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const used = [kept.base, kept.health, kept.source].some(
    (pin) => pin && local && portOf(new URL(pin.url)) === local.port && pin.addresses.includes(local.address),
  )
  return jsonText(used ? { ...kept, local } : kept)
}

function openPins(text: JsonText<StoredPins>, outbound: Outbound): Pins {
  const { base, health, source, servers = {}, local } = fromText(text)
  const open = ({ url, addresses }: StoredPin): Pin => outbound.repin(url, addresses, local)
  return {
    base: open(base),
    ...(health ? { health: open(health) } : {}),
    ...(source ? { source: open(source) } : {}),
    servers: Object.fromEntries(
      Object.entries(servers).map(([origin, addresses]) => [origin, outbound.repin(origin, addresses)]),
    ),
    ...(local ? { local } : {}),
  }
}

function oneOf<const T extends string>(known: readonly T[], value: string, what: string): T {
  const found = known.find((each) => each === value)
  if (found === undefined) throw new Error(`the database holds the unknown ${what} "${value}"`)
  return found
}

/** Shared by most tools. */
const UNCONFIGURED: ToolConfig = Object.freeze({})
const UNTAGGED: readonly string[] = Object.freeze([])

function toolOf(client: string, row: ToolRecord): Tool {
  return {
    id: row.id,
    client,
    name: row.name,
    sourceName: row.source_name,
    definition: JSON.parse(row.definition) as DiscoveredTool,
    config: row.config === '{}' ? UNCONFIGURED : fromText(row.config),
    tags: row.tags === '[]' ? UNTAGGED : fromText(row.tags),
    schemaHash: row.schema_hash,
    missingSince: row.missing_since,
    revision: row.revision,
    updatedAt: row.updated_at,
  }
}

export async function snapshot(
  row: BackendRow,
  tools: readonly ToolRecord[],
  targets: readonly LbTargetRow[],
  outbound: Outbound,
): Promise<Backend> {
  // Lists and cursors are ordered by code units, independent of the database's collation.
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1))
  const entries = await inTurns(sorted, (tool) => [tool.name, toolOf(row.name, tool)] as const)
  return {
    id: row.id,
    name: row.name,
    kind: oneOf(KINDS, row.kind, 'backend kind'),
    source: oneOf(SOURCES, row.source, 'source'),
    input: row.input === null ? null : oneOf(INPUTS, row.input, 'input'),
    enabled: row.enabled === 1,
    description: row.description,
    registration: fromText(row.registration),
    baseUrl: row.base_url,
    healthUrl: row.health_url,
    pins: row.pins === null ? null : openPins(row.pins, outbound),
    pinnedAt: row.pinned_at,
    credentialOrigins: credentialOrigins(row),
    identity: fromText(row.identity),
    guards: fromText(row.guards),
    canary: row.canary === null ? null : openCanary(row.canary, outbound),
    lb: row.lb === null ? null : openPool(row.lb, targets, outbound),
    tags: fromText(row.tags),
    teamId: row.team_id,
    tools: new Map(entries),
    discoveredAt: row.discovered_at,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  }
}
