// A request someone pasted, as arguments: every sample value becomes the default of its argument.
import { freeName } from './names.ts'
import { entriesOf, isRecord } from './record.ts'
import type { Argument, Body, JsonSchema, Place } from './tool.ts'

export type SampleBody = { readonly body: Body; readonly arguments: readonly Argument[]; readonly text?: string }

const FORM = 'application/x-www-form-urlencoded'
const MAX_DEPTH = 8

export function sampleSchema(value: unknown, depth = 0): JsonSchema {
  if (Array.isArray(value)) {
    const items = value.length === 0 || depth > MAX_DEPTH ? {} : sampleSchema(value[0], depth + 1)
    return { type: 'array', ...(Object.keys(items).length > 0 ? { items } : {}) }
  }
  if (isRecord(value)) {
    if (depth > MAX_DEPTH) return { type: 'object' }
    const properties = entriesOf(value).map(([key, item]): [string, JsonSchema] => [key, sampleSchema(item, depth + 1)])
    return { type: 'object', properties: Object.fromEntries(properties) }
  }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' }
  return typeof value === 'string' || typeof value === 'boolean' ? { type: typeof value } : {}
}

export function sampleArgument(wanted: string, value: unknown, place: Place, taken: Set<string>): Argument {
  const name = taken.has(wanted) ? freeName(`${place.in}_${wanted}`, taken) : wanted
  taken.add(name)
  return { name, schema: { ...sampleSchema(value), default: value }, required: false, place }
}

/** `a=1&b=&b=2`: a repeated name is a list, because it must be sent again as one. */
export function samplePairs(
  pairs: readonly (readonly [string, string])[],
  where: 'query' | 'body',
  taken: Set<string>,
): readonly Argument[] {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) if (name !== '__proto__') values.set(name, [...(values.get(name) ?? []), value])
  return [...values].map(([name, list]) => {
    const value = list.length === 1 ? list[0] : list
    return sampleArgument(name, value, { in: where, name, style: 'form', explode: true }, taken)
  })
}

/** Reads a body by what it is: JSON and forms become arguments, anything else is one text. */
export function sampleBody(text: string, mediaType: string, taken: Set<string>): SampleBody {
  if (text === '') return { body: { encoding: 'raw', mediaType, merged: false }, arguments: [], text }
  const value = jsonOf(text)
  if (isRecord(value) && Object.keys(value).length > 0) {
    const list = entriesOf(value).map(([name, item]) => sampleArgument(name, item, { in: 'body', name }, taken))
    return { body: { encoding: 'json', mediaType, merged: true }, arguments: list, text }
  }
  if (typeof value === 'object' && value !== null) {
    const whole = sampleArgument('body', value, { in: 'body', name: 'body', whole: true }, taken)
    return { body: { encoding: 'json', mediaType, merged: false }, arguments: [whole], text }
  }
  if (mediaType.toLowerCase().startsWith(FORM) && text.includes('=')) {
    const list = samplePairs([...new URLSearchParams(text)], 'body', taken)
    return { body: { encoding: 'form', mediaType, merged: true }, arguments: list, text }
  }
  const whole = sampleArgument('body', text, { in: 'body', name: 'body', whole: true }, taken)
  return { body: { encoding: 'raw', mediaType, merged: false }, arguments: [whole], text }
}

function jsonOf(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // It only looks like JSON: it stays text.
    return undefined
  }
}
