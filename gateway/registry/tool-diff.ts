// The changes of a re-discovery, and which break callers. Contract 4.6.
import { createHash } from 'node:crypto'
import type { ToolDiff } from '../contract/registration.ts'
import type { DiscoveredTool, JsonSchema } from '../discovery/tool.ts'

export function schemaHash(schema: JsonSchema): string {
  return createHash('sha256').update(canonical(schema)).digest('hex')
}

/** Ignores key order. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
    .join(',')}}`
}

type Changed = ToolDiff['changed'][number]

const FIELDS = ['description', 'inputSchema', 'method', 'endpoint', 'annotations'] as const

const DEPTH = 8

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const own = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Whether `after` includes every value of `before`; absent means any value. */
function covers(after: unknown, before: unknown): boolean {
  if (after === undefined) return true
  if (before === undefined) return false
  const known = new Set((Array.isArray(after) ? after : [after]).map(canonical))
  return (Array.isArray(before) ? before : [before]).every((value) => known.has(canonical(value)))
}

/** Whether a value valid for `before` may be invalid for `after`. Covers common keywords only. */
function narrows(before: unknown, after: unknown, depth = 0): boolean {
  if (depth > DEPTH) return canonical(before) !== canonical(after)
  const [had, has] = [recordOf(before), recordOf(after)]
  if (!covers(has.type, had.type) || !covers(has.enum, had.enum) || !covers(has.const, had.const)) return true
  const [properties, now] = [recordOf(had.properties), recordOf(has.properties)]
  const needed = new Set(listOf(had.required))
  return (
    listOf(has.required).some((name) => !needed.has(name)) ||
    (has.additionalProperties === false && had.additionalProperties !== false) ||
    Object.keys(properties).some(
      (name) => !Object.hasOwn(now, name) || narrows(own(properties, name), own(now, name), depth + 1),
    ) ||
    (has.items !== undefined && narrows(had.items, has.items, depth + 1))
  )
}

export function diffTools(before: ReadonlyMap<string, DiscoveredTool>, after: readonly DiscoveredTool[]): ToolDiff {
  const names = new Set(after.map(({ name }) => name))
  const changed: Changed[] = []
  let unchanged = 0
  for (const tool of after) {
    const known = before.get(tool.name)
    if (known === undefined) continue
    const fields = FIELDS.filter((field) => canonical(known[field]) !== canonical(tool[field]))
    if (fields.length === 0) unchanged += 1
    else changed.push({ name: tool.name, fields, breaking: narrows(known.inputSchema, tool.inputSchema) })
  }
  return {
    added: after
      .filter(({ name }) => !before.has(name))
      .map(({ name }) => name)
      .sort(),
    removed: [...before.keys()].filter((name) => !names.has(name)).sort(),
    unchanged,
    changed: changed.sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}
