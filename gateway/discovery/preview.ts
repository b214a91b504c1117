// What a tool costs a model to see, and what in it many clients stumble over.
import { argumentKeysOf, MODEL_KEY } from './argument-keys.ts'
import { type ListedTool, lossesOf } from './model-limits.ts'
import { listedName } from './names.ts'
import { entriesOf, get, isRecord, listOf } from './record.ts'
import { listedSchema } from './shorter-schema.ts'
import type { DiscoveredTool, JsonSchema } from './tool.ts'

export type ToolPreview = { readonly schemaBytes: number; readonly estTokens: number; readonly lint: readonly string[] }

const LONG_NAME = 64
const MANY_ARGUMENTS = 20
const LARGE_SCHEMA_BYTES = 16 * 1024
const MAX_DEPTH = 32

/** By name, what each tool would be called if no other were called so already. */
export function nameClashes(tools: readonly DiscoveredTool[]): ReadonlyMap<string, string> {
  const names = new Set(tools.map(({ name }) => name))
  const clashes = tools.flatMap(({ name, sourceName }) => {
    const wanted = /^(.+)_\d+$/.exec(name)?.[1]
    const isOwn = wanted === undefined || lettersOf(sourceName) === lettersOf(name)
    return isOwn || !names.has(wanted) ? [] : [[name, wanted] as const]
  })
  return new Map(clashes)
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')

/** As its shard lists it. */
export function listedTool(tool: DiscoveredTool, client = ''): ListedTool {
  const { name, description } = tool
  const schema = listedSchema(tool)
  const inputSchema = argumentKeysOf(tool.inputSchema)?.listed(schema) ?? schema
  return { name: listedName(name, client, name), description, inputSchema }
}

export function previewTool(tool: DiscoveredTool, clash?: string): ToolPreview {
  const schema = JSON.stringify(listedTool(tool).inputSchema)
  const listed = tool.name.length + (tool.title?.length ?? 0) + tool.description.length + schema.length
  // Four characters a token is what English and JSON average to in the common tokenizers.
  return { schemaBytes: Buffer.byteLength(schema), estTokens: Math.ceil(listed / 4), lint: lint(tool, clash) }
}

function lint(tool: DiscoveredTool, clash: string | undefined): readonly string[] {
  const properties = entriesOf(tool.inputSchema.properties)
  const odd = properties.map(([name]) => name).filter((name) => !MODEL_KEY.test(name))
  const undescribed = properties.filter(([, schema]) => get(schema, 'description') === undefined).length
  const features = featuresOf(tool.inputSchema)
  const bytes = JSON.stringify(tool.inputSchema).length
  const hints: readonly (readonly [boolean, string])[] = [
    [
      clash !== undefined,
      `The name clashes with that of another operation, "${clash}": this one got a number, which it keeps. Name it at its source, or leave one of them out.`,
    ],
    [tool.name.length > LONG_NAME, `The name is longer than ${LONG_NAME} characters and is listed in a short form.`],
    [/^[A-Z]+ \//.test(tool.description), 'There is no description: the method and path stand in for one.'],
    [tool.deprecated === true, 'The operation is deprecated.'],
    [
      properties.length > MANY_ARGUMENTS,
      `There are ${properties.length} arguments: models fill in more than ${MANY_ARGUMENTS} badly.`,
    ],
    [properties.length > 0 && undescribed === properties.length, 'No argument has a description.'],
    [odd.length > 0, `The argument ${odd[0]?.slice(0, 64)} is listed under a name that every client accepts.`],
    [bytes > LARGE_SCHEMA_BYTES, `The input schema takes ${Math.ceil(bytes / 1024)} KiB of every tool list.`],
    [features.size > 0, `Some clients ignore or refuse ${[...features].sort().join(', ')} in a schema.`],
  ]
  const losses = lossesOf(listedTool(tool)).map(({ client, limit }) => `${client}: ${limit}.`)
  return [...hints.filter(([applies]) => applies).map(([, hint]) => hint), ...losses]
}

const STUMBLING = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'prefixItems',
  'dependentRequired',
  'unevaluatedProperties',
]

function featuresOf(schema: JsonSchema): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: unknown, depth: number, names: boolean): void => {
    if (depth > MAX_DEPTH) return
    for (const item of listOf(value)) visit(item, depth + 1, false)
    if (!isRecord(value)) return
    for (const [key, item] of Object.entries(value)) {
      if (!names && STUMBLING.includes(key)) found.add(key)
      if (!names && key === 'type' && Array.isArray(item) && item.filter((type) => type !== 'null').length > 1)
        found.add('several types')
      if (typeof item === 'object') visit(item, depth + 1, !names && key === 'properties')
    }
  }
  visit(schema, 0, false)
  return found
}
