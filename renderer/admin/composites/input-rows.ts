// The input schema of a composite as rows of a form, and back; other keywords are kept. Pure.

import { t } from '../../language/language.ts'
import { isRecord, type JsonSchema } from '../../ui/form/shape.ts'
import { jsonIn } from './draft.ts'

export type InputKind = 'text' | 'number' | 'whole' | 'flag' | 'choice' | 'texts' | 'other'
export type InputRow = {
  readonly name: string
  readonly kind: InputKind
  readonly required: boolean
  readonly property: JsonSchema
  /** Keywords that only the JSON shows. */
  readonly others: readonly string[]
}

const SCHEMAS: Readonly<Record<Exclude<InputKind, 'other'>, JsonSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  whole: { type: 'integer' },
  flag: { type: 'boolean' },
  choice: { type: 'string', enum: [] },
  texts: { type: 'array', items: { type: 'string' } },
}
const IN_A_ROW = new Set(['type', 'description', 'default', 'enum', 'items'])

function kindOf(property: JsonSchema): InputKind {
  const { type, enum: options, items } = property
  if (['$ref', 'oneOf', 'anyOf', 'allOf', 'const'].some((key) => key in property)) return 'other'
  if (options !== undefined)
    return Array.isArray(options) && options.every((each) => typeof each === 'string') ? 'choice' : 'other'
  if (type === 'array') return JSON.stringify(items) === JSON.stringify(SCHEMAS.texts.items) ? 'texts' : 'other'
  const plain = { string: 'text', number: 'number', integer: 'whole', boolean: 'flag' } as const
  return Object.entries(plain).find(([name]) => name === type)?.[1] ?? 'other'
}

type ObjectSchema = JsonSchema & { readonly properties: JsonSchema; readonly required: readonly unknown[] }

function schemaIn(text: string): ObjectSchema | undefined {
  const schema = jsonIn(text)?.value
  if (!isRecord(schema) || !isRecord(schema.properties ?? {})) return undefined
  const required = schema.required ?? []
  if (!Array.isArray(required)) return undefined
  return { ...schema, properties: isRecord(schema.properties) ? schema.properties : {}, required }
}

/** Undefined for what rows cannot show. */
export function rowsOf(text: string): readonly InputRow[] | undefined {
  const schema = schemaIn(text)
  if (!schema) return undefined
  const rows = Object.entries(schema.properties).map(([name, property]): InputRow | undefined =>
    isRecord(property)
      ? {
          name,
          kind: kindOf(property),
          required: schema.required.includes(name),
          property,
          others: Object.keys(property).filter((key) => !IN_A_ROW.has(key)),
        }
      : undefined,
  )
  return rows.every((row) => row !== undefined) ? rows : undefined
}

/** The rows as a schema again, with the keywords beside its properties. */
export function withRows(text: string, rows: readonly InputRow[]): string {
  const { required: _required, ...schema } = schemaIn(text) ?? { type: 'object', required: [] }
  const required = rows.filter((row) => row.required).map(({ name }) => name)
  const properties = Object.fromEntries(rows.map(({ name, property }) => [name, property]))
  return JSON.stringify({ ...schema, properties, ...(required.length > 0 && { required }) }, null, 2)
}

/** The row as another kind: its words stay, its bounds and default go. */
export function ofKind(row: InputRow, kind: Exclude<InputKind, 'other'>): InputRow {
  const { title, description } = row.property
  const words = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
  return { ...row, kind, property: { ...SCHEMAS[kind], ...words } }
}

/** The row with a keyword set, or removed. */
export function withKeyword(row: InputRow, key: string, value: unknown): InputRow {
  const { [key]: _before, ...rest } = row.property
  return { ...row, property: value === undefined || value === '' ? rest : { ...rest, [key]: value } }
}

export function newRow(rows: readonly InputRow[]): InputRow {
  const taken = new Set(rows.map(({ name }) => name))
  let number = rows.length + 1
  while (taken.has(`field${number}`)) number += 1
  return { name: `field${number}`, kind: 'text', required: false, property: SCHEMAS.text, others: [] }
}

/** The problem of a name; numbers would be sorted before the others. */
export function nameProblem(name: string, others: readonly string[]): string | undefined {
  if (name === '') return t('Enter a name')
  if (/^\d|[.\s{}]/.test(name)) return t('Letters first, without dots, spaces or braces')
  return others.includes(name) ? t('“{name}” is another input', { name }) : undefined
}
