// The parameters of an operation: path level and operation level merged, each with its place in the request.

import { cleanLabel, hidesText } from '../text/clean.ts'
import { described } from './described.ts'
import { isForbiddenHeader, isToken } from './headers.ts'
import { freeName } from './names.ts'
import { get, isRecord, type JsonRecord, listOf, scalarOf, textOf } from './record.ts'
import type { References } from './references.ts'
import { inputSchemaOf, withoutSilentDefault } from './schema.ts'
import type { Argument, JsonSchema, Place, Style } from './tool.ts'

export type ParameterSet = {
  readonly arguments: readonly Argument[]
  /** `in: body` and `in: formData` of Swagger 2.0. */
  readonly bodyParameters: readonly JsonRecord[]
  readonly warnings: readonly string[]
}

const ORDER = ['path', 'query', 'header', 'cookie'] as const
type Where = (typeof ORDER)[number]
const STYLES: Readonly<Record<Where, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

export function parametersOf(references: References, levels: readonly unknown[]): ParameterSet {
  const merged = new Map<string, JsonRecord>()
  const warnings: string[] = []
  for (const parameter of levels.flatMap(listOf)) {
    const target = references.follow(parameter)
    if (!target.ok) warnings.push(`a parameter was left out: ${target.reason}`)
    else if (isRecord(target.value) && textOf(target.value.name) !== undefined) {
      merged.set(`${scalarOf(target.value.in)} ${textOf(target.value.name)}`, target.value)
    }
  }
  const all = [...merged.values()]
  const placed = ORDER.flatMap((where) => all.filter((parameter) => parameter.in === where))
  const usable = placed.filter((parameter) => {
    const reason = unusable(parameter)
    if (reason !== undefined) warnings.push(reason)
    return reason === undefined
  })
  return {
    arguments: withNames(usable.map((parameter) => sharedArgument(references, parameter))),
    bodyParameters: all.filter((parameter) => parameter.in === 'body' || parameter.in === 'formData'),
    warnings,
  }
}

function unusable(parameter: JsonRecord): string | undefined {
  const name = String(parameter.name)
  if (name === '__proto__' || name.length > 256 || hidesText(name)) {
    return `a parameter named ${cleanLabel(name).slice(0, 64)} was left out: its name is not usable`
  }
  if (parameter.in === 'header') {
    // OpenAPI gives these three to the media type and the credential; the rest frame or route the message.
    if (/^(?:accept|content-type|authorization)$/i.test(name)) {
      return `the header parameter ${name} was left out: the gateway sets it`
    }
    if (isForbiddenHeader(name)) return `the header parameter ${name.slice(0, 64)} was left out: a tool may not set it`
  }
  if (parameter.in === 'cookie' && !isToken(name)) return `the cookie parameter ${name.slice(0, 64)} has no usable name`
  return undefined
}

const shared = new WeakMap<References, Map<JsonRecord, Argument>>()

/** A parameter that many operations have is read once. */
function sharedArgument(references: References, parameter: JsonRecord): Argument {
  const known = shared.get(references) ?? new Map<JsonRecord, Argument>()
  shared.set(references, known)
  const made = known.get(parameter) ?? argumentOf(references, parameter)
  known.set(parameter, made)
  return made
}

function argumentOf(references: References, parameter: JsonRecord): Argument {
  const where = ORDER.find((known) => known === parameter.in) ?? 'query'
  const content = isRecord(parameter.content) ? Object.entries(parameter.content)[0] : undefined
  const required = where === 'path' || parameter.required === true
  const schema = withoutSilentDefault(
    describe(parameter, inputSchemaOf(references, schemaOf(parameter, content?.[1]))),
    required,
  )
  const name = String(parameter.name)
  const place: Place = {
    in: where,
    name,
    ...(content === undefined ? styleOf(parameter, where) : { contentType: content[0] }),
    ...(parameter.allowReserved === true && where === 'query' ? { allowReserved: true } : {}),
  }
  return { name, schema, required, place }
}

// In Swagger 2.0 the parameter is its own schema.
function schemaOf(parameter: JsonRecord, content: unknown): unknown {
  if (content !== undefined) return get(content, 'schema')
  if (parameter.schema !== undefined) return parameter.schema
  const { required: _required, in: _in, name: _name, description: _description, ...schema } = parameter
  return schema
}

export function describe(parameter: JsonRecord, schema: JsonSchema): JsonSchema {
  const description = textOf(parameter.description)
  const marked = parameter.deprecated === true ? { ...schema, deprecated: true } : schema
  return description === undefined ? marked : { ...marked, description: described(description) }
}

function styleOf(parameter: JsonRecord, where: Where): Pick<Place, 'style' | 'explode'> {
  const { collectionFormat } = parameter
  if (typeof collectionFormat === 'string' || parameter.type === 'array') return legacyStyle(collectionFormat)
  const style = STYLES[where].find((known) => known === parameter.style) ?? STYLES[where][0] ?? 'simple'
  const explode = typeof parameter.explode === 'boolean' ? parameter.explode : style === 'form'
  return { style, explode }
}

function legacyStyle(format: unknown): Pick<Place, 'style' | 'explode'> {
  if (format === 'multi') return { style: 'form', explode: true }
  if (format === 'ssv') return { style: 'spaceDelimited', explode: false }
  if (format === 'tsv') return { style: 'tabDelimited', explode: false }
  if (format === 'pipes') return { style: 'pipeDelimited', explode: false }
  return { style: 'form', explode: false }
}

/** The same name in two places is two arguments: the later one says where it goes. */
function withNames(list: readonly Argument[]): readonly Argument[] {
  const taken = new Set<string>()
  return list.map((argument) => {
    let { name } = argument
    if (taken.has(name)) name = freeName(`${argument.place.in}_${name}`, taken)
    taken.add(name)
    return { ...argument, name }
  })
}
