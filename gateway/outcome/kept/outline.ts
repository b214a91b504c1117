// What JSON holds, in one line that a model reads instead of it: fields, kinds, ranges and lengths.
import { isExactNumber } from '../../text/exact-json.ts'
import { isThing } from './value.ts'

const MOST_FIELDS = 40
const DEEPEST = 6

type Shape = {
  times: number
  isNull: boolean
  isBoolean: boolean
  numbers: { least: number; most: number; isWhole: boolean } | undefined
  /** The longest text. */
  text: number | undefined
  list: { least: number; most: number; readonly of: Shape } | undefined
  fields: Map<string, Shape> | undefined
  isDeeper: boolean
}

const nothing = (): Shape => ({
  times: 0,
  isNull: false,
  isBoolean: false,
  numbers: undefined,
  text: undefined,
  list: undefined,
  fields: undefined,
  isDeeper: false,
})

function addNumber(shape: Shape, value: number): void {
  const known = (shape.numbers ??= { least: value, most: value, isWhole: true })
  known.least = Math.min(known.least, value)
  known.most = Math.max(known.most, value)
  known.isWhole &&= Number.isInteger(value)
}

function add(shape: Shape, value: unknown, depth: number): void {
  shape.times += 1
  if (value === null) shape.isNull = true
  else if (typeof value === 'boolean') shape.isBoolean = true
  else if (typeof value === 'number') addNumber(shape, value)
  else if (isExactNumber(value)) addNumber(shape, Number(value.rawJSON))
  else if (typeof value === 'string') shape.text = Math.max(shape.text ?? 0, value.length)
  else if (depth === DEEPEST) shape.isDeeper = true
  else if (Array.isArray(value)) {
    const { length } = value
    const list = (shape.list ??= { least: length, most: length, of: nothing() })
    list.least = Math.min(list.least, length)
    list.most = Math.max(list.most, length)
    for (const each of value) add(list.of, each, depth + 1)
  } else if (isThing(value)) {
    const fields = (shape.fields ??= new Map())
    for (const [name, each] of Object.entries(value)) {
      const field = fields.get(name) ?? nothing()
      fields.set(name, field)
      add(field, each, depth + 1)
    }
  }
}

const range = (least: number, most: number): string => (least === most ? String(least) : `${least}–${most}`)

function fieldsText(fields: ReadonlyMap<string, Shape>, times: number): string {
  const shown = [...fields].slice(0, MOST_FIELDS).map(([name, field]) => {
    const key = /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
    return `${key}${field.times < times ? '?' : ''}: ${textOf(field)}`
  })
  const more = fields.size > MOST_FIELDS ? `, and ${fields.size - MOST_FIELDS} more` : ''
  return `{${shown.join(', ')}${more}}`
}

function textOf(shape: Shape): string {
  const { numbers, text, list, fields } = shape
  const kinds = [
    numbers && `${numbers.isWhole ? 'integer' : 'number'} ${range(numbers.least, numbers.most)}`,
    text !== undefined && `text of up to ${text}`,
    shape.isBoolean && 'boolean',
    list && `list of ${range(list.least, list.most)}${list.of.times > 0 ? ` × ${textOf(list.of)}` : ''}`,
    fields && fieldsText(fields, shape.times),
    shape.isDeeper && 'more, deeper',
    shape.isNull && 'null',
  ].filter((kind) => typeof kind === 'string')
  return kinds.join(' or ')
}

export function outline(value: unknown): string {
  const shape = nothing()
  add(shape, value, 0)
  return textOf(shape)
}
