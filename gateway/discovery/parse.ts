// Text → value, JSON or YAML, within bounds: a document can be wrong, huge or hostile, and the answer is one clear error.
import { parseDocument } from 'yaml'
import { discoveryError } from './failure.ts'

const MAX_BYTES = 10 * 1024 * 1024
const MAX_DEPTH = 256
// Aliases multiply: ten levels of ten are ten thousand million values in a few hundred bytes.
const MAX_ALIASES = 10_000
// JSON with a slip in it may still be YAML, which is only worth trying while that is quick.
const MAX_RETRY = 1024 * 1024
const TOO_DEEP = 'it nests too deep'

export type ParseResult = { readonly value: unknown; readonly format: 'json' | 'yaml' }

export function parseText(source: string): ParseResult {
  if (source.length > MAX_BYTES) throw discoveryError('parse', 'The document is larger than 10 MiB.')
  const text = source.replace(/^\ufeff/, '')
  refuseOtherKinds(text)
  const result = /^\s*[{[]/.test(text) ? parseJson(text) : parseYaml(text)
  if (result.format === 'json' ? nestsDeeper(result.value, MAX_DEPTH) : sharedNestsDeeper(result.value))
    throw discoveryError('parse', `The document nests deeper than ${MAX_DEPTH} levels.`)
  return result
}

function refuseOtherKinds(text: string): void {
  const start = text.slice(0, 512).trimStart()
  if (start === '') throw discoveryError('parse', 'The document is empty.')
  if (/^<(?:!doctype html|html|head|body)/i.test(start)) {
    throw discoveryError(
      'parse',
      'This is an HTML page, not a spec: give the address of the JSON or YAML document itself.',
    )
  }
  if (start.startsWith('<')) throw discoveryError('parse', 'This is XML, not JSON or YAML.')
  if (/[\x00-\x08\x0e-\x1f]/.test(start)) {
    throw discoveryError('parse', 'This is not text: it may be compressed or a binary file.')
  }
}

function parseJson(text: string): ParseResult {
  try {
    return { value: JSON.parse(text), format: 'json' }
  } catch (cause) {
    if (text.length <= MAX_RETRY) {
      const value = yamlValue(text)
      if (value.ok) return { value: value.value, format: 'yaml' }
    }
    throw discoveryError('parse', `The document is not valid JSON: ${reasonOf(cause)}. ${truncationHint(text)}`.trim())
  }
}

function truncationHint(text: string): string {
  return /[}\]]\s*$/.test(text) ? '' : 'It ends in the middle: was it cut off?'
}

function parseYaml(text: string): ParseResult {
  const result = yamlValue(text)
  if (!result.ok) throw discoveryError('parse', `The document is not valid YAML: ${result.reason}`)
  if (typeof result.value !== 'object' || result.value === null) {
    throw discoveryError('parse', 'The document is plain text, not a JSON or YAML object.')
  }
  return { value: result.value, format: 'yaml' }
}

type YamlResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string }

function yamlValue(text: string): YamlResult {
  try {
    // The check for unique keys is quadratic in the library; without it the last key wins, as in JSON.
    const document = parseDocument(text, { uniqueKeys: false, merge: true, prettyErrors: false, logLevel: 'silent' })
    const error = document.errors[0]
    if (error !== undefined) {
      const reason = /call stack/.test(error.message) ? TOO_DEEP : error.message
      return { ok: false, reason: `${reason} (line ${lineAt(text, error.pos[0])})` }
    }
    return { ok: true, value: document.toJS({ maxAliasCount: MAX_ALIASES }) }
  } catch (cause) {
    return { ok: false, reason: cause instanceof RangeError ? TOO_DEEP : reasonOf(cause) }
  }
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}

/** Never deeper than the limit itself. */
function nestsDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left === 0) return true
  if (Array.isArray(value)) return value.some((item) => nestsDeeper(item, left - 1))
  // A parsed object has no key but its own.
  for (const key in value) if (nestsDeeper((value as Record<string, unknown>)[key], left - 1)) return true
  return false
}

// Aliases share values, so each is visited once.
function sharedNestsDeeper(value: unknown): boolean {
  const seen = new Set<object>()
  let level: object[] = typeof value === 'object' && value !== null ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    const next: object[] = []
    for (const item of level) {
      for (const child of Object.values(item)) {
        if (typeof child !== 'object' || child === null || seen.has(child)) continue
        seen.add(child)
        next.push(child)
      }
    }
    level = next
  }
  return false
}
