// The schema of a result as JSON text: types and fields without descriptions. Never stricter than its source, because
// official clients reject a result that does not match.
import { hidesText } from '../text/clean.ts'
import { entriesOf, isRecord, type JsonRecord, listOf, textsOf } from './record.ts'
import type { References } from './references.ts'
import { isClean, typesOf } from './schema.ts'

/** The size limits of a schema with nested fields, and of the outermost fields alone. */
const BUDGET = 2 * 1024
const MOST = 32 * 1024
const MOST_LEVELS = 6
const MOST_NESTING = 64
const MOST_PARTS = 100
const MOST_CHOICES = 100
const MOST_NAME = 256
const ANY = '{}'
const OBJECT = '{"type":"object"}'
/** Keywords whose values are schemas. */
const HOLDING = ['properties', 'items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']

/** A schema together with the parts that `allOf` adds to it. */
type Whole = {
  readonly type: string | readonly string[] | undefined
  readonly nullable: boolean
  /** By their names as JSON, with a colon. */
  readonly fields: readonly (readonly [string, unknown])[]
  readonly required: string
  readonly items: unknown
  readonly choices: readonly unknown[]
  readonly others: unknown
}
type Writer = {
  readonly references: References
  /** By how many levels of fields are written. */
  readonly texts: Map<JsonRecord, (string | undefined)[]>
  readonly wholes: Map<JsonRecord, Whole>
}

const writers = new WeakMap<References, Writer>()

/** With as many levels of fields as the budget permits. A list or a value is no structured content: undefined. */
export function resultSchemaText(references: References, schema: unknown): string | undefined {
  const writer = writers.get(references) ?? { references, texts: new Map(), wholes: new Map() }
  writers.set(references, writer)
  const root = references.valueOf(schema)
  if (!isRecord(root)) return undefined
  const { type, nullable } = wholeOf(writer, root)
  if (type !== 'object' || nullable) return undefined
  let text = written(writer, root, 1, 0) ?? OBJECT
  for (let levels = 2; levels <= MOST_LEVELS && text.length <= BUDGET / 2; levels++) {
    const deeper = written(writer, root, levels, 0)
    if (deeper === undefined || deeper.length > BUDGET || deeper === text) break
    text = deeper
  }
  return text
}

const isNullable = (schema: JsonRecord): boolean => schema.nullable === true || schema['x-nullable'] === true

function wholeOf(writer: Writer, schema: JsonRecord): Whole {
  const known = writer.wholes.get(schema)
  if (known !== undefined) return known
  const parts = partsOf(writer, schema)
  const declared = entriesOf(schema.properties)
  const fields = new Map(parts.length === 1 ? declared : parts.flatMap((part) => entriesOf(part.properties)))
  for (const [name, field] of fields) {
    const value = writer.references.valueOf(field)
    if ((isRecord(value) && value.writeOnly === true) || name.length > MOST_NAME || hidesText(name)) fields.delete(name)
  }
  const required = [...new Set(parts.flatMap((part) => textsOf(part.required)))].filter((name) => fields.has(name))
  const made: Whole = {
    type: parts.map(typesOf).find((type) => type !== undefined),
    nullable: parts.every(isNullable),
    fields: [...fields].map(([name, field]) => [`${JSON.stringify(name)}:`, field]),
    required: required.length === 0 ? '' : `"required":${JSON.stringify(required)}`,
    items: parts.find(({ items }) => isRecord(items))?.items,
    choices: listOf(parts.map(({ anyOf, oneOf }) => anyOf ?? oneOf).find(Array.isArray)),
    others: parts.find(({ additionalProperties }) => isRecord(additionalProperties))?.additionalProperties,
  }
  writer.wholes.set(schema, made)
  return made
}

/** A schema and all that `allOf` adds to it, each once. */
function partsOf({ references }: Writer, schema: JsonRecord): readonly JsonRecord[] {
  if (schema.allOf === undefined) return [schema]
  const parts = new Set([schema])
  for (const part of parts) {
    for (const each of listOf(part.allOf)) {
      const value = references.valueOf(each)
      if (isRecord(value) && parts.size < MOST_PARTS) parts.add(value)
    }
  }
  return [...parts]
}

/** Undefined over the size limit. */
function written(writer: Writer, value: unknown, levels: number, nesting: number): string | undefined {
  const schema = writer.references.valueOf(value)
  if (!isRecord(schema)) return ANY
  if (!HOLDING.some((key) => schema[key] !== undefined)) return valueText(schema)
  const texts = writer.texts.get(schema) ?? []
  writer.texts.set(schema, texts)
  if (levels in texts) return texts[levels]
  // What is inside itself without a level in between, or far inside others, is left open.
  texts[levels] = ANY
  if (nesting < MOST_NESTING) texts[levels] = compoundText(writer, wholeOf(writer, schema), levels, nesting)
  return texts[levels]
}

function compoundText(writer: Writer, whole: Whole, levels: number, nesting: number): string | undefined {
  const { type, nullable, fields, required, items, choices, others } = whole
  const most = nesting === 0 ? MOST : BUDGET
  let fits = true
  const textOf = (value: unknown, left: number): string => {
    const text = fits ? written(writer, value, left, nesting + 1) : ANY
    fits &&= text !== undefined || left === 0
    return text ?? ANY
  }
  const members: string[] = []
  if (type !== undefined) members.push(typeText(type, nullable))
  if (items !== undefined) members.push(`"items":${textOf(items, levels)}`)
  if (choices.length > 0) {
    // Not `oneOf`: without what distinguishes branches, two of them may permit the same value.
    const branches = new Set(choices.map((choice) => textOf(choice, levels)))
    if (nullable) branches.add('{"type":"null"}')
    members.push(`"anyOf":[${[...branches].join(',')}]`)
  }
  if (levels > 0) {
    if (fields.length > 0) {
      const texts: string[] = []
      let length = 0
      for (const [name, field] of fields) {
        const text = name + textOf(field, levels - 1)
        length += text.length + 1
        if (!fits || length > most) return undefined
        texts.push(text)
      }
      members.push(`"properties":{${texts.join(',')}}`)
      if (required !== '') members.push(required)
    }
    if (others !== undefined) members.push(`"additionalProperties":${textOf(others, levels - 1)}`)
  }
  const text = `{${members.join(',')}}`
  return fits && text.length <= most ? text : undefined
}

function valueText(schema: JsonRecord): string {
  const nullable = isNullable(schema)
  const type = typesOf(schema)
  const values = schema.enum === undefined && schema.const === undefined ? '' : choiceText(schema, nullable)
  if (type === undefined) return `{${values}}`
  return values === '' ? `{${typeText(type, nullable)}}` : `{${typeText(type, nullable)},${values}}`
}

function typeText(type: string | readonly string[], nullable: boolean): string {
  if (typeof type === 'string') return nullable ? `"type":["${type}","null"]` : `"type":"${type}"`
  return `"type":${JSON.stringify([...new Set([...type, ...(nullable ? ['null'] : [])])])}`
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' && isClean(value)

/** Only where all of them can be written. */
function choiceText({ const: only, enum: values }: JsonRecord, nullable: boolean): string {
  const choices = only === undefined ? listOf(values) : [only]
  if (choices.length === 0 || choices.length > MOST_CHOICES) return ''
  const known = choices.filter((each) => each !== null)
  if (!known.every(isScalar)) return ''
  return `"enum":${JSON.stringify(nullable || known.length < choices.length ? [...known, null] : known)}`
}
