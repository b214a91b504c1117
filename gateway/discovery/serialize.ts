// Writes argument values in the styles a parameter can declare. Everything a value could say to a URL is encoded.
import type { Place } from './tool.ts'

/** Already percent-encoded, ready to be joined with `=` and `&`. */
export type EncodedPair = readonly [name: string, value: string]

const DELIMITERS = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C', tabDelimited: '%09' } as const

export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** A stray percent sign stands for itself. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Malformed escapes are text.
    return text
  }
}

// Reserved characters may stay, but for those that would end the value or start another one.
function encodeReserved(text: string): string {
  return encode(text).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent)
}

export function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

type Shape =
  | { readonly kind: 'one'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'record'; readonly entries: readonly (readonly [string, string])[] }

function shapeOf(value: unknown, write: (text: string) => string): Shape {
  if (Array.isArray(value)) {
    return { kind: 'list', items: value.filter(isPresent).map((item) => write(plain(item))) }
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => isPresent(item))
    return { kind: 'record', entries: entries.map(([key, item]) => [write(key), write(plain(item))] as const) }
  }
  return { kind: 'one', text: write(plain(value)) }
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** `simple`, as headers and most path parameters have it. */
export function simple(value: unknown, explode: boolean, write: (text: string) => string): string {
  const shape = shapeOf(value, write)
  if (shape.kind === 'one') return shape.text
  if (shape.kind === 'list') return shape.items.join(',')
  return shape.entries.map(([key, item]) => `${key}${explode ? '=' : ','}${item}`).join(',')
}

export function pathValue(place: Place, value: unknown): string {
  if (place.contentType !== undefined) return encode(plain(value))
  const explode = place.explode ?? false
  if (place.style === 'label') return label(value, explode)
  if (place.style === 'matrix') return matrix(encode(place.name), value, explode)
  const delimiter = delimiterOf(place)
  return delimiter === undefined ? simple(value, explode, encode) : delimited(value, delimiter)
}

// Swagger 2.0 lets a path or header list be separated by spaces, tabs or pipes.
function delimiterOf(place: Place): string | undefined {
  const { style } = place
  return style === 'spaceDelimited' || style === 'pipeDelimited' || style === 'tabDelimited'
    ? DELIMITERS[style]
    : undefined
}

function delimited(value: unknown, delimiter: string, write = encode): string {
  const shape = shapeOf(value, write)
  if (shape.kind === 'one') return shape.text
  return (shape.kind === 'list' ? shape.items : shape.entries.flat()).join(delimiter)
}

function label(value: unknown, explode: boolean): string {
  const shape = shapeOf(value, encode)
  if (shape.kind === 'one') return `.${shape.text}`
  if (shape.kind === 'list') return `.${shape.items.join('.')}`
  return `.${shape.entries.map(([key, item]) => `${key}${explode ? '=' : '.'}${item}`).join('.')}`
}

function matrix(name: string, value: unknown, explode: boolean): string {
  const shape = shapeOf(value, encode)
  const pair = (key: string, text: string) => (text === '' ? `;${key}` : `;${key}=${text}`)
  if (shape.kind === 'one') return pair(name, shape.text)
  if (shape.kind === 'list') {
    return explode ? shape.items.map((item) => pair(name, item)).join('') : pair(name, shape.items.join(','))
  }
  return explode
    ? shape.entries.map(([key, item]) => pair(key, item)).join('')
    : pair(name, shape.entries.flat().join(','))
}

/** Query parameters, form fields and cookies: one argument can become several pairs, or none. */
export function pairs(place: Place, value: unknown): readonly EncodedPair[] {
  if (!isPresent(value)) return []
  const name = encode(place.name)
  const write = place.allowReserved === true ? encodeReserved : encode
  if (place.contentType !== undefined) return [[name, encode(plain(value))]]
  if (place.style === 'deepObject') return deepPairs(name, value)
  const delimiter = delimiterOf(place) ?? DELIMITERS.form
  const explode = place.explode ?? (place.style === undefined || place.style === 'form')
  const shape = shapeOf(value, write)
  if (shape.kind === 'one') return [[name, shape.text]]
  if (shape.kind === 'list') {
    if (explode) return shape.items.map((item) => [name, item] as const)
    return shape.items.length === 0 ? [] : [[name, shape.items.join(delimiter)]]
  }
  if (explode) return shape.entries
  return shape.entries.length === 0 ? [] : [[name, shape.entries.flat().join(delimiter)]]
}

const MAX_DEEP = 16

function deepPairs(name: string, value: unknown, depth = 0): readonly EncodedPair[] {
  if (!isPresent(value)) return []
  if (typeof value !== 'object' || depth > MAX_DEEP) return [[name, encode(plain(value))]]
  return Object.entries(value ?? {}).flatMap(([key, item]) => deepPairs(`${name}%5B${encode(key)}%5D`, item, depth + 1))
}
