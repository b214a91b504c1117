// The tools of an MCP upstream, as it lists them: names, unknown fields and output schemas kept, texts cleaned.

import { TOO_LARGE } from '../mcp/outline.ts'
import { cleanLabel, cleanMetadata, cleanSchema, cut, hidesInKeys, hidesText } from '../text/clean.ts'
import { bounded, leftOut } from './failure.ts'
import { foreignReference } from './manual.ts'
import { keepName, uniqueNames } from './names.ts'
import { entriesOf, get, isRecord, type JsonRecord, textOf } from './record.ts'
import { tooManySchemas } from './schema-cost.ts'
import type { Annotations, DiscoveredTool, Discovery, JsonSchema, Skipped } from './tool.ts'

const FITTING = /^[A-Za-z0-9_.-]{1,128}$/
const MAX_SCHEMA_BYTES = 512 * 1024
const MAX_TITLE = 256
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
/** Fields that we interpret; everything else is passed on unchanged. */
const OWN = new Set(['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '__proto__'])

/** `entries` are the tools of all pages, in their order. A server with resources or prompts may have none. */
export function discoverMcp(entries: readonly unknown[], maxTools: number, mayBeEmpty = false): Discovery {
  const skipped: Skipped[] = []
  const takeName = uniqueNames()
  const tools = entries.flatMap((entry): DiscoveredTool[] => {
    const name = get(entry, 'name')
    const label = typeof name === 'string' ? cut(cleanLabel(name), 128) : '(unnamed)'
    const reason = unusable(entry)
    if (reason !== undefined || !isRecord(entry) || typeof name !== 'string') {
      skipped.push({ operation: label, reason: reason ?? 'is not a tool' })
      return []
    }
    return [toolOf(entry, name, takeName)]
  })
  const discovery = { tools, skipped, warnings: leftOut('tool', skipped) }
  if (mayBeEmpty && tools.length === 0)
    return {
      ...discovery,
      warnings: [...discovery.warnings, 'The upstream has no tools; its resources and prompts are served.'],
    }
  return bounded(discovery, maxTools, 'The upstream lists no tool.')
}

function unusable(entry: unknown): string | undefined {
  if (!isRecord(entry)) return 'is not an object'
  if (TOO_LARGE in entry) return 'it is larger than 1 MiB'
  if (textOf(entry.name) === undefined) return 'has no name'
  const schema = entry.inputSchema
  if (schema === undefined || schema === null) return undefined
  if (!isRecord(schema)) return 'its inputSchema is not an object'
  if (schema.type !== undefined && schema.type !== 'object') return 'its inputSchema does not describe an object'
  // An argument's name is sent back unchanged, so it cannot be cleaned; one with hidden text is refused.
  const hiding = entriesOf(schema.properties).some(([name]) => name.length > 256 || hidesText(name))
  if (hiding) return 'the name of an argument is over 256 characters or has invisible ones'
  const foreign = foreignReference(schema)
  if (foreign !== undefined) return `its inputSchema ${foreign}`
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES) return 'its inputSchema is larger than 512 KiB'
  const many = tooManySchemas(schema)
  return many === undefined ? undefined : `its inputSchema ${many}`
}

function toolOf(entry: JsonRecord, name: string, takeName: (wanted: string) => string): DiscoveredTool {
  const title = titleOf(entry)
  const description = textOf(entry.description)
  const annotations = annotationsOf(entry.annotations)
  return {
    name: takeName(FITTING.test(name) ? name : keepName(cleanLabel(name))),
    sourceName: cut(cleanLabel(name), 256),
    description: description === undefined ? (title ?? cut(cleanLabel(name), 256)) : cleanMetadata(description),
    ...(title === undefined ? {} : { title }),
    inputSchema: schemaOf(entry.inputSchema),
    ...outputSchemaOf(entry.outputSchema),
    places: {},
    ...(annotations === undefined ? {} : { annotations }),
    mcp: { name, extra: Object.fromEntries(Object.entries(entry).filter(([key]) => !OWN.has(key))) },
  }
}

function titleOf(entry: JsonRecord): string | undefined {
  const title = textOf(entry.title) ?? textOf(get(entry.annotations, 'title'))
  const cleaned = title === undefined ? '' : cleanMetadata(title, MAX_TITLE).trim()
  return cleaned === '' ? undefined : cleaned
}

function annotationsOf(value: unknown): Annotations | undefined {
  if (!isRecord(value)) return undefined
  const title = textOf(value.title)
  const hints = HINTS.filter((hint) => typeof value[hint] === 'boolean').map((hint): [string, unknown] => [
    hint,
    value[hint],
  ])
  const out: Annotations = {
    ...(title === undefined ? {} : { title: cleanMetadata(title, MAX_TITLE) }),
    ...Object.fromEntries(hints),
  }
  return Object.keys(out).length > 0 ? out : undefined
}

/** As it is but for its texts. One that no client could use, or whose names cannot be shown, is left out. */
function outputSchemaOf(schema: unknown): Pick<DiscoveredTool, 'outputSchema'> {
  if (!isRecord(schema) || schema.type !== 'object') return {}
  if (foreignReference(schema) !== undefined || tooManySchemas(schema) !== undefined || hidesInKeys(schema)) return {}
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES) return {}
  const cleaned = cleanSchema(schema)
  return isRecord(cleaned) ? { outputSchema: cleaned } : {}
}

function schemaOf(schema: unknown): JsonSchema {
  const cleaned = cleanSchema(schema)
  if (!isRecord(cleaned)) return { type: 'object', properties: {} }
  return cleaned.type === undefined ? { type: 'object', ...cleaned } : cleaned
}
