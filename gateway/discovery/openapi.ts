// OpenAPI 3.0, 3.1 and Swagger 2.0 → one tool per operation.

import { GatewayError } from '../contract/error.ts'
import { cleanLabel, cut } from '../text/clean.ts'
import { described } from './described.ts'
import { bounded, discoveryError, NO_OPERATION, refuseTooMany } from './failure.ts'
import { keepName, pathName, uniqueNames } from './names.ts'
import { type BodyResult, legacyBodyOf, requestBodyOf } from './openapi-body.ts'
import { parametersOf } from './openapi-parameters.ts'
import { legacyServerOf, type Server, securityHint, serverOf } from './openapi-servers.ts'
import { parseText } from './parse.ts'
import { entriesOf, get, isRecord, type JsonRecord, listOf, scalarOf, textOf, textsOf } from './record.ts'
import { type References, rebase, references } from './references.ts'
import { resultSchemaText } from './result-schema.ts'
import { templateOf } from './template.ts'
import {
  type Argument,
  type DiscoveredTool,
  type Discovery,
  type Place,
  type Skipped,
  schemaOfArguments,
  textInPath,
} from './tool.ts'

export type OpenapiOptions = {
  /** Where the document was read from; relative servers are resolved against it. */
  readonly documentUrl?: string
  /** Texts of other documents that this one refers to, by address. */
  readonly documents?: Readonly<Record<string, string>>
  readonly includeTags?: readonly string[]
  /** `operationId` or `METHOD /path`. */
  readonly excludeOperations?: readonly string[]
  readonly maxTools: number
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
const MAX_TITLE = 80
const MAX_SUMMARY = 1024

type Version = 2 | 3
type Writable<T> = { -readonly [key in keyof T]: T[key] }
type Operation = {
  readonly method: string
  readonly path: string
  readonly item: JsonRecord
  readonly operation: JsonRecord
}
type Source = {
  readonly document: JsonRecord
  readonly version: Version
  readonly references: References
  /** Of results: a document that only they refer to is not needed. */
  readonly answers: References
  readonly options: OpenapiOptions
  readonly server: Server | undefined
}

export function discoverOpenapi(parsed: unknown, options: OpenapiOptions): Discovery {
  const document = asObject(parsed)
  const version = versionOf(document)
  const { documentUrl, documents = {} } = options
  const library = { url: documentUrl, documents: new Map(Object.entries(documents).map(readable)) }
  const refs = references(document, library)
  const { operations, skipped } = operationsOf(document, refs)
  const selected = operations.filter((operation) => {
    const reason = excluded(operation, options)
    if (reason !== undefined) skipped.push({ operation: labelOf(operation), reason })
    return reason === undefined
  })
  const server = mainServer(document, version, options.documentUrl, selected)
  const source: Source = {
    document,
    version,
    references: refs,
    answers: references(document, library),
    options,
    server,
  }
  const takeName = uniqueNames()
  const warnings: string[] = []
  refuseTooMany(selected.length, options.maxTools)
  const tools = selected.map((operation) => {
    const made = toolOf(source, operation, takeName)
    for (const warning of made.warnings) warnings.push(`${labelOf(operation)}: ${warning}`)
    return made.tool
  })
  const hint = securityHint(document)
  if (hint !== undefined) warnings.push(described(hint))
  const elsewhere = tools.filter((tool) => tool.baseUrl !== undefined).length
  if (elsewhere > 0) warnings.push(`${elsewhere} operations live on another server than the rest of the API.`)
  const foreign = [...refs.foreign]
  for (const name of foreign.slice(0, 5))
    warnings.push(`The document refers to ${name}, which was not read: what it describes is left open.`)
  const title = cut(cleanLabel(String(get(get(document, 'info'), 'title') ?? '')), MAX_TITLE)
  const found = {
    tools,
    skipped,
    warnings: summary(warnings),
    ...(title === '' ? {} : { title }),
    ...(server === undefined ? {} : server),
  }
  // The caller may read the other documents: only then nothing is an error.
  return foreign.length > 0 ? { ...found, foreign } : bounded(found, options.maxTools, NO_OPERATION)
}

/** A document that cannot be parsed counts as missing. */
function readable([url, text]: readonly [string, string]): readonly [string, unknown] {
  try {
    return [url, rebase(parseText(text).value, url)]
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return [url, undefined]
  }
}

function summary(warnings: readonly string[]): readonly string[] {
  const unique = [...new Set(warnings)].map((warning) => cut(cleanLabel(warning), 400))
  return unique.length <= 50 ? unique : [...unique.slice(0, 50), `and ${unique.length - 50} more warnings`]
}

function asObject(document: unknown): JsonRecord {
  if (isRecord(document)) return document
  throw discoveryError(
    'convert',
    'The document is not an object: an OpenAPI document begins with "openapi" or "swagger".',
  )
}

function versionOf(document: JsonRecord): Version {
  const openapi = scalarOf(document.openapi)
  if (/^3(?:\.|$)/.test(openapi)) return 3
  if (/^2(?:\.|$)/.test(scalarOf(document.swagger))) return 2
  if (isRecord(document.data) && isRecord(document.data.__schema)) {
    throw discoveryError('convert', 'This is a GraphQL introspection result: register the endpoint as graphql_url.')
  }
  if (isRecord(document.info) && Array.isArray(document.item)) {
    throw discoveryError('convert', 'This is a request collection: register it as client_collection.')
  }
  if (openapi !== '')
    throw discoveryError(
      'convert',
      `OpenAPI ${cleanLabel(openapi).slice(0, 20)} is not supported: 2.0, 3.0 and 3.1 are.`,
    )
  throw discoveryError('convert', 'The document names no OpenAPI version: "openapi: 3.x" or "swagger: 2.0" is missing.')
}

function operationsOf(document: unknown, refs: References): { operations: Operation[]; skipped: Skipped[] } {
  const operations: Operation[] = []
  const skipped: Skipped[] = []
  for (const [path, value] of entriesOf(get(document, 'paths'))) {
    if (path.startsWith('x-')) continue
    const item = refs.follow(value)
    if (!item.ok || !isRecord(item.value)) {
      if (!item.ok) skipped.push({ operation: path, reason: item.reason })
      continue
    }
    for (const method of METHODS) {
      const operation = item.value[method]
      if (isRecord(operation)) operations.push({ method: method.toUpperCase(), path, item: item.value, operation })
    }
    if (isRecord(item.value.trace)) skipped.push({ operation: `TRACE ${path}`, reason: 'TRACE never becomes a tool' })
  }
  return { operations, skipped }
}

function labelOf({ method, path }: Operation): string {
  return cut(cleanLabel(`${method} ${path}`), 300)
}

function excluded(entry: Operation, { includeTags, excludeOperations }: OpenapiOptions): string | undefined {
  const { method, path, operation, item } = entry
  if (operation['x-internal'] === true || item['x-internal'] === true) return 'marked x-internal'
  const id = textOf(operation.operationId)?.trim()
  const isThis = (name: string) =>
    name === id || name.replace(/^\S+/, (verb) => verb.toUpperCase()) === `${method} ${path}`
  if (excludeOperations?.some(isThis) === true) return 'listed in exclude_operations'
  if (includeTags === undefined || includeTags.length === 0) return undefined
  return textsOf(operation.tags).some((tag) => includeTags.includes(tag)) ? undefined : 'has none of include_tags'
}

function mainServer(
  document: unknown,
  version: Version,
  documentUrl: string | undefined,
  operations: readonly Operation[],
): Server | undefined {
  if (version === 2) return legacyServerOf(document, documentUrl)
  const own = serverOf(get(document, 'servers'), documentUrl)
  if (own !== undefined) return own
  const servers = operations.map((operation) => ownServer(operation, documentUrl))
  // A document without servers means the place it was read from, unless none of its operations lives there.
  const elsewhere = servers.every((server) => server?.baseUrl !== undefined) ? servers[0] : undefined
  return elsewhere ?? serverOf([{ url: '/' }], documentUrl)
}

function ownServer({ operation, item }: Operation, documentUrl: string | undefined): Server | undefined {
  return serverOf(operation.servers, documentUrl) ?? serverOf(item.servers, documentUrl)
}

function toolOf(
  source: Source,
  entry: Operation,
  takeName: (wanted: string) => string,
): { tool: DiscoveredTool; warnings: readonly string[] } {
  const { method, path, operation } = entry
  const parameters = parametersOf(source.references, [entry.item.parameters, operation.parameters])
  const template = templateOf(path)
  const { usable, warnings } = forTemplate(parameters.arguments, template.names)
  const taken = new Set(usable.map((argument) => argument.name))
  const body = bodyResult(source, operation, parameters.bodyParameters, taken)
  const all = [...usable, ...(body.found?.arguments ?? [])]
  const byWire = new Map(
    usable.filter(({ place }) => place.in === 'path').map((argument) => [argument.place.name, argument.name]),
  )
  const open = body.found?.open ?? false
  const sourceName = cleanLabel(textOf(operation.operationId)?.trim() ?? pathName(method, path))
  const summaryText = textOf(operation.summary)
  const title = summaryText === undefined ? undefined : described(summaryText).trim()
  const server = source.version === 3 ? ownServer(entry, source.options.documentUrl) : undefined
  const elsewhere = server?.baseUrl !== undefined && server.baseUrl !== source.server?.baseUrl
  const fixedQuery = template.query(byWire)
  const tags = textsOf(operation.tags)
  const resultSchema = resultOf(source, operation)
  // Assigned below, because each part that is spread into a literal copies it.
  const tool = {
    name: takeName(usableName(sourceName) ? keepName(sourceName) : pathName(method, path)),
    sourceName: cut(sourceName, 256),
    description: descriptionOf(operation, `${method} ${path}`),
  } as Writable<DiscoveredTool>
  if (title !== undefined && title !== '' && title.length <= MAX_TITLE) tool.title = title
  tool.method = method
  tool.endpoint = cut(cleanLabel(path), 2048)
  tool.path = template.path(byWire)
  if (fixedQuery.length > 0) tool.fixedQuery = fixedQuery
  if (elsewhere) tool.baseUrl = server.baseUrl
  tool.inputSchema = { ...schemaOfArguments(all), ...(open === false ? {} : { additionalProperties: open }) }
  tool.places = Object.fromEntries(all.map(({ name, place }): [string, Place] => [name, place]))
  if (resultSchema !== undefined) tool.resultSchema = resultSchema
  if (open !== false) tool.undeclared = 'body'
  if (body.found !== undefined) tool.body = body.found.body
  if (tags.length > 0) tool.tags = tags.map((tag) => described(tag, 128))
  if (operation.deprecated === true) tool.deprecated = true
  return { tool, warnings: [...parameters.warnings, ...warnings, ...body.warnings] }
}

/** Of the first answer of success that is a JSON object. */
function resultOf({ answers: refs, version }: Source, operation: JsonRecord): string | undefined {
  const code = entriesOf(operation.responses).find(([status]) => /^2(?:\d\d|XX)$/i.test(status))?.[1]
  const target = refs.follow(code)
  if (!target.ok) return undefined
  const json = entriesOf(get(target.value, 'content')).find(([type]) =>
    /^application\/(?:[\w.-]+\+)?json\b/i.test(type),
  )
  const schema = version === 2 ? get(target.value, 'schema') : get(json?.[1], 'schema')
  return schema === undefined ? undefined : resultSchemaText(refs, schema)
}

function usableName(sourceName: string): boolean {
  return /[A-Za-z0-9]/.test(sourceName)
}

function bodyResult(
  source: Source,
  operation: JsonRecord,
  legacy: readonly JsonRecord[],
  taken: ReadonlySet<string>,
): BodyResult {
  if (source.version === 3) return requestBodyOf(source.references, operation.requestBody, taken)
  const consumes = operation.consumes ?? source.document.consumes
  return legacyBodyOf(source.references, legacy, textsOf(listOf(consumes)), taken)
}

/** The template has the last word: what it names is an argument, and only what it names is one. */
function forTemplate(
  list: readonly Argument[],
  names: ReadonlySet<string>,
): { usable: readonly Argument[]; warnings: readonly string[] } {
  const inPath = (argument: Argument) => argument.place.in === 'path'
  const kept = list.filter((argument) => !inPath(argument) || names.has(argument.place.name))
  const known = new Set(kept.filter(inPath).map((argument) => argument.place.name))
  const taken = new Set(kept.map((argument) => argument.name))
  const added = [...names].filter((name) => !known.has(name) && !taken.has(name)).map(textInPath)
  const warnings = [
    ...list.filter((argument) => !kept.includes(argument)).map(({ place }) => `the path has no {${place.name}}`),
    ...added.map(({ name }) => `{${name}} is not declared as a parameter; it is taken as text`),
  ]
  return { usable: [...added, ...kept], warnings }
}

function descriptionOf(operation: JsonRecord, fallback: string): string {
  const summaryText = textOf(operation.summary)
  if (summaryText !== undefined) return described(summaryText)
  const description = textOf(operation.description)
  return described(description === undefined ? fallback : cut(description, MAX_SUMMARY))
}
