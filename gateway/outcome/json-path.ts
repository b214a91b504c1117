// Dot paths in JSON: a name is a key, a number a position in a list. What is given is never written into.

import { isExactNumber } from '../text/exact-json.ts'

export type Path = readonly string[]
type Thing = Readonly<Record<string, unknown>>

/** Where a path leads to nothing. */
export const NOTHING = Symbol('nothing')
const INDEX = /^(?:0|[1-9]\d{0,8})$/

const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
export const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)

export function read(value: unknown, path: Path): unknown {
  let at = value
  for (const segment of path) {
    const list = asList(at)
    if (list) at = INDEX.test(segment) && Number(segment) < list.length ? list[Number(segment)] : NOTHING
    else at = isThing(at) && Object.hasOwn(at, segment) ? at[segment] : NOTHING
    if (at === NOTHING) return NOTHING
  }
  return at
}

/** Missing objects on the path are created; where another value blocks the path, nothing is set. */
export function put(holder: unknown, path: Path, value: unknown): unknown {
  const [segment, ...rest] = path
  if (segment === undefined) return value
  const list = asList(holder)
  if (list) {
    const index = INDEX.test(segment) ? Number(segment) : Number.POSITIVE_INFINITY
    if (index > list.length) return NOTHING
    const inner = put(list[index], rest, value)
    if (inner === NOTHING) return NOTHING
    const copy = [...list]
    copy[index] = inner
    return copy
  }
  if (holder === undefined || holder === null) return put(INDEX.test(segment) ? [] : {}, path, value)
  if (!isThing(holder)) return NOTHING
  const inner = put(Object.hasOwn(holder, segment) ? holder[segment] : undefined, rest, value)
  return inner === NOTHING ? NOTHING : { ...holder, [segment]: inner }
}

/** The holder without what stands there, which is there. */
export function without(holder: unknown, path: Path): unknown {
  const [segment, ...rest] = path
  if (segment === undefined) return holder
  const list = asList(holder)
  if (list) {
    const index = Number(segment)
    return rest.length === 0 ? list.toSpliced(index, 1) : list.with(index, without(list[index], rest))
  }
  if (!isThing(holder)) return holder
  if (rest.length > 0) return { ...holder, [segment]: without(holder[segment], rest) }
  return Object.fromEntries(Object.entries(holder).filter(([key]) => key !== segment))
}
