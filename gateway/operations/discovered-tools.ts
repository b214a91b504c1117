// What a discovery means for the tools that are stored: configuration stays by bare name, and sleeps while its tool is gone. Contract 4.6.
import type { ToolDiff } from '../contract/registration.ts'
import type { DiscoveredTool } from '../discovery/tool.ts'
import type { ToolConfig } from '../registry/backend.ts'
import { diffTools, schemaHash } from '../registry/tool-diff.ts'
import { deleteTools, insertTools, type ToolRecord, toolsOf, updateTool } from '../storage/backends.ts'
import type { Tx } from '../storage/schema.ts'

/** How long the configuration of a tool that went away waits for its return. */
const DORMANT_MS = 30 * 86_400_000
const MOST_TAGS = 20

export type StoredTools = {
  readonly diff: ToolDiff
  /** Aliases that are now the name of another tool as well. */
  readonly clashes: readonly { readonly tool: string; readonly alias: string }[]
}

export async function storeTools(
  tx: Tx,
  backendId: number,
  tools: readonly DiscoveredTool[],
  at: string,
): Promise<StoredTools> {
  const rows = await toolsOf(tx, backendId)
  const forgotten = ({ missing_since }: ToolRecord): boolean =>
    missing_since !== null && Date.parse(at) - Date.parse(missing_since) > DORMANT_MS
  const present = new Map<string, DiscoveredTool>()
  for (const row of rows) {
    const definition = row.missing_since === null ? parsed<DiscoveredTool>(row.definition) : undefined
    if (definition) present.set(row.name, definition)
  }
  const diff = diffTools(present, tools)
  const names = new Set(tools.map(({ name }) => name))
  const kept = rows.filter((row) => !forgotten(row))
  await deleteTools(
    tx,
    rows.filter(forgotten).map(({ id }) => id),
  )
  for (const { id, name, missing_since } of kept)
    if (!names.has(name) && missing_since === null) await updateTool(tx, id, { missing_since: at, updated_at: at })
  const byName = new Map(kept.map((row) => [row.name, row]))
  for (const tool of tools) {
    const row = byName.get(tool.name)
    if (row) await refresh(tx, row, tool, at)
  }
  await insertTools(
    tx,
    tools
      .filter(({ name }) => !byName.has(name))
      .map((tool) => ({
        ...columnsOf(tool),
        backend_id: backendId,
        name: tool.name,
        config: '{}',
        tags: JSON.stringify(tagsOf(tool)),
        missing_since: null,
        revision: 1,
        updated_at: at,
      })),
  )
  const clashes = kept.flatMap(({ name, config }) => {
    const alias = parsed<ToolConfig>(config)?.overrides?.displayName
    return alias != null && alias !== name && names.has(alias) ? [{ tool: name, alias }] : []
  })
  return { diff, clashes }
}

const columnsOf = (tool: DiscoveredTool) => ({
  source_name: tool.sourceName,
  definition: JSON.stringify(tool),
  schema_hash: schemaHash(tool.inputSchema),
})

async function refresh(tx: Tx, row: ToolRecord, tool: DiscoveredTool, at: string): Promise<void> {
  const columns = columnsOf(tool)
  if (row.definition === columns.definition && row.missing_since === null) return
  await updateTool(tx, row.id, { ...columns, missing_since: null, updated_at: at })
}

/** Written by us in this shape; a row that was damaged since counts as one that is not there. */
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
