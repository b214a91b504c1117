// How a tool appears in `tools/list`: its name on the surface, its words, its schema with the reserved arguments it honours.
import type { Annotations } from '../contract/registration.ts'
import { listedName, snakeCase } from '../discovery/names.ts'
import { schemaWithoutReserved } from '../pipeline/0-admission/reserved.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import { annotationsOf, titleOf } from './annotations.ts'

export type Listed = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations: Annotations
}

/** A tool on a surface, with every way it may be called there. */
export type Entry = {
  readonly listed: Listed
  /** The listed form as JSON, written once. */
  readonly json: string
  readonly backend: Backend
  readonly tool: Tool
  /** From the most to the least exact; the first level that names exactly one tool wins. */
  readonly names: readonly (readonly string[])[]
}

const CONFIRM = { type: 'boolean', description: 'Set to true to confirm this sensitive call.' }

function schemaOf({ definition, config }: Tool, sensitive: boolean): Readonly<Record<string, unknown>> {
  const schema = schemaWithoutReserved(definition.inputSchema)
  const given =
    typeof schema.properties === 'object' && schema.properties !== null ? Object.entries(schema.properties) : []
  const described = given.map(([name, property]: [string, unknown]) => {
    const description = config.overrides?.params?.[name]?.description
    return description === undefined || typeof property !== 'object' || property === null
      ? [name, property]
      : [name, { ...property, description }]
  })
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(sensitive ? [...described, ['__confirm', CONFIRM]] : described),
  }
}

/** `control` is the control plane's: it shows no tool of any backend. */
export type SurfaceKind = 'shard' | 'bundle' | 'control'

export function entryOf(
  kind: SurfaceKind,
  backend: Backend,
  tool: Tool,
  sensitive: boolean,
  taken: (name: string) => boolean,
): Entry {
  const alias = tool.config.overrides?.displayName ?? undefined
  const full = `${backend.name}__${tool.name}`
  const wanted = kind === 'shard' ? (alias ?? tool.name) : alias !== undefined && !taken(alias) ? alias : full
  const name = listedName(wanted, backend.name, tool.name)
  const listed: Listed = {
    name,
    title: titleOf(tool),
    description: tool.config.overrides?.description ?? tool.definition.description,
    inputSchema: schemaOf(tool, sensitive),
    annotations: annotationsOf(backend.kind, tool, sensitive),
  }
  const withAlias = alias === undefined ? [] : [`${backend.name}__${alias}`]
  return {
    listed,
    json: JSON.stringify(listed),
    backend,
    tool,
    names: [
      [name, wanted],
      [full],
      withAlias,
      alias === undefined ? [tool.name] : [alias, tool.name],
      [tool.sourceName, snakeCase(tool.sourceName)],
    ],
  }
}
