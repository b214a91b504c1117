// Local references of one document. Nothing is ever fetched: another document is a reason, not a place to go.
import { isRecord, type JsonRecord } from './record.ts'
import { decode } from './serialize.ts'

const MAX_CHAIN = 32

export type Target =
  | { readonly ok: true; readonly value: unknown; readonly ref?: string }
  | { readonly ok: false; readonly reason: string }

export type References = {
  /** Follows a chain of `$ref`s to what it names; keywords beside a reference win over the target's. */
  readonly follow: (value: unknown) => Target
  /** References to other documents that were met, which nothing may follow. */
  readonly foreign: ReadonlySet<string>
}

export function references(root: unknown): References {
  const cache = new Map<string, Target>()
  const foreign = new Set<string>()
  const pointed = (ref: string): Target => {
    const known = cache.get(ref)
    if (known !== undefined) return known
    if (!ref.startsWith('#')) foreign.add(ref)
    const found = resolve(root, ref)
    cache.set(ref, found)
    return found
  }
  const follow = (value: unknown): Target => {
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
  return { follow, foreign }
}

function resolve(root: unknown, ref: string): Target {
  if (!ref.startsWith('#')) return { ok: false, reason: `the reference ${ref} is in another document` }
  if (ref !== '#' && !ref.startsWith('#/')) return { ok: false, reason: `the reference ${ref} is a name, not a path` }
  let value = root
  for (const token of ref.slice(1).split('/').slice(1)) {
    const key = decode(token).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return { ok: false, reason: `the reference ${ref} leads nowhere` }
    }
    // Own property of an object or an array, checked on the line above.
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return { ok: true, value }
}
