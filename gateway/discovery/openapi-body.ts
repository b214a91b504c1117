// The body of an operation as arguments: merged at top level when it is an object, else one argument `body`.

import { described } from './described.ts'
import { freeName } from './names.ts'
import { describe } from './openapi-parameters.ts'
import { entriesOf, get, isRecord, type JsonRecord, listOf, textOf, textsOf } from './record.ts'
import type { References } from './references.ts'
import { fileSchema, inputSchemaOf, withoutSilentDefault } from './schema.ts'
import type { Argument, Body, JsonSchema, Place, Style } from './tool.ts'

export type BodyArguments = {
  readonly body: Body
  readonly arguments: readonly Argument[]
  /** The body takes more than it declares. */
  readonly open: boolean | JsonSchema
}

export type BodyResult = { readonly found?: BodyArguments; readonly warnings: readonly string[] }

const MEDIA_TYPE = /^[\w.+*-]+\/[\w.+*-]+(?:\s*;[\x20-\x7e]*)?$/
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
const ANYTHING = /^(?:\*|application)\/\*/
const PREFERENCE: readonly RegExp[] = [
  /^application\/json\b/i,
  /\+json\b|\/json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  ANYTHING,
  /^text\/plain\b/i,
]
// Bodies that are text by their type; any other raw body may be bytes.
const TEXT_TYPE = /^text\/|\b(?:xml|yaml|json|javascript|graphql|sdp|csv|sql)\b/i
const FORM_STYLES: readonly Style[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']

/** OpenAPI 3. */
export function requestBodyOf(references: References, requestBody: unknown, taken: ReadonlySet<string>): BodyResult {
  if (requestBody === undefined) return { warnings: [] }
  const target = references.follow(requestBody)
  if (!target.ok) return { warnings: [`the body was left out: ${target.reason}`] }
  const types = entriesOf(get(target.value, 'content')).filter(([type]) => MEDIA_TYPE.test(type))
  // Forms without a declared field say nothing: any other type says more.
  const telling =
    types.length === 1
      ? types
      : types.filter(([type, content]) => !isForm(type) || hasFields(references, get(content, 'schema')))
  const chosen = preferred((telling.length > 0 ? telling : types).map(([type]) => type))
  if (chosen === undefined || !isRecord(target.value)) return { warnings: [] }
  const content = types.find(([type]) => type === chosen)?.[1]
  const schema = get(content, 'schema')
  const bytes = ANYTHING.test(chosen) && isFile(references, schema)
  const source: Source = {
    schema,
    encoding: get(content, 'encoding'),
    mediaType: bytes ? 'application/octet-stream' : concrete(chosen),
    required: target.value.required === true,
    description: textOf(target.value.description),
  }
  return { found: bodyArguments(references, source, taken), warnings: [] }
}

/** Swagger 2.0: one `in: body`, or some `in: formData`. */
export function legacyBodyOf(
  references: References,
  parameters: readonly JsonRecord[],
  consumes: readonly string[],
  taken: ReadonlySet<string>,
): BodyResult {
  const whole = parameters.find((parameter) => parameter.in === 'body')
  const types = consumes.filter((type) => MEDIA_TYPE.test(type))
  if (whole !== undefined) {
    const structured = types.filter((type) => type !== FORM && type !== MULTIPART)
    const source: Source = {
      schema: whole.schema,
      encoding: undefined,
      mediaType: concrete(preferred(structured) ?? 'application/json'),
      required: whole.required === true,
      description: textOf(whole.description),
    }
    return { found: bodyArguments(references, source, taken), warnings: [] }
  }
  const fields = parameters.filter((parameter) => parameter.in === 'formData' && parameter.name !== '__proto__')
  if (fields.length === 0) return { warnings: [] }
  const hasFile = fields.some((field) => field.type === 'file')
  const mediaType = hasFile || (types.includes(MULTIPART) && !types.includes(FORM)) ? MULTIPART : FORM
  const used = new Set(taken)
  const list = fields.map((field): Argument => {
    const name = bodyName(String(field.name), used)
    const { required: _required, in: _in, name: _name, ...schema } = field
    const place: Place = { in: 'body', name: String(field.name), ...legacyFieldStyle(field) }
    const described = describe(field, inputSchemaOf(references, schema))
    const converted = field.type === 'file' ? fileSchema(described) : described
    return {
      name,
      schema: withoutSilentDefault(converted, field.required === true),
      required: field.required === true,
      place,
    }
  })
  const body: Body = { encoding: mediaType === MULTIPART ? 'multipart' : 'form', mediaType, merged: true }
  return { found: { body, arguments: list, open: false }, warnings: [] }
}

function legacyFieldStyle(field: JsonRecord): Partial<Place> {
  if (field.type === 'file') return { binary: true }
  if (field.type !== 'array') return {}
  return field.collectionFormat === 'multi' ? { style: 'form', explode: true } : { style: 'form', explode: false }
}

type Source = {
  readonly schema: unknown
  readonly encoding: unknown
  readonly mediaType: string
  readonly required: boolean
  readonly description: string | undefined
}

function preferred(types: readonly string[]): string | undefined {
  for (const pattern of PREFERENCE) {
    const match = types.find((type) => pattern.test(type))
    if (match !== undefined) return match
  }
  return types[0]
}

const isForm = (mediaType: string): boolean => encodingOf(mediaType) === 'form' || encodingOf(mediaType) === 'multipart'

/** A form body that is a list is one of files. */
function hasFields(references: References, schema: unknown): boolean {
  const { type, properties, oneOf, anyOf } = inputSchemaOf(references, schema)
  return entriesOf(properties).length > 0 || type === 'array' || oneOf !== undefined || anyOf !== undefined
}

function concrete(mediaType: string): string {
  if (ANYTHING.test(mediaType)) return 'application/json'
  return mediaType.replace(/^text\/\*/, 'text/plain').replace(/^([a-z]+)\/\*/i, 'application/octet-stream')
}

function encodingOf(mediaType: string): Body['encoding'] {
  if (/^application\/x-www-form-urlencoded\b/i.test(mediaType)) return 'form'
  if (/^multipart\//i.test(mediaType)) return 'multipart'
  return /\/json\b|\+json\b/i.test(mediaType) ? 'json' : 'raw'
}

function bodyArguments(references: References, source: Source, taken: ReadonlySet<string>): BodyArguments {
  const encoding = encodingOf(source.mediaType)
  const schema = inputSchemaOf(references, source.schema)
  const properties = encoding === 'raw' ? undefined : mergeable(schema)
  if (properties === undefined) return wholeBody(source, encoding, schema, taken)
  const needed = new Set(source.required ? textsOf(schema.required) : [])
  const used = new Set(taken)
  const list = entriesOf(properties).map(([wire, property]): Argument => {
    const name = bodyName(wire, used)
    const place: Place = { in: 'body', name: wire, ...partEncoding(references, source, encoding, wire) }
    // An optional body may still have required properties: their defaults are then not sent either.
    const written = isRecord(property) ? property : {}
    const own = place.binary === true ? fileSchema(written) : written
    const required = needed.has(wire)
    return { name, schema: withoutSilentDefault(own, required), required, place }
  })
  const { additionalProperties } = schema
  const open = additionalProperties === true || isRecord(additionalProperties) ? additionalProperties : false
  const body: Body = {
    encoding,
    mediaType: source.mediaType,
    merged: true,
    ...(source.required ? { required: true } : {}),
  }
  return { body, arguments: list, open }
}

function bodyName(wire: string, used: Set<string>): string {
  const name = used.has(wire) ? freeName(`body_${wire}`, used) : wire
  used.add(name)
  return name
}

/** Alternatives cannot stand at the top of an input schema; those that only choose what is required may be left to the server. */
function mergeable(schema: JsonSchema): JsonSchema | undefined {
  const type = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (!type.includes('object') || !isRecord(schema.properties)) return undefined
  if (Object.keys(schema.properties).length === 0) return undefined
  const branches = [schema.oneOf, schema.anyOf, schema.allOf].flatMap(listOf)
  const harmless = branches.every(
    (branch) => isRecord(branch) && Object.keys(branch).every((key) => key === 'required'),
  )
  return harmless ? schema.properties : undefined
}

function wholeBody(
  source: Source,
  encoding: Body['encoding'],
  schema: JsonSchema,
  taken: ReadonlySet<string>,
): BodyArguments {
  const name = freeName(taken.has('body') ? 'body_body' : 'body', taken)
  const description = schema.description === undefined && source.description !== undefined
  const explained = description ? { ...schema, description: described(source.description ?? '') } : schema
  const text = /\bxml\b/i.test(source.mediaType)
    ? { type: 'string', description: `A document of type ${source.mediaType}.` }
    : {}
  const parts = encoding === 'multipart' && (schema.format === 'binary' || get(schema.items, 'format') === 'binary')
  const binary = parts || (encoding === 'raw' && !TEXT_TYPE.test(source.mediaType))
  // A part needs a name, and a body that is a list of files declares none.
  const place: Place = { in: 'body', name: parts ? 'file' : 'body', whole: true, ...(binary ? { binary } : {}) }
  const typed = encoding === 'raw' && explained.type === undefined ? { type: 'string', ...explained } : explained
  const final = withoutSilentDefault(
    Object.keys(text).length > 0 ? text : binary ? fileSchema(typed) : typed,
    source.required,
  )
  const body: Body = { encoding, mediaType: source.mediaType, merged: false }
  return { body, arguments: [{ name, schema: final, required: source.required, place }], open: false }
}

function partEncoding(
  references: References,
  source: Source,
  encoding: Body['encoding'],
  name: string,
): Partial<Place> {
  if (encoding === 'json') return {}
  const declared = get(source.encoding, name)
  const style = FORM_STYLES.find((known) => known === get(declared, 'style'))
  const explode = get(declared, 'explode')
  const type = textOf(get(declared, 'contentType'))?.split(',')[0]?.trim()
  const file = encoding === 'multipart' && isFilePart(references, source.schema, name)
  return {
    ...(style === undefined ? {} : { style }),
    ...(typeof explode === 'boolean' ? { style: style ?? 'form', explode } : {}),
    ...(style === undefined && type !== undefined && MEDIA_TYPE.test(type) && !type.includes('*')
      ? { contentType: type }
      : {}),
    ...(file ? { binary: true as const } : {}),
  }
}

function isFilePart(references: References, schema: unknown, name: string): boolean {
  const body = followed(references, schema)
  const bodies = [body, ...listOf(get(body, 'allOf')).map((part) => followed(references, part))]
  const property = bodies.map((each) => get(get(each, 'properties'), name)).find((found) => found !== undefined)
  const { items, type } = record(followed(references, property))
  return isFile(references, type === 'array' ? items : property)
}

/** Bytes, by what its schema says. */
function isFile(references: References, schema: unknown): boolean {
  const { format, contentMediaType } = record(followed(references, schema))
  return format === 'binary' || textOf(contentMediaType) !== undefined
}

const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

function followed(references: References, value: unknown): unknown {
  const target = references.follow(value)
  return target.ok ? target.value : undefined
}
