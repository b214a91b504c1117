// How a tool appears in `tools/list`: its name on the surface, its words, its schema with the reserved arguments it honours.
import type { Annotations } from '../contract/registration.ts'
import { argumentKeysOf } from '../discovery/argument-keys.ts'
import { listedName, snakeCase } from '../discovery/names.ts'
import { isRecord } from '../discovery/record.ts'
import { listedSchema } from '../discovery/shorter-schema.ts'
import type { JsonSchema } from '../discovery/tool.ts'
import { safeIcons } from '../mcp/icons.ts'
import { schemaWithoutReserved } from '../pipeline/0-admission/reserved.ts'
import { annotationsOf, readable, titleOf } from '../registry/annotations.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { Composite } from '../registry/curated.ts'
import { cleanText } from '../text/clean.ts'
import { isExactNumber } from '../text/exact-json.ts'
import { foreignLabels } from '../text/foreign-text.ts'

/** How a tool runs as a task says something about what is not carried. */
const LEFT_OUT: ReadonlySet<string> = new Set(['execution'])

const IS_URI = /uri(?:template)?$/i

/** Fields of an upstream's tool that we do not interpret: its shard shows them as they are, cleaned. Contract 0.2. */
function extraFields({ definition }: Tool): Readonly<Record<string, unknown>> {
  const extra = definition.mcp?.extra
  if (extra === undefined) return {}
  const shown = Object.entries(extra)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]) => [key, key === 'icons' ? safeIcons(value) : shownValue(value, key)] as const)
    .filter(([, value]) => value !== undefined)
  return Object.fromEntries(shown)
}

/** Labels are cleaned. A URI, as that of the page of an app, can be asked for as it is listed, or is left out. */
function shownValue(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => shownValue(each))
  if (isRecord(value) && !isExactNumber(value)) {
    const entries = Object.entries(value).map(([inner, each]) => [inner, shownValue(each, inner)] as const)
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined))
  }
  if (typeof value !== 'string' || !IS_URI.test(key)) return foreignLabels(value)
  return cleanText(value) === value ? value : undefined
}

export type Listed = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations: Annotations
}

/** A tool on a surface, with every way it may be called there. */
export type Entry = {
  readonly listed: Listed
  /** The listed form as JSON, written once, when it is first read. */
  readonly json: string
  readonly backend: Backend
  readonly tool: Tool
  readonly gates: ToolGates
  /** From the most to the least exact; the first level that names exactly one tool wins. */
  readonly names: readonly (readonly string[])[]
}

/** A composite in a bundle: listed like a tool, and run step by step. */
export type CompositeEntry = {
  readonly listed: Listed
  readonly json: string
  readonly composite: Composite
  /** One of its steps wants a confirmation. */
  readonly sensitive: boolean
  /** It keeps values for its caller. */
  readonly keeps: boolean
}

/** What a call of a tool is asked for: a confirmation, the approval of a person. */
export type ToolGates = {
  readonly sensitive: boolean
  readonly approval: boolean
  /** Since when its source lists another schema; reported by a monitor. */
  readonly driftSince?: string | undefined
  /** Large answers may be kept, by a budget. */
  readonly keeps?: boolean
  /** What its results are listed to be. */
  readonly outputSchema?: JsonSchema | undefined
}

export const isGated = ({ sensitive, approval }: ToolGates): boolean => sensitive || approval

const CONFIRM = { type: 'boolean', description: 'Set to true to confirm this sensitive call.' }
const APPROVAL_ID = {
  type: 'integer',
  description: 'The number of an approved ticket. Leave it out at first: the refusal names the ticket to wait for.',
}

type Shape = { readonly inputSchema: JsonSchema; readonly stored?: JsonSchema; readonly params?: Params }
type Params = Readonly<Record<string, { readonly description?: string | undefined }>> | null | undefined

function schemaOf(
  { inputSchema, stored = inputSchema, params }: Shape,
  { sensitive, approval }: ToolGates,
): Readonly<Record<string, unknown>> {
  const schema = schemaWithoutReserved(inputSchema)
  const given =
    typeof schema.properties === 'object' && schema.properties !== null ? Object.entries(schema.properties) : []
  const described = given.map(([name, property]: [string, unknown]) => {
    const description = params?.[name]?.description
    return description === undefined || typeof property !== 'object' || property === null
      ? [name, property]
      : [name, { ...property, description }]
  })
  const listed = {
    ...schema,
    type: 'object',
    properties: Object.fromEntries([
      ...described,
      ...(sensitive ? [['__confirm', CONFIRM]] : []),
      ...(approval ? [['__approval_id', APPROVAL_ID]] : []),
    ]),
  }
  return argumentKeysOf(stored)?.listed(listed) ?? listed
}

/** Its caller sees that the schema may not be what the backend accepts. */
const marked = (description: string, { driftSince }: ToolGates): string =>
  driftSince === undefined ? description : `[schema drift ${driftSince.slice(0, 10)}] ${description}`

/** `control` is the control plane's: it shows no tool of any backend. */
export type SurfaceKind = 'shard' | 'bundle' | 'control'

export function entryOf(
  kind: SurfaceKind,
  backend: Backend,
  tool: Tool,
  gates: ToolGates,
  taken: (name: string) => boolean,
): Entry {
  const alias = tool.config.overrides?.displayName ?? undefined
  const full = `${backend.name}__${tool.name}`
  const wanted = kind === 'shard' ? (alias ?? tool.name) : alias !== undefined && !taken(alias) ? alias : full
  const name = listedName(wanted, backend.name, tool.name)
  const { inputSchema: stored } = tool.definition
  const schema = (): Listed['inputSchema'] =>
    schemaOf({ inputSchema: listedSchema(tool.definition), stored, params: tool.config.overrides?.params }, gates)
  // A call needs neither the schema nor the text, and in a long list they take most of the time.
  let inputSchema: Listed['inputSchema'] | undefined
  let json: string | undefined
  const listed: Listed = {
    name,
    title: titleOf(tool),
    description: marked(tool.config.overrides?.description ?? tool.definition.description, gates),
    ...(gates.outputSchema === undefined ? {} : { outputSchema: gates.outputSchema }),
    get inputSchema() {
      return (inputSchema ??= schema())
    },
    annotations: annotationsOf(backend.kind, tool, isGated(gates)),
  }
  const withAlias = alias === undefined ? [] : [`${backend.name}__${alias}`]
  return {
    listed,
    get json() {
      return (json ??= JSON.stringify(kind === 'shard' ? { ...extraFields(tool), ...listed } : listed))
    },
    backend,
    tool,
    gates,
    names: [
      [name, wanted],
      [full],
      withAlias,
      alias === undefined ? [tool.name] : [alias, tool.name],
      [tool.sourceName, snakeCase(tool.sourceName)],
    ],
  }
}

export type ListedStep = { readonly kind: Backend['kind']; readonly tool: Tool; readonly gates: ToolGates }

/** `steps`: the tools behind it, as far as they are there. */
export function compositeEntryOf(composite: Composite, steps: readonly (ListedStep | undefined)[]): CompositeEntry {
  const { name, description, inputSchema, script } = composite
  const hints = steps.map((step) => step && annotationsOf(step.kind, step.tool, isGated(step.gates)))
  const title = readable(name)
  const sensitive = steps.some((step) => step?.gates.sensitive)
  const listed: Listed = {
    name,
    title,
    description: description ?? '',
    // A ticket is for one call of one tool: steps pass none on, and a script offers it to each of its calls.
    inputSchema: schemaOf(
      { inputSchema },
      { sensitive, approval: script !== null && steps.some((step) => step?.gates.approval) },
    ),
    ...(script?.outputSchema && { outputSchema: script.outputSchema }),
    annotations: {
      title,
      readOnlyHint: hints.every((each) => each?.readOnlyHint === true),
      destructiveHint: hints.some((each) => each?.destructiveHint === true),
      idempotentHint: hints.every((each) => each?.idempotentHint === true),
      openWorldHint: hints.some((each) => each?.openWorldHint === true),
    },
  }
  return {
    listed,
    json: JSON.stringify(listed),
    composite,
    sensitive,
    keeps: script !== null && /\bkeep\(/.test(script.js),
  }
}
