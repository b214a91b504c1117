// A feature as it is typed: its fields, read from its schema, the draft over them, and what is sent. Pure.
import { z } from 'zod'
import { isRecord, type Shape, shapeOf } from '../../../ui/schema-form/shape.ts'
import type { FeatureWords, FieldWords } from './labels.ts'

/** By the path of the field; everything but a tick is a text while it is typed. False in place of a text takes away what is stored. */
export type FeatureDraft = Readonly<Record<string, string | boolean>>

export type FeatureField = FieldWords & {
  readonly path: string
  readonly kind: 'text' | 'long' | 'number' | 'flag' | 'choice' | 'json'
  readonly required: boolean
  readonly preset: unknown
  readonly range: string | undefined
}

/** What every feature may have, and what its row switches. */
const SWITCH = 'enabled'

export const hasSwitch = (schema: z.ZodType): boolean => {
  const shape = shapeIn(schema)
  return shape.kind === 'record' && shape.fields.some(({ name }) => name === SWITCH)
}

const shapeIn = (schema: z.ZodType): Shape => shapeOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))

/** In the order of its words; a field without any comes last, under its own name. */
export function fieldsOf(schema: z.ZodType, { fields }: Pick<FeatureWords, 'fields'>): readonly FeatureField[] {
  const order = Object.keys(fields)
  const rank = ({ path }: FeatureField): number => (order.includes(path) ? order.indexOf(path) : order.length)
  return leaves(shapeIn(schema), '', fields)
    .filter(({ path }) => path !== SWITCH)
    .toSorted((a, b) => rank(a) - rank(b))
}

function leaves(shape: Shape, prefix: string, words: FeatureWords['fields']): readonly FeatureField[] {
  if (shape.kind !== 'record') return []
  return shape.fields.flatMap(({ name, required, shape: own }) => {
    const path = `${prefix}${name}`
    if (own.kind === 'record' && !words[path]?.json) return leaves(own, `${path}.`, words)
    const said = words[path] ?? { label: path }
    return [{ ...said, path, required, preset: own.preset, ...drawn(own, said) }]
  })
}

function drawn(shape: Shape, { json, long, options }: FieldWords): Pick<FeatureField, 'kind' | 'range' | 'options'> {
  if (json) return { kind: 'json', range: undefined }
  switch (shape.kind) {
    case 'number': {
      const ends = shape.min === undefined && shape.max === undefined
      return { kind: 'number', range: ends ? undefined : `${shape.min ?? '…'} to ${shape.max ?? '…'}` }
    }
    case 'text':
      return { kind: long ? 'long' : 'text', range: undefined }
    case 'flag':
      return { kind: 'flag', range: undefined }
    case 'choice':
      return {
        kind: 'choice',
        range: undefined,
        options: options ?? Object.fromEntries(shape.options.map((each) => [String(each), String(each)])),
      }
    case 'union':
      // A text that may be empty, or one of several forms of a text.
      return { kind: shape.branches.every(isText) ? 'text' : 'json', range: undefined }
    default:
      return { kind: 'json', range: undefined }
  }
}

const isText = (shape: Shape): boolean =>
  shape.kind === 'text' || (shape.kind === 'choice' && shape.options.every((option) => typeof option === 'string'))

/** What is set, or what is meant where nothing is. */
export function draftOf(fields: readonly FeatureField[], config: unknown): FeatureDraft {
  return Object.fromEntries(
    fields.map((field) => {
      const stored = config ? at(config, field.path) : field.preset
      return [field.path, typed(field, stored)]
    }),
  )
}

function typed({ kind, required, options }: FeatureField, value: unknown): string | boolean {
  if (kind === 'flag') return value === true
  if (kind === 'json') return value === undefined ? '' : JSON.stringify(value, null, 2)
  if (value === undefined || value === null) return kind === 'choice' && required ? (first(options) ?? '') : ''
  return String(value)
}

const first = (options: FieldWords['options']): string | undefined => Object.keys(options ?? {})[0]

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inside, key) => (isRecord(inside) && Object.hasOwn(inside, key) ? inside[key] : undefined), value)
}

export type Problems = Readonly<Record<string, string>>
export type FeatureInput = {
  readonly input: Readonly<Record<string, unknown>>
  readonly problems: Problems
}

/** What would be sent: nothing of what is not asked for, nothing for what is left empty. */
export function inputOf(fields: readonly FeatureField[], draft: FeatureDraft): FeatureInput {
  const input: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    if (field.when?.(draft) === false) continue
    const { path, required } = field
    const text = draft[path] ?? ''
    if (text === '') {
      if (required) problems[path] = 'is needed'
      continue
    }
    try {
      put(input, path.split('.'), valueOf(field, text))
    } catch {
      problems[path] = 'This is not JSON yet'
    }
  }
  return { input, problems }
}

function valueOf({ kind }: FeatureField, typedAs: string | boolean): unknown {
  if (typedAs === false && kind !== 'flag') return null
  if (typeof typedAs === 'boolean') return typedAs
  if (kind === 'json') return JSON.parse(typedAs)
  // What is no number stays a text, which the schema refuses by its name.
  return kind === 'number' && Number.isFinite(Number(typedAs)) ? Number(typedAs) : typedAs
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

/** By the gateway's own schema, before anything is sent; what is wrong inside of a JSON is told at its field. */
export function problemsOf(
  schema: z.ZodType,
  fields: readonly FeatureField[],
  { input, problems }: FeatureInput,
): Problems {
  const found: Record<string, string> = { ...problems }
  // Its row says whether it is on.
  const whole = hasSwitch(schema) ? { [SWITCH]: true, ...input } : input
  for (const { path, code, message } of schema.safeParse(whole).error?.issues ?? []) {
    const place = path.join('.')
    const field = fields.find((each) => place === each.path || place.startsWith(`${each.path}.`))
    const inside = field ? place.slice(field.path.length + 1) : ''
    const told = field?.kind === 'number' && code === 'invalid_type' ? 'must be a number' : message
    found[field?.path ?? place] ??= inside === '' ? told : `${inside}: ${told}`
  }
  return found
}

/** What is set, as it could be sent again: without what the gateway only tells. */
export function resendable(fields: readonly FeatureField[], config: unknown): Readonly<Record<string, unknown>> {
  const on = at(config, SWITCH)
  return { ...inputOf(fields, draftOf(fields, config)).input, ...(typeof on === 'boolean' ? { enabled: on } : {}) }
}
