// How a discovered operation gets its bare name, and what a name looks like in a listing.
import { createHash } from 'node:crypto'

const MAX_NAME = 128
const MAX_LISTED = 64
const RESERVED = 'search_tools'

/** The rule of specs, schemas and upstreams: only forbidden characters change. */
export function keepName(sourceName: string): string {
  return sourceName.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME)
}

/** The rule of collections and commands: lower case, every run of other characters is one `_`. */
export function flatName(parts: readonly string[]): string {
  return parts
    .map((part) =>
      part
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^_+|(?<!_)_+$/g, ''),
    )
    .filter((part) => part !== '')
    .join('_')
    .slice(0, MAX_NAME)
}

/** `GET /users/{id}` is `get_users_by_id`. */
export function pathName(method: string, path: string): string {
  const segments = path
    .replace(/[?#].*$/, '')
    .split('/')
    .map((segment) => segment.replace(/[{}]/g, (brace) => (brace === '{' ? ' by ' : ' ')))
  return flatName([method, ...segments]) || 'request'
}

/** Gives out each name once; a taken one gets `_2`, `_3`, … in the order of asking. */
export function uniqueNames(): (wanted: string) => string {
  const taken = new Set<string>([RESERVED])
  const next = new Map<string, number>()
  return (wanted) => {
    const base = wanted === '' ? 'tool' : wanted
    if (!taken.has(base)) {
      taken.add(base)
      return base
    }
    for (let n = next.get(base) ?? 2; ; n += 1) {
      const suffix = `_${n}`
      const name = base.slice(0, MAX_NAME - suffix.length) + suffix
      if (taken.has(name)) continue
      taken.add(name)
      next.set(base, n + 1)
      return name
    }
  }
}

/** `getPetById` is also found as `get_pet_by_id`. */
export function snakeCase(sourceName: string): string {
  return sourceName
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .toLowerCase()
}

/** Many clients refuse names over 64 characters; the short form depends on the tool's identity and nothing else. */
export function listedName(wanted: string, client: string, bareName: string): string {
  if (wanted.length <= MAX_LISTED) return wanted
  const hash = createHash('sha256').update(`${client}__${bareName}`).digest('hex').slice(0, 8)
  return `${wanted.slice(0, 55)}_${hash}`
}

/** A name no other argument of the tool has. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let n = 2; taken.has(name); n += 1) name = `${wanted}_${n}`
  return name
}
