// References of a document, also into others that were read before. Nothing is fetched here.
import { isRecord, type JsonRecord } from './record.ts'
import { decode } from './serialize.ts'

const MAX_CHAIN = 32

export type ReferenceTarget =
  | { readonly ok: true; readonly value: unknown; readonly ref?: string }
  | { readonly ok: false; readonly reason: string }

export type References = {
  /** Follows a chain of `$ref`s to what it names; keywords beside a reference win over the target's. */
  readonly follow: (value: unknown) => ReferenceTarget
  /** The same, without the rest: undefined where a reference leads nowhere. */
  readonly valueOf: (value: unknown) => unknown
  /** Addresses of other documents that were met and are not here. */
  readonly foreign: ReadonlySet<string>
}

/** Where a document is, and the others that were read, by address. */
export type Library = { readonly url?: string | undefined; readonly documents?: ReadonlyMap<string, unknown> }

export function references(root: unknown, { url, documents = new Map() }: Library = {}): References {
  const cache = new Map<string, ReferenceTarget>()
  const foreign = new Set<string>()
  const pointed = (ref: string): ReferenceTarget => {
    const known = cache.get(ref)
    if (known !== undefined) return known
    const found = ref.startsWith('#') ? resolve(root, ref, ref) : elsewhere(ref)
    cache.set(ref, found)
    return found
  }
  const elsewhere = (ref: string): ReferenceTarget => {
    const { document, fragment } = addressOf(ref, url)
    const value = document === url ? root : documents.get(document)
    if (value !== undefined) return resolve(value, fragment, ref)
    foreign.add(document)
    return { ok: false, reason: `the reference ${ref} is in another document` }
  }
  const walk = (value: unknown): ReferenceTarget => {
    let current = value
    let beside: JsonRecord | undefined
    let first: string | undefined
    for (let step = 0; step < MAX_CHAIN; step += 1) {
      if (!isRecord(current) || typeof current.$ref !== 'string') {
        const merged = beside !== undefined && isRecord(current) ? { ...current, ...beside } : current
        return { ok: true, value: merged, ...(first === undefined ? {} : { ref: first }) }
      }
      const { $ref, ...rest } = current
      first ??= $ref
      if (Object.keys(rest).length > 0) beside = { ...rest, ...beside }
      const target = pointed($ref)
      if (!target.ok) return target
      current = target.value
    }
    return { ok: false, reason: `the reference ${first ?? ''} never ends` }
  }
  const followed = new Map<string, ReferenceTarget>()
  const follow = (value: unknown): ReferenceTarget => {
    if (!isRecord(value) || typeof value.$ref !== 'string') return { ok: true, value }
    if (Object.keys(value).length > 1) return walk(value)
    const target = followed.get(value.$ref) ?? walk(value)
    followed.set(value.$ref, target)
    return target
  }
  const valueOf = (value: unknown): unknown => {
    if (!isRecord(value) || typeof value.$ref !== 'string') return value
    const target = follow(value)
    return target.ok ? target.value : undefined
  }
  return { follow, valueOf, foreign }
}

function addressOf(ref: string, base: string | undefined): { readonly document: string; readonly fragment: string } {
  const whole = URL.canParse(ref, base) ? new URL(ref, base).href : ref
  const at = whole.indexOf('#')
  return at < 0 ? { document: whole, fragment: '#' } : { document: whole.slice(0, at), fragment: whole.slice(at) }
}

/** References of another document lead from its own address. It was parsed for this, so it is changed in place. */
export function rebase(document: unknown, url: string): unknown {
  const seen = new Set<unknown>()
  const left = [document]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const { $ref } = value as { $ref?: unknown } // a list has none
    if (typeof $ref === 'string' && URL.canParse($ref, url)) Object.assign(value, { $ref: new URL($ref, url).href })
    left.push(...Object.values(value))
  }
  return document
}

function resolve(root: unknown, pointer: string, ref: string): ReferenceTarget {
  if (pointer !== '#' && !pointer.startsWith('#/'))
    return { ok: false, reason: `the reference ${ref} is a name, not a path` }
  let value = root
  const isEscaped = /[%~]/.test(pointer)
  for (const token of pointer.split('/').slice(1)) {
    const key = isEscaped ? decode(token).replaceAll('~1', '/').replaceAll('~0', '~') : token
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return { ok: false, reason: `the reference ${ref} leads nowhere` }
    }
    // Own property of an object or an array, checked on the line above.
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return { ok: true, value }
}
