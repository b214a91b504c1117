// The fields of a form, derived from a schema of the contract; the draft over them, and what is sent. Pure.
import type { ReactNode } from 'react'
import { z } from 'zod'
import { t } from '../../language/language.ts'
import { isRecord, type Shape, shapeOf } from './shape.ts'

/** By the path of the field. A text input holds a text; false in place of the text of a stored secret removes the secret. */
export type Draft = Readonly<Record<string, unknown>>
type Text = string | ((draft: Draft) => string)
type Choice = string | { readonly label: string; readonly about?: string }

/** What a drawn field receives. */
export type Control = {
  readonly value: unknown
  readonly draft: Draft
  readonly error: string | undefined
  readonly disabled: boolean
  /** The problem at a path inside the value. */
  readonly problemIn: (inner: string) => string | undefined
  readonly onChange: (value: unknown) => void
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What a form says about a field; kind, bounds, options and defaults follow from the schema. */
export type FieldWords = {
  readonly label: Text
  readonly hint?: Text
  readonly placeholder?: Text
  /** Written as JSON, for any schema. */
  readonly json?: true
  /** Written over several lines. */
  readonly long?: true
  readonly rows?: number
  /** A list of texts: one on each line, or words between commas and spaces, which have `rows` where each starts a line. */
  readonly list?: 'lines' | 'words'
  /** A number is typed in units of this size. */
  readonly unit?: number
  /** A line of its own, in a form of two columns. */
  readonly wide?: true
  /** Half a line, in a form of one column. */
  readonly half?: boolean | ((draft: Draft) => boolean)
  /** An address, a name or an expression: no spelling, no completion. */
  readonly code?: true
  /** An expression whose places matter. */
  readonly mono?: true
  readonly secret?: true
  /** Where the schema has a pattern instead. */
  readonly maxLength?: number
  /** The field in which the gateway reports whether a secret is stored. */
  readonly stored?: string
  /** Of the field while one is stored. */
  readonly storedHint?: string
  /** What its values mean; those that are not named are other spellings. A flag with options is a choice of true, false and unset (''). */
  readonly options?: Readonly<Record<string, Choice>>
  /** Asked for only then. */
  readonly when?: (draft: Draft) => boolean
  /** Sent also while it is not asked for. */
  readonly always?: true
  /** Asked for while the record is new. */
  readonly createOnly?: true
  /** Where it is asked for it is needed, although the schema can do without. */
  readonly needed?: true
  /** The fields that a change of this one empties. */
  readonly resets?: readonly string[]
  /** A problem that is shown while it is being typed. */
  readonly check?: (draft: Draft) => string | undefined
  /** Draws it in place of the control of its kind; its draft is the value itself. */
  readonly draw?: (control: Control) => ReactNode
  /** The stored value as a drawn field holds it. */
  readonly read?: (stored: unknown) => unknown
  /** The value of a drawn field as it is sent; undefined leaves it out. */
  readonly write?: (value: unknown) => unknown
  /** What follows it, such as a preview of what it leads to. */
  readonly below?: (draft: Draft) => ReactNode
}

export type Field = Omit<FieldWords, 'options' | 'maxLength'> & {
  readonly path: string
  readonly kind: 'text' | 'long' | 'number' | 'flag' | 'choice' | 'lines' | 'words' | 'json' | 'value'
  readonly required: boolean
  readonly nullable: boolean
  readonly preset: unknown
  /** Of a number. */
  readonly whole: boolean
  readonly range: string | undefined
  readonly maxLength: number | undefined
  readonly options?: Readonly<Record<string, Choice>>
}
export type FieldTable = Readonly<Record<string, FieldWords>>

/** What every feature may have, and what its row switches. */
const SWITCH = 'enabled'

export const hasSwitch = (schema: z.ZodType): boolean => {
  const shape = shapeIn(schema)
  return shape.kind === 'record' && shape.fields.some(({ name }) => name === SWITCH)
}

const shapeIn = (schema: z.ZodType): Shape => shapeOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))

/** In the order of the table; a field without words comes last, under its own name. */
export function fieldsOf(schema: z.ZodType, table: FieldTable): readonly Field[] {
  const order = Object.keys(table)
  const rank = ({ path }: Field): number => (order.includes(path) ? order.indexOf(path) : order.length)
  return leaves(shapeIn(schema), '', table)
    .filter(({ path }) => path !== SWITCH || path in table)
    .toSorted((a, b) => rank(a) - rank(b))
}

export type Form<T> = {
  readonly schema: z.ZodType<T>
  readonly fields: readonly Field[]
  readonly carried: readonly string[]
}

/** The form over the fields that the table names; the others are carried over from the record. */
export function formOf<T extends Readonly<Record<string, unknown>>>(
  schema: z.ZodType<T>,
  table: { readonly [K in keyof T]?: FieldWords },
): Form<T> {
  const words: FieldTable = { ...table } as FieldTable // no field is named to be undefined
  const shape = shapeIn(schema)
  const names = shape.kind === 'record' ? shape.fields.map(({ name }) => name) : []
  return {
    schema,
    fields: fieldsOf(schema, words).filter(({ path }) => path in words),
    carried: names.filter((name) => !(name in words)),
  }
}

function leaves(shape: Shape, prefix: string, table: FieldTable): readonly Field[] {
  if (shape.kind !== 'record') return []
  return shape.fields.flatMap(({ name, required, shape: own }) => {
    const path = `${prefix}${name}`
    const words = table[path] ?? { label: path }
    if (own.kind === 'record' && !words.json && !words.draw) return leaves(own, `${path}.`, table)
    const { nullable, preset } = own
    return [{ ...words, path, required: required || words.needed === true, nullable, preset, ...drawn(own, words) }]
  })
}

type Drawn = Pick<Field, 'kind' | 'whole' | 'range' | 'maxLength' | 'options' | 'write'>

function drawn(shape: Shape, { json, long, list, unit = 1, options, draw, maxLength }: FieldWords): Drawn {
  const plain = { whole: false, range: undefined, maxLength }
  if (draw) return { ...plain, kind: 'value' }
  if (json) return { ...plain, kind: 'json' }
  switch (shape.kind) {
    case 'number': {
      const ends = shape.min === undefined && shape.max === undefined
      const [min, max] = [shape.min, shape.max].map((end) => (end === undefined ? '…' : end / unit))
      const range = ends ? undefined : `${min} to ${max}`
      return { ...plain, kind: 'number', whole: shape.whole && unit === 1, range }
    }
    case 'text':
      return { ...plain, kind: long ? 'long' : 'text', maxLength: maxLength ?? shape.maxLength }
    case 'flag':
      return options
        ? { ...plain, kind: 'choice', options, write: (value) => value === 'true' }
        : { ...plain, kind: 'flag' }
    case 'choice':
      return {
        ...plain,
        kind: 'choice',
        options: options ?? Object.fromEntries(shape.options.map((each) => [String(each), String(each)])),
      }
    case 'union':
      // A text that may be empty, or one of several forms of a text.
      return { ...plain, kind: shape.branches.every(isText) ? 'text' : 'json' }
    case 'list':
      return { ...plain, kind: list ?? 'json' }
    default:
      return { ...plain, kind: 'json' }
  }
}

const isText = (shape: Shape): boolean =>
  shape.kind === 'text' || (shape.kind === 'choice' && shape.options.every((option) => typeof option === 'string'))

/** What is stored; in a new record the values it starts with, or the defaults. */
export function draftOf(fields: readonly Field[], record: unknown, fresh?: unknown): Draft {
  return Object.fromEntries(
    fields.map((field) => {
      const stored = record ? at(record, field.path) : (at(fresh, field.path) ?? field.preset)
      return [field.path, typed(field, stored)]
    }),
  )
}

function typed({ kind, required, options, read, unit, rows }: Field, value: unknown): unknown {
  if (read) return read(value)
  if (kind === 'flag') return value === true
  if (kind === 'value') return value ?? null
  if (kind === 'json') return value === undefined ? '' : JSON.stringify(value, null, 2)
  if (value === undefined || value === null) return kind === 'choice' && required ? (first(options) ?? '') : ''
  if (Array.isArray(value)) return value.join(kind === 'lines' || rows !== undefined ? '\n' : ', ')
  if (unit !== undefined && typeof value === 'number') return String(value / unit)
  return String(value)
}

const first = (options: Field['options']): string | undefined => Object.keys(options ?? {})[0]

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inside, key) => (isRecord(inside) && Object.hasOwn(inside, key) ? inside[key] : undefined), value)
}

export type Problems = Readonly<Record<string, string>>
export type Made = {
  readonly input: Readonly<Record<string, unknown>>
  readonly problems: Problems
}

export const isAsked = ({ when }: Field, draft: Draft): boolean => when?.(draft) !== false
const isEmpty = (value: unknown): boolean => value === '' || value === null || value === undefined
const isMissing = (value: unknown): boolean =>
  isEmpty(value) || (typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0)

/** Whether a field that is asked for and needed is still empty, or says itself that it is wrong. */
export const isUnready = (fields: readonly Field[], draft: Draft): boolean =>
  fields.some(
    (field) =>
      isAsked(field, draft) && ((field.required && isMissing(draft[field.path])) || field.check?.(draft) !== undefined),
  )

/** What would be sent: nothing of what is not asked for; an empty field is null where the schema has null, or left out. */
export function inputOf(fields: readonly Field[], draft: Draft): Made {
  const input: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    if (!isAsked(field, draft) && !field.always) continue
    const { path, required, nullable, secret } = field
    const typedAs = draft[path]
    const trims = (field.kind === 'text' && !secret) || field.kind === 'number'
    const value = trims && typeof typedAs === 'string' ? typedAs.trim() : typedAs
    if (isEmpty(value)) {
      if (required) problems[path] = t('is required')
      else if (nullable && !secret) put(input, path.split('.'), null)
      continue
    }
    try {
      const sent = valueOf(field, value)
      if (sent !== undefined) put(input, path.split('.'), sent)
    } catch {
      problems[path] = t('This is not JSON yet')
    }
  }
  return { input, problems }
}

function valueOf({ kind, write, unit = 1 }: Field, typedAs: unknown): unknown {
  if (write) return write(typedAs)
  if (kind === 'value') return typedAs
  if (typedAs === false && kind !== 'flag') return null
  if (typeof typedAs !== 'string') return typedAs
  if (kind === 'json') return JSON.parse(typedAs)
  if (kind === 'lines' || kind === 'words')
    return typedAs.split(kind === 'lines' ? '\n' : /[\s,]+/).filter((text) => text !== '')
  // What is no number stays a text, which the schema refuses by its name.
  return kind === 'number' && Number.isFinite(Number(typedAs)) ? Number(typedAs) * unit : typedAs
}

function put(into: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[key] = value
    return
  }
  const known = into[key]
  const inside: Record<string, unknown> = isRecord(known) ? { ...known } : {}
  put(inside, rest, value)
  into[key] = inside
}

export type Checked<T> = {
  readonly problems: Problems
  /** Absent while there is a problem. */
  readonly input: T | undefined
  /** What was typed, before the schema filled in its defaults. */
  readonly given: Readonly<Record<string, unknown>>
}

/** By the gateway's own schema, before anything is sent; a problem inside of a JSON is shown at its field. */
export function checkedIn<T>({ schema, fields, carried }: Form<T>, draft: Draft, record?: unknown): Checked<T> {
  const made = inputOf(fields, draft)
  const rest = carried.map((name) => [name, at(record, name)] as const).filter(([, value]) => value !== undefined)
  const given = { ...Object.fromEntries(rest), ...made.input }
  const parsed = schema.safeParse(given)
  const problems: Record<string, string> = { ...made.problems }
  for (const { path, code, message } of parsed.error?.issues ?? []) {
    const place = path.join('.')
    const field = fields.find((each) => place === each.path || place.startsWith(`${each.path}.`))
    const inside = field ? place.slice(field.path.length + 1) : ''
    const reported = field?.kind === 'number' && code === 'invalid_type' ? noNumber(field) : message
    problems[field?.path ?? place] ??= toldOf(field, inside, reported)
    if (field?.kind === 'value') problems[place] ??= reported
  }
  return { problems, given, input: Object.keys(problems).length === 0 ? parsed.data : undefined }
}

const noNumber = ({ whole }: Field): string => (whole ? t('must be a whole number') : t('must be a number'))

function toldOf(field: Field | undefined, inside: string, reported: string): string {
  if (inside === '' || field?.kind === 'words') return reported
  return field?.kind === 'lines'
    ? t('line {inside}: {reported}', { inside: Number(inside) + 1, reported })
    : `${inside}: ${reported}`
}

/** The configuration as it could be sent again: without fields that the gateway only returns. */
export function resendable(fields: readonly Field[], config: unknown): Readonly<Record<string, unknown>> {
  const on = at(config, SWITCH)
  return { ...inputOf(fields, draftOf(fields, config)).input, ...(typeof on === 'boolean' ? { enabled: on } : {}) }
}
