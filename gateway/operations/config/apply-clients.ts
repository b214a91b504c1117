// Backends of a document and the configuration of their tools into their tables. Never adds a backend, never removes one.

import { isDeepStrictEqual } from 'node:util'
import { ConfigMonitor } from '../../contract/admin/monitor-feature.ts'
import type { KeptWs } from '../../contract/admin/socket-features.ts'
import { type ConfigClient, type ConfigTool, itemText, sortedKeys } from '../../contract/config-document.ts'
import { alsoFor, originOf, servingOrigins } from '../../registry/credential-origins.ts'
import {
  type BackendRow,
  backendByName,
  type ToolRecord,
  toolsOf,
  updateBackend,
  updateTool,
} from '../../storage/backends.ts'
import { fromText, type JsonText, jsonText } from '../../storage/json-text.ts'
import { lbTargetsOf } from '../../storage/lb-targets.ts'
import { keyHashes } from '../../storage/mcp-keys.ts'
import type { Tx } from '../../storage/schema.ts'
import type { Bound, ToolConfig } from '../../storage/stored.ts'
import { teamRows } from '../../storage/teams.ts'
import { stillServing } from '../backends/credential-binding.ts'
import { definitionOf, discoveredTags } from '../backends/discovered-tools.ts'
import { putCanary, putPool } from '../backends/target-rows.ts'
import { setMonitor } from '../monitors/monitor-baseline.ts'
import { checkAlias, configOf, patched, type ToolWanted } from '../tools/tool-config.ts'
import { type Applying, attempt } from './applying.ts'
import type { ReadyBudgets } from './budgets.ts'
import type { Credential } from './credentials.ts'
import { putIdentity, type ReadyIdentity } from './identity.ts'
import { registrationOf } from './read.ts'
import type { ReadTargets } from './target-reader.ts'
import type { Vetted } from './tool-sockets.ts'

/** What was found out about a backend before the transaction. */
export type Readied = {
  readonly upstreamAuth?: Credential
  readonly oauth?: Credential
  readonly identity?: ReadyIdentity
  readonly targets?: ReadTargets
  /** By tool. */
  readonly budgets?: ReadyBudgets
  readonly sockets?: Vetted<KeptWs>
  /** What the document says, with what its references stand for. */
  readonly registration?: ConfigClient['registration']
  /** Registering it did not work, and this is why. */
  readonly unregistered?: string
}

export async function putClients(
  applying: Applying,
  clients: readonly ConfigClient[],
  readied: ReadonlyMap<string, Readied>,
  touched: Set<string>,
): Promise<void> {
  const { tx, skip } = applying
  const keys = new Map([...(await keyHashes(tx))].map(([id, hash]) => [hash, id]))
  for (const client of clients) {
    const { name } = client
    const row = await backendByName(tx, name)
    const ready = readied.get(name) ?? {}
    if (row === undefined) {
      skip(
        'clients',
        name,
        ready.unregistered ?? 'it is not registered here; ask for backends to be registered as well',
      )
      continue
    }
    if (row.pins === null && (client.registration || client.upstreamAuth || client.oauth || client.identity)) {
      const what = row.kind === 'pcg' ? 'an editor' : 'a local server'
      skip('clients', name, `${what} of this gateway has this name`)
      continue
    }
    if (ready.unregistered !== undefined) skip('clients', name, ready.unregistered)
    else if (differs(ready.registration ?? client.registration, row))
      skip('clients', name, 'its registration differs; ask for backends to be registered to have it registered again')
    const columns = await columnsOf(applying, client, row, ready)
    if (Object.keys(columns).length > 0) {
      await updateBackend(tx, row.id, { ...columns, updated_at: applying.at })
      touched.add(name)
    }
    if (await putIdentity(applying, row, ready.identity)) touched.add(name)
    if (await putTargets(applying, row, ready.targets)) touched.add(name)
    if (
      client.tools &&
      (await putTools(applying, row, client.tools, {
        keys,
        budgets: ready.budgets ?? new Map(),
        sockets: ready.sockets ?? new Map(),
      }))
    )
      touched.add(name)
  }
}

/** `registration` with the values of its references, so that one that is another now is seen. */
export function differs(registration: ConfigClient['registration'], row: BackendRow): boolean {
  if (registration === null || registration === undefined) return false
  const text = (value: unknown): string => JSON.stringify(sortedKeys(value))
  return text(registration) !== text(registrationOf(row))
}

async function columnsOf(
  { tx, skip }: Applying,
  { name, enabled, team, tags, guards }: ConfigClient,
  row: BackendRow,
  { upstreamAuth, oauth }: Readied,
): Promise<Partial<BackendRow>> {
  const owner = team === undefined || team === null ? undefined : await teamRows.byName(tx, team)
  if (team && owner === undefined)
    skip('clients', name, `there is no team "${team}" here; the backend keeps the one it has`)
  const teamId = team === null ? null : owner?.id
  const tagged = tags && jsonText([...new Set(tags)].sort())
  const guarded = guards === undefined ? undefined : guards === null ? null : jsonText(guards)
  return {
    ...(enabled === undefined || enabled === (row.enabled === 1)
      ? {}
      : { enabled: enabled ? (1 as const) : (0 as const) }),
    ...(teamId === undefined || teamId === row.team_id ? {} : { team_id: teamId }),
    ...(tagged === undefined || tagged === row.tags ? {} : { tags: tagged }),
    ...(guarded === undefined || sameJson(guarded, row.guards) ? {} : { guards: guarded }),
    ...upstreamAuth?.columns,
    ...oauth?.columns,
    ...(await givenHere(tx, row, upstreamAuth, oauth)),
  }
}

/** A credential that the environment gives is for the address the backend has now. */
async function givenHere(
  tx: Tx,
  row: BackendRow,
  upstreamAuth: Credential | undefined,
  oauth: Credential | undefined,
): Promise<Partial<BackendRow>> {
  if (!upstreamAuth?.given && !oauth?.given) return {}
  const serving = servingOrigins(row, row.lb === null ? [] : await lbTargetsOf(tx, row.id))
  const infoOf = (column: 'upstream_auth_info' | 'oauth_info', credential: Credential | undefined) => {
    const columns: Partial<Record<typeof column, JsonText<Bound> | null>> = credential?.columns ?? {}
    const info = columns[column] ?? row[column]
    if (!credential?.given || info === null) return {}
    const bound = alsoFor(info, [originOf(row.base_url), ...stillServing(row[column], serving)])
    return bound === row[column] ? {} : { [column]: bound }
  }
  return { ...infoOf('upstream_auth_info', upstreamAuth), ...infoOf('oauth_info', oauth) }
}

/** True when one of them changed. */
async function putTargets(
  { tx, at, skip }: Applying,
  row: BackendRow,
  { canary, lb, skipped = [] }: ReadTargets = {},
): Promise<boolean> {
  for (const reason of skipped) skip('clients', row.name, reason)
  if (row.kind !== 'rest') {
    if (canary ?? lb) skip('clients', row.name, 'only a REST backend can have other servers')
    return false
  }
  const second = canary === undefined ? undefined : await putCanary(tx, row, canary, at)
  const pool = lb === undefined ? undefined : await putPool(tx, row, lb, at)
  return (second ?? pool) !== undefined
}

const sameJson = <T>(a: JsonText<T> | null, b: JsonText<T> | null): boolean =>
  isDeepStrictEqual(fromText(a), fromText(b))

/** What stands for keys of callers, and what was made ready of each tool. */
type Found = {
  readonly keys: ReadonlyMap<string, number>
  readonly budgets: ReadyBudgets
  readonly sockets: Vetted<KeptWs>
}

/** True when one of them changed. */
async function putTools(
  applying: Applying,
  backend: BackendRow,
  tools: readonly ConfigTool[],
  found: Found,
): Promise<boolean> {
  const { id, name: client } = backend
  const { tx, skip, mode, present } = applying
  const rows = new Map(
    (await toolsOf(tx, id)).filter((row) => row.missing_since === null).map((row) => [row.name, row]),
  )
  let changed = false
  const put = async (row: ToolRecord, tool: ConfigTool): Promise<void> => {
    const place = `clients.${client}.tools.${tool.name}`
    await attempt(
      async () => {
        changed = (await putTool(applying, backend, row, tool, found)) || changed
      },
      place,
      ['TOOL_ALIAS_CONFLICT', 'NOT_APPLICABLE'],
      (reason) => skip('tools', `${client}__${tool.name}`, reason),
    )
  }
  const named = new Set(tools.map(({ name }) => name))
  // First what is undone, so that an alias that moves from one tool to another is free.
  if (mode === 'replace')
    for (const row of rows.values())
      if (!named.has(row.name) && present.tools.has(`${client}/${row.name}`)) await put(row, { name: row.name })
  for (const tool of tools) {
    const row = rows.get(tool.name)
    if (row) await put(row, tool)
    else skip('tools', `${client}__${tool.name}`, 'the backend has no such tool')
  }
  return changed
}

async function putTool(
  { tx, at, mode, present, by: { actor } }: Applying,
  { name: client, kind, discovered_at }: BackendRow,
  row: ToolRecord,
  tool: ConfigTool,
  { keys, budgets, sockets }: Found,
): Promise<boolean> {
  const { name, tags: given, guards, contextBudget, ws, monitor, ...rest } = tool
  // Read from the tables, in the form of a document.
  const before = present.tools.get(`${client}/${name}`) as Partial<ConfigTool> | undefined
  const asClient = (item: object) => ({ name: client, tools: [item] })
  // A key by its hash is the key that has it: what is the same already is not written in other words.
  if (mode === 'replace' && itemText('clients', asClient(before ?? { name })) === itemText('clients', asClient(tool)))
    return false
  const known = configOf(row.config)
  const config = mode === 'replace' ? {} : known
  const budget = contextBudget ? budgets.get(name)?.budget : contextBudget
  const socket = ws ? sockets.get(name) : ws
  const wanted: ToolWanted = {
    ...rest,
    ...(monitor === undefined ? {} : { monitor: monitorOf(monitor, before?.monitor, known) }),
    ...(guards === undefined ? {} : { guards: withKeys(guards, keys) }),
    ...(budget === undefined ? {} : { contextBudget: budget }),
    // The reason was reported before.
    ...(socket === undefined || typeof socket === 'string' ? {} : { ws: socket }),
  }
  const next = patched(config, wanted, { kind, definition: () => definitionOf(row) })
  const alias = next.overrides?.displayName
  if (alias != null && alias !== known.overrides?.displayName) await checkAlias(tx, row, alias)
  if (!isDeepStrictEqual(next.monitor, known.monitor))
    await setMonitor(tx, row, discovered_at, next.monitor, Date.parse(at), actor.name)
  const tags = jsonText([...new Set(given ?? (mode === 'replace' ? discoveredTags(row) : fromText(row.tags)))].sort())
  const text = jsonText(next)
  if (sameJson(text, row.config) && tags === row.tags) return false
  await updateTool(tx, row.id, { config: text, tags, updated_at: at })
  return true
}

/** One that names an example says the same in a document in other words, and stays as it is. */
function monitorOf(
  wanted: ConfigTool['monitor'],
  before: ConfigTool['monitor'],
  known: ToolConfig,
): ToolWanted['monitor'] {
  const same = wanted && before && isDeepStrictEqual(wanted, ConfigMonitor.parse(before))
  return same && known.monitor ? known.monitor : wanted
}

/** Keys that are known here are kept by their id, so that the list follows when one is rotated. */
function withKeys(guards: ConfigTool['guards'], keys: ReadonlyMap<string, number>): ToolWanted['guards'] {
  if (guards == null || guards.allowedKeyHashes === undefined) return guards
  const hashes = [...new Set(guards.allowedKeyHashes)]
  return {
    ...guards,
    allowedKeyHashes: hashes.filter((hash) => !keys.has(hash)),
    allowedKeyIds: hashes.flatMap((hash) => keys.get(hash) ?? []),
  }
}
