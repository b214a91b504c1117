// A JSON body, read from its bytes: every limit holds on the raw text, before anything recursive sees it.
import { isUtf8 } from 'node:buffer'
import { GatewayError } from '../contract/error.ts'
import { endOfString, nestsDeeper } from '../text/json-depth.ts'

const invalid = (message: string) => new GatewayError('INVALID_JSON', message)

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i
/** Most clients send the first spelling. */
export const isJsonType = (type: string | undefined): boolean =>
  type === 'application/json' || JSON_TYPE.test(type ?? '')

const QUOTE = 34
const COMMA = 44
const MINUS = 45
const ZERO = 48
const NINE = 57

// An escape can spell any key, so its presence alone makes a text worth the walk.
const SUSPECT = /__proto__|constructor|\\u/

/** Keys that would reach a prototype when the value is merged or assigned. The walk is as deep as the depth limit. */
function poisons(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(poisons)
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') return true
    if (key === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
      return true
    if (poisons(inner)) return true
  }
  return false
}

// Digits that may be more than a whole number holds, or an exponent that may be; inside a string they only cost the second look.
const LONG_NUMBER = /(?:^|[^.\d])\d{16}|\d[eE]\+?\d{2}/

const NUMBER = /[-\d][-+.\deE]*/y

/** A number that would silently become another one. Every parser rounds fractions; whole numbers are often names. */
function refuseInexact(text: string): void {
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === MINUS || (char >= ZERO && char <= NINE)) {
      NUMBER.lastIndex = at
      const source = NUMBER.exec(text)?.[0] ?? ''
      const value = Number(source)
      // Written again it must read the same: so large doubles pass as every client writes them, and ids of too many digits do not.
      const kept =
        Number.isSafeInteger(value) || (Number.isFinite(value) && (!/^-?\d+$/.test(source) || String(value) === source))
      if (!kept) throw invalid(`The number ${source.slice(0, 40)} cannot be kept exactly; send it as a string`)
      at += source.length - 1
    }
  }
}

/** Keys and elements of one body. Each costs many times its bytes to read, and blocks other requests. */
const MOST_MEMBERS = 250_000

function holdsTooMany(text: string): boolean {
  // The least a member takes is a character and a comma.
  if (text.length < 2 * MOST_MEMBERS) return false
  let commas = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === COMMA) {
      commas += 1
      if (commas >= MOST_MEMBERS) return true
    }
  }
  return false
}

/** Throws INVALID_JSON, JSON_TOO_DEEP or PAYLOAD_TOO_LARGE; what it returns is plain data of bounded depth. */
export function parseJson(text: string, maxDepth: number): unknown {
  if (holdsTooMany(text))
    throw new GatewayError('PAYLOAD_TOO_LARGE', `The body holds more than ${MOST_MEMBERS} keys and elements`)
  if (nestsDeeper(text, maxDepth))
    throw new GatewayError('JSON_TOO_DEEP', `The body nests deeper than ${maxDepth} levels`, { details: { maxDepth } })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('The body is not valid JSON')
  }
  if (LONG_NUMBER.test(text)) refuseInexact(text)
  if (SUSPECT.test(text) && poisons(value)) throw invalid('The body names a key that is not allowed')
  return value
}

export function decodeText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw invalid('The body is not valid UTF-8')
}

/** An empty body is no body: a route that needs one reports it itself. */
export function decodeJson(bytes: Buffer, maxDepth: number): unknown {
  if (bytes.length === 0) return undefined
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw invalid('Send the body without a byte order mark')
  return parseJson(decodeText(bytes), maxDepth)
}
