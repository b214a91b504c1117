// A question to a kept result: a place in it, and of a list there which entries, in which order, with which fields, or what they add up to.
import { isExactNumber } from '../../text/exact-json.ts'
import { NOTHING, read } from '../json-path.ts'
import { jsonPath } from './json-path-syntax.ts'
import { outline } from './outline.ts'
import { QueryError, Work } from './query-error.ts'
import { selectRows } from './sql.ts'
import { isThing } from './value.ts'

export const OPS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains', 'exists'] as const
type Where = {
  /** A path within the entry; empty for the entry itself. */
  readonly field: string
  readonly op: (typeof OPS)[number]
  readonly value?: string | number | boolean | null | undefined
}

/** What the question is about: paths are keys and positions with dots between them. */
export type ResultPlace = {
  readonly path: string
  /** Instead of the path: the list of all values that it leads to. */
  readonly jsonpath?: string | undefined
  /** The rows it selects from the list there. */
  readonly sql?: string | undefined
}
export type ResultQuery = ResultPlace & {
  readonly where: readonly Where[]
  readonly select?: readonly string[] | undefined
  /** A path, with "-" before it for the largest first. */
  readonly sort?: string | undefined
  readonly group?: string | undefined
  readonly sum?: string | undefined
  readonly offset: number
  readonly limit: number
}

const segmentsOf = (path: string): readonly string[] => (path === '' ? [] : path.split('.'))
const at = (value: unknown, path: string): unknown => read(value, segmentsOf(path))
const plain = (value: unknown): unknown => (isExactNumber(value) ? Number(value.rawJSON) : value)

/** Numbers by size, texts by their characters, anything else not at all. */
function order(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b)
  return undefined
}

const ORDERED = {
  lt: (difference: number) => difference < 0,
  le: (difference: number) => difference <= 0,
  gt: (difference: number) => difference > 0,
  ge: (difference: number) => difference >= 0,
}

function holds(element: unknown, { field, op, value = null }: Where): boolean {
  const found = at(element, field)
  if (op === 'exists') return (found !== NOTHING && found !== null) === (value !== false)
  const given = found === NOTHING ? null : plain(found)
  if (op === 'eq') return given === value
  if (op === 'ne') return given !== value
  if (op === 'contains') {
    if (Array.isArray(given)) return given.some((each) => plain(each) === value)
    return typeof given === 'string' && given.toLowerCase().includes(String(value).toLowerCase())
  }
  const difference = order(given, value)
  return difference !== undefined && ORDERED[op](difference)
}

/** What has no value there stands last, whichever the direction. */
function sorted(rows: readonly unknown[], by: string): readonly unknown[] {
  const descends = by.startsWith('-')
  const path = descends ? by.slice(1) : by
  const keys = new Map(rows.map((row, position) => [position, plain(at(row, path))]))
  const positions = [...rows.keys()].sort((left, right) => {
    const [a, b] = [keys.get(left), keys.get(right)]
    const difference = order(a, b)
    if (difference !== undefined) return (descends ? -difference : difference) || left - right
    const ranks = [a, b].map((key) => (typeof key === 'number' ? 0 : typeof key === 'string' ? 1 : 2))
    return (ranks[0] ?? 0) - (ranks[1] ?? 0) || left - right
  })
  return positions.map((position) => rows[position])
}

type Sums = { count: number; sum: number; min: number | null; max: number | null }

function addUp(sums: Sums, value: unknown): void {
  sums.count += 1
  const number = plain(value)
  if (typeof number !== 'number') return
  sums.sum += number
  sums.min = Math.min(sums.min ?? number, number)
  sums.max = Math.max(sums.max ?? number, number)
}

/** The largest groups first. */
function grouped(rows: readonly unknown[], group: string | undefined, sum: string | undefined): readonly unknown[] {
  const groups = new Map<unknown, Sums>()
  for (const row of rows) {
    const found = group === undefined ? null : plain(at(row, group))
    const key = found === NOTHING ? null : typeof found === 'object' ? JSON.stringify(found) : found
    const sums = groups.get(key) ?? { count: 0, sum: 0, min: null, max: null }
    groups.set(key, sums)
    addUp(sums, sum === undefined ? undefined : at(row, sum))
  }
  return [...groups]
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([key, { count, ...sums }]) => ({
      ...(group === undefined ? {} : { [group]: key }),
      count,
      ...(sum === undefined ? {} : sums),
    }))
}

const selected = (row: unknown, select: readonly string[]): unknown =>
  Object.fromEntries(
    select.flatMap((path) => {
      const found = at(row, path)
      return found === NOTHING ? [] : [[path, found]]
    }),
  )

function requirePlace(value: unknown, path: string): unknown {
  const segments = segmentsOf(path)
  for (let length = 1; length <= segments.length; length += 1)
    if (read(value, segments.slice(0, length)) === NOTHING) {
      const before = segments.slice(0, length - 1)
      const place = before.length === 0 ? 'The result' : `"${before.join('.')}"`
      throw new QueryError(
        `${place} has no "${(segments[length - 1] ?? '').slice(0, 80)}"; it holds ${outline(read(value, before)).slice(0, 1_000)}`,
      )
    }
  return read(value, segments)
}

export function placeOf(result: unknown, { path, jsonpath, sql }: ResultPlace): unknown {
  const work = new Work()
  const place = jsonpath === undefined ? requirePlace(result, path) : jsonPath(result, jsonpath, work)
  return sql === undefined ? place : selectRows(place, sql, work)
}

export type Found =
  | { readonly value: unknown }
  | { readonly total: number; readonly offset: number; readonly rows: readonly unknown[] }

export function found(result: unknown, query: ResultQuery): Found {
  const { path, where, select, sort, group, sum, offset, limit } = query
  const place = placeOf(result, query)
  if (!Array.isArray(place)) {
    const asksOfList = where.length > 0 || sort !== undefined || group !== undefined || sum !== undefined
    if (!asksOfList) return { value: select === undefined || !isThing(place) ? place : selected(place, select) }
    const name = path === '' ? 'The result' : `"${path}"`
    throw new QueryError(
      `${name} is no list, which where, sort, group and sum need; it holds ${outline(place).slice(0, 1_000)}`,
    )
  }
  const list: readonly unknown[] = place
  const kept = where.length === 0 ? list : list.filter((row) => where.every((condition) => holds(row, condition)))
  const counted = group === undefined && sum === undefined ? kept : grouped(kept, group, sum)
  const ordered = sort === undefined ? counted : sorted(counted, sort)
  const page = ordered.slice(offset, offset + limit)
  return {
    total: ordered.length,
    offset,
    rows: select === undefined ? page : page.map((row) => selected(row, select)),
  }
}

/** JSON within a number of bytes: fewer rows, or the outline of what is too long. */
export function foundText(what: Found, mostBytes: number): string {
  if ('value' in what) {
    const text = JSON.stringify({ value: what.value })
    return Buffer.byteLength(text) <= mostBytes ? text : tooLong(what.value, mostBytes)
  }
  const { total, offset, rows } = what
  const texts: string[] = []
  const frame = (next: number | undefined): string =>
    `{"total":${total},"offset":${offset},"count":${texts.length}${next === undefined ? '' : `,"next":${next}`},"rows":[${texts.join(',')}]}`
  let bytes = Buffer.byteLength(frame(total))
  for (const row of rows) {
    const text = JSON.stringify(row) ?? 'null'
    bytes += Buffer.byteLength(text) + 1
    if (bytes > mostBytes) break
    texts.push(text)
  }
  if (texts.length === 0 && rows.length > 0) return tooLong(rows[0], mostBytes)
  const next = offset + texts.length
  return frame(next < total ? next : undefined)
}

const tooLong = (value: unknown, mostBytes: number): string =>
  JSON.stringify({
    tooLong: true,
    holds: outline(value).slice(0, Math.max(64, Math.floor(mostBytes / 2))),
    advice: 'Name a path inside, or fewer fields with select',
  })

/** The value at a JSON pointer (RFC 6901). */
export function pointed(result: unknown, pointer: string): unknown {
  const segments = pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  const value = read(result, segments)
  if (value === NOTHING)
    throw new QueryError(
      `The kept result has nothing at "${pointer.slice(0, 200)}"; it holds ${outline(result).slice(0, 1_000)}`,
    )
  return value
}
