// What a re-discovery changed, and which of it breaks callers. Contract 4.6.
import { createHash } from 'node:crypto'
import type { ToolDiff } from '../contract/registration.ts'
import type { DiscoveredTool, JsonSchema } from '../discovery/tool.ts'

export function schemaHash(schema: JsonSchema): string {
  return createHash('sha256').update(canonical(schema)).digest('hex')
}

/** Key order is no difference. */
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

const namesIn = (schema: JsonSchema, key: 'properties' | 'required'): ReadonlySet<string> => {
  const value = schema[key]
  if (Array.isArray(value)) return new Set(value.filter((name) => typeof name === 'string'))
  return new Set(typeof value === 'object' && value !== null ? Object.keys(value) : [])
}

function typeOf(schema: JsonSchema, name: string): string {
  const { properties } = schema
  if (typeof properties !== 'object' || properties === null) return ''
  const property: unknown = Object.getOwnPropertyDescriptor(properties, name)?.value
  return typeof property === 'object' && property !== null && 'type' in property ? canonical(property.type) : ''
}

/** A call that worked may not any more: an argument went away, became required, or changed its type. */
function breaks(before: DiscoveredTool, after: DiscoveredTool): boolean {
  const [had, has] = [namesIn(before.inputSchema, 'properties'), namesIn(after.inputSchema, 'properties')]
  const [needed, needs] = [namesIn(before.inputSchema, 'required'), namesIn(after.inputSchema, 'required')]
  if ([...had].some((name) => !has.has(name) || typeOf(before.inputSchema, name) !== typeOf(after.inputSchema, name)))
    return true
  return [...needs].some((name) => !needed.has(name))
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
    else changed.push({ name: tool.name, fields, breaking: breaks(known, tool) })
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
