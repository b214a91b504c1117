// Removes secrets from arguments, by name, schema or shape, before they are stored in the browser. Pure.

import { t } from '../language/language.ts'
import { isRecord, type Shape, shapeOf } from './form/shape.ts'

export type Arguments = Readonly<Record<string, unknown>>
export type SavedArguments = { readonly args: Arguments; readonly leftOut: readonly string[] }

const SECRET_WORDS = new Set(
  'password passwd pwd pass passphrase passcode secret secrets token auth authorization credential credentials apikey bearer jwt cookie otp pin cvv signature'.split(
    ' ',
  ),
)
const SECRET_KEYS = new Set(['api', 'private', 'access', 'secret', 'signing', 'encryption', 'license'])

const SECRET_VALUES: readonly RegExp[] = [
  /^(?:bearer|basic)\s+\S/i,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /(?<![\w-])(?=[\w-]{11,}\.eyJ[\w-]{8})(?:[\w-]*?-)??eyJ[\w-]{8,}\.eyJ/,
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|github_pat|xox[abprs]|gntr|AKIA|AIza)[-_]?[\w-]{12,}/,
  /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]+:[^/\s@]+@/i,
  // A long word of mixed letters and digits is usually a key.
  /^(?=[^\s]*[a-z])(?=[^\s]*[A-Z])(?=[^\s]*\d)[\w+/=.-]{32,}$/,
]

/** The limit of stored arguments; a larger run is listed without them. */
const MOST_CHARACTERS = 8_000
const MOST_DEPTH = 20

export function withoutSecrets(args: Arguments, schema: unknown, mostCharacters = MOST_CHARACTERS): SavedArguments {
  if (JSON.stringify(args).length > mostCharacters) return { args: {}, leftOut: [t('all of them, for their size')] }
  const leftOut: string[] = []
  const kept = keptOf(args, shapeOf(schema), '', leftOut, 0)
  return { args: isRecord(kept) ? kept : {}, leftOut }
}

function keptOf(value: unknown, shape: Shape | undefined, path: string, leftOut: string[], depth: number): unknown {
  const drop = (): undefined => {
    leftOut.push(path)
    return undefined
  }
  if (depth > MOST_DEPTH) return drop()
  if (typeof value === 'string') {
    const secret =
      (shape?.kind === 'text' && shape.format === 'password') || SECRET_VALUES.some((one) => one.test(value))
    return secret ? drop() : value
  }
  if (Array.isArray(value)) {
    const item = shape?.kind === 'list' ? shape.item : undefined
    return value
      .map((each, at) => keptOf(each, item, `${path}.${at + 1}`, leftOut, depth + 1))
      .filter((each) => each !== undefined)
  }
  if (!isRecord(value)) return value
  const fields = shape?.kind === 'record' ? shape.fields : []
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const place = path === '' ? name : `${path}.${name}`
      if (namesSecret(name)) {
        leftOut.push(place)
        return []
      }
      const own = fields.find((field) => field.name === name)?.shape
      const kept = keptOf(each, own, place, leftOut, depth + 1)
      return kept === undefined ? [] : [[name, kept] as const]
    }),
  )
}

/** Matches whole words, so that `author` is not `auth` and `keyword` not `key`. */
function namesSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.some(
    (word, at) => SECRET_WORDS.has(word) || (word === 'key' && at > 0 && SECRET_KEYS.has(words[at - 1] ?? '')),
  )
}
