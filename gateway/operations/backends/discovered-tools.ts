// What a discovery means for the tools that are stored: configuration stays by bare name, and sleeps while its tool is gone. Contract 4.6.

import type { ToolDiff } from '../../contract/registration.ts'
import { inTurns } from '../../discovery/in-turns.ts'
import type { DiscoveredTool } from '../../discovery/tool.ts'
import { withKeptNames } from '../../registry/stored-names.ts'
import { diffTools, schemaHash } from '../../registry/tool-diff.ts'
import { deleteTools, insertTools, type ToolRecord, toolsOf, updateTool } from '../../storage/backends.ts'
import { jsonText } from '../../storage/json-text.ts'
import type { Tx } from '../../storage/schema.ts'
import type { ToolConfig } from '../../storage/stored.ts'

/** How long the configuration of a tool that went away waits for its return. */
const DORMANT_MS = 30 * 86_400_000
const MOST_TAGS = 20

export type StoredTools = {
  /** Under the names they are stored by. */
  readonly tools: readonly DiscoveredTool[]
  readonly diff: ToolDiff
  /** Aliases that are now the name of another tool as well. */
  readonly clashes: readonly { readonly tool: string; readonly alias: string }[]
}

/** A tool as its row holds it, worked out before the transaction that writes it. */
export type Prepared = { readonly tool: DiscoveredTool; readonly columns: ReturnType<typeof columnsOf> }

export function prepareTools(tools: readonly DiscoveredTool[]): Promise<readonly Prepared[]> {
  return inTurns(tools, (tool) => ({ tool, columns: columnsOf(tool) }))
}

/** Those that keep another name than they were discovered under are worked out again. */
function underKeptNames(kept: readonly ToolRecord[], discovered: readonly Prepared[]): readonly Prepared[] {
  const known = kept.map(({ name, definition }) => ({ name, definition: () => parsed<DiscoveredTool>(definition) }))
  const tools = withKeptNames(
    known,
    discovered.map(({ tool }) => tool),
  )
  return discovered.map((each, at) => {
    const tool = tools[at] ?? each.tool
    return tool === each.tool ? each : { tool, columns: columnsOf(tool) }
  })
}

export async function storeTools(
  tx: Tx,
  backendId: number,
  discovered: readonly Prepared[],
  at: string,
): Promise<StoredTools> {
  const rows = await toolsOf(tx, backendId)
  const forgotten = ({ missing_since }: ToolRecord): boolean =>
    missing_since !== null && Date.parse(at) - Date.parse(missing_since) > DORMANT_MS
  const kept = rows.filter((row) => !forgotten(row))
  const prepared = underKeptNames(kept, discovered)
  const byName = new Map(prepared.map((each) => [each.tool.name, each]))
  const diff = await diffWith(rows, byName)
  await deleteTools(
    tx,
    rows.filter(forgotten).map(({ id }) => id),
  )
  await inTurns(kept, ({ id, name, missing_since }) =>
    !byName.has(name) && missing_since === null ? updateTool(tx, id, { missing_since: at, updated_at: at }) : undefined,
  )
  const known = new Map(kept.map((row) => [row.name, row]))
  const fresh: Prepared[] = []
  const renamed = renamings(kept, byName)
  await inTurns(prepared, (each) => {
    const row = known.get(each.tool.name)
    if (row === undefined) fresh.push(each)
    return row === undefined ? undefined : refresh(tx, row, each.columns, at)
  })
  await inTurns(batches(fresh), (batch) =>
    insertTools(
      tx,
      batch.map(({ tool, columns }) => ({
        ...columns,
        backend_id: backendId,
        name: tool.name,
        config: renamed.get(tool.name) ?? jsonText({}),
        tags: jsonText(tagsOf(tool)),
        missing_since: null,
        revision: 1,
        updated_at: at,
      })),
    ),
  )
  const clashes = kept.flatMap(({ name, config }) => {
    const alias = parsed<ToolConfig>(config)?.overrides?.displayName
    return alias != null && alias !== name && byName.has(alias) ? [{ tool: name, alias }] : []
  })
  return { tools: prepared.map(({ tool }) => tool), diff, clashes }
}

/**
 * The configuration for tools under a new name: one that went away and one that came, alone at the same method and path,
 * are one operation. A guard does not fall because the upstream renamed what it guards.
 */
function renamings(kept: readonly ToolRecord[], byName: ReadonlyMap<string, Prepared>) {
  const known = new Set(kept.map(({ name }) => name))
  const gone = byPlace(
    kept
      .filter(({ name, missing_since, config }) => !byName.has(name) && missing_since === null && config !== '{}')
      .map(({ definition, config }) => [parsed<DiscoveredTool>(definition), config] as const),
  )
  const come = byPlace(
    [...byName.values()].filter(({ tool }) => !known.has(tool.name)).map(({ tool }) => [tool, tool.name]),
  )
  const pairs = [...come].flatMap(([place, names]) => {
    const [name, other] = names
    const [config, another] = gone.get(place) ?? []
    return name !== undefined && config !== undefined && other === undefined && another === undefined
      ? [[name, config] as const]
      : []
  })
  return new Map(pairs)
}

/** Everything beside each tool, by the method and path it is sent to; tools without them are left out. */
function byPlace<T extends string>(tools: readonly (readonly [DiscoveredTool | undefined, T])[]) {
  const places = new Map<string, T[]>()
  for (const [tool, text] of tools) {
    if (tool?.method === undefined || tool.endpoint === undefined) continue
    const place = `${tool.method} ${tool.endpoint}`
    places.set(place, [...(places.get(place) ?? []), text])
  }
  return places
}

/** What has not changed by a letter needs no closer look. */
async function diffWith(rows: readonly ToolRecord[], byName: ReadonlyMap<string, Prepared>): Promise<ToolDiff> {
  const present = new Map<string, DiscoveredTool>()
  const same = new Set<string>()
  await inTurns(rows, ({ name, definition, missing_since }) => {
    if (missing_since !== null) return
    if (byName.get(name)?.columns.definition === definition) same.add(name)
    else {
      const before = parsed<DiscoveredTool>(definition)
      if (before) present.set(name, before)
    }
  })
  return withUnchanged(
    present,
    [...byName.values()].map(({ tool }) => tool),
    same,
  )
}

/** The same of a discovery that is not going to be stored. */
export async function compareTools(
  before: ReadonlyMap<string, DiscoveredTool>,
  after: readonly DiscoveredTool[],
): Promise<ToolDiff> {
  const same = new Set<string>()
  await inTurns(after, (tool) => {
    if (before.has(tool.name) && JSON.stringify(before.get(tool.name)) === JSON.stringify(tool)) same.add(tool.name)
  })
  return withUnchanged(new Map([...before].filter(([name]) => !same.has(name))), after, same)
}

function withUnchanged(
  before: ReadonlyMap<string, DiscoveredTool>,
  after: readonly DiscoveredTool[],
  same: ReadonlySet<string>,
): ToolDiff {
  const diff = diffTools(
    before,
    after.filter(({ name }) => !same.has(name)),
  )
  return { ...diff, unchanged: diff.unchanged + same.size }
}

const BATCH = 50

function* batches<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += BATCH) yield list.slice(from, from + BATCH)
}

const columnsOf = (tool: DiscoveredTool) => ({
  source_name: tool.sourceName,
  definition: JSON.stringify(tool),
  schema_hash: schemaHash(tool.inputSchema),
})

async function refresh(tx: Tx, row: ToolRecord, columns: Prepared['columns'], at: string): Promise<void> {
  if (row.definition === columns.definition && row.missing_since === null) return
  await updateTool(tx, row.id, { ...columns, missing_since: null, updated_at: at })
}

/** Written by us in this shape; a row that was damaged since counts as missing. */
function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

function tagsOf({ tags = [] }: DiscoveredTool): string[] {
  const clean = tags.map((tag) =>
    tag
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 32),
  )
  return [...new Set(clean)].filter((tag) => tag !== '').slice(0, MOST_TAGS)
}

// Written above, in this very shape.
export const definitionOf = ({ definition }: Pick<ToolRecord, 'definition'>): DiscoveredTool =>
  JSON.parse(definition) as DiscoveredTool

/** The tags a stored tool came with. */
export const discoveredTags = ({ definition }: Pick<ToolRecord, 'definition'>): string[] => {
  // Most have none, and reading a schema to find that out is expensive.
  const tool = definition.includes('"tags"') ? parsed<DiscoveredTool>(definition) : undefined
  return tool ? tagsOf(tool) : []
}
