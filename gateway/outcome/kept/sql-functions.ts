// What SQL computes with: cells as SQLite has them, its functions and what it adds up over rows.
import { isExactNumber } from '../../text/exact-json.ts'
import { NOTHING } from '../json-path.ts'
import { QueryError, type Work } from './query-error.ts'

export type Cell = string | number | null

/** Of a text that is made, in characters. */
const MOST_TEXT = 1_000_000

/** A boolean is 1 or 0, a list or an object its JSON. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined || value === NOTHING) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  return isExactNumber(value) ? Number(value.rawJSON) : JSON.stringify(value)
}

export const flag = (is: boolean): Cell => Number(is)
export function numberOf(cell: Cell): number {
  if (typeof cell === 'number') return cell
  const [found = '0'] = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/.exec(cell ?? '') ?? []
  return Number(found)
}
export const textOf = (cell: Cell): string => (cell === null ? '' : String(cell))
export const isTrue = (cell: Cell): boolean => cell !== null && numberOf(cell) !== 0

const rankOf = (cell: Cell): number => (cell === null ? 0 : typeof cell === 'number' ? 1 : 2)

/** Nothing first, then numbers, then texts. */
export function compared(a: Cell, b: Cell): number {
  const ranks = rankOf(a) - rankOf(b)
  if (ranks !== 0 || a === null || b === null) return ranks
  return a < b ? -1 : Number(a > b)
}

function within(text: string): string {
  if (text.length > MOST_TEXT) throw new QueryError('sql: a text becomes too long')
  return text
}
export const joined = (a: Cell, b: Cell): Cell => (a === null || b === null ? null : within(textOf(a) + textOf(b)))

/** `%` for any characters, `_` for one; ASCII letters in either case. */
export function isLike(text: string, pattern: string, work: Work): boolean {
  const lower = (given: string): string[] => Array.from(given.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()))
  const [subject, wanted] = [lower(text), lower(pattern)]
  let [at, next, star, mark] = [0, 0, -1, 0]
  while (at < subject.length) {
    work.spend(1)
    if (wanted[next] === '%') [star, mark] = [next++, at]
    else if (next < wanted.length && (wanted[next] === '_' || wanted[next] === subject[at]))
      [at, next] = [at + 1, next + 1]
    else if (star === -1) return false
    else [next, at] = [star + 1, ++mark]
  }
  while (wanted[next] === '%') next += 1
  return next === wanted.length
}

/** Positions count from 1, or from the end where negative. */
function part(text: string, from: number, length = Number.POSITIVE_INFINITY): string {
  const characters = Array.from(text)
  const start = from > 0 ? from - 1 : from < 0 ? characters.length + from : -1
  const [first, last] = length < 0 ? [start + length, start] : [start, start + length]
  return characters.slice(Math.max(0, first), Math.max(0, last)).join('')
}

function rounded(value: number, digits: number): number {
  const shown = Number(`${Math.abs(value)}e${digits}`)
  const whole = Number.isFinite(shown) ? Math.round(shown) : Number.NaN
  return Number.isNaN(whole) ? value : Math.sign(value) * Number(`${whole}e-${digits}`) || 0
}

const trimmed = (text: string, set: string, ends: 'both' | 'left' | 'right'): string => {
  const characters = new Set(set)
  let [from, to] = [0, text.length]
  if (ends !== 'right') while (from < to && characters.has(text[from] ?? '')) from += 1
  if (ends !== 'left') while (to > from && characters.has(text[to - 1] ?? '')) to -= 1
  return text.slice(from, to)
}
const trim =
  (ends: 'both' | 'left' | 'right') =>
  ([text = null, set = ' ']: readonly Cell[]): Cell =>
    text === null || set === null ? null : trimmed(textOf(text), textOf(set), ends)

const extreme =
  (sign: 1 | -1) =>
  (cells: readonly Cell[]): Cell =>
    cells.includes(null) ? null : cells.reduce((best, cell) => (compared(cell, best) * sign > 0 ? cell : best))

const onText =
  (make: (text: string) => Cell) =>
  ([cell = null]: readonly Cell[]): Cell =>
    cell === null ? null : make(textOf(cell))

type Scalar = { readonly least: number; readonly most: number; readonly run: (cells: readonly Cell[]) => Cell }
const scalar = (least: number, most: number, run: Scalar['run']): Scalar => ({ least, most, run })
const ascii = (text: string, change: (letters: string) => string): string => text.replace(/[A-Za-z]+/g, change)
const substr = scalar(2, 3, ([text = null, from = null, length]) => {
  if (text === null || from === null || length === null) return null
  return part(textOf(text), Math.trunc(numberOf(from)), length === undefined ? undefined : Math.trunc(numberOf(length)))
})

export const SCALARS: ReadonlyMap<string, Scalar> = new Map([
  ['abs', scalar(1, 1, ([cell = null]) => (cell === null ? null : Math.abs(numberOf(cell))))],
  ['coalesce', scalar(2, 20, (cells) => cells.find((cell) => cell !== null) ?? null)],
  ['iif', scalar(3, 3, ([is = null, yes = null, no = null]) => (isTrue(is) ? yes : no))],
  ['ifnull', scalar(2, 2, ([a = null, b = null]) => a ?? b)],
  [
    'instr',
    scalar(2, 2, ([text = null, part = null]) => {
      if (text === null || part === null) return null
      const at = textOf(text).indexOf(textOf(part))
      return at === -1 ? 0 : Array.from(textOf(text).slice(0, at)).length + 1
    }),
  ],
  [
    'length',
    scalar(
      1,
      1,
      onText((text) => Array.from(text).length),
    ),
  ],
  [
    'lower',
    scalar(
      1,
      1,
      onText((text) => ascii(text, (letters) => letters.toLowerCase())),
    ),
  ],
  ['ltrim', scalar(1, 2, trim('left'))],
  ['max', scalar(2, 20, extreme(1))],
  ['min', scalar(2, 20, extreme(-1))],
  ['nullif', scalar(2, 2, ([a = null, b = null]) => (a !== null && b !== null && compared(a, b) === 0 ? null : a))],
  [
    'replace',
    scalar(3, 3, ([text = null, from = null, to = null]) => {
      if (text === null || from === null || to === null) return null
      if (from === '') return textOf(text)
      const parts = textOf(text).split(textOf(from))
      if (parts.length * textOf(to).length > MOST_TEXT) within('x'.repeat(MOST_TEXT + 1))
      return within(parts.join(textOf(to)))
    }),
  ],
  [
    'round',
    scalar(1, 2, ([cell = null, digits = 0]) => {
      if (cell === null || digits === null) return null
      return rounded(numberOf(cell), Math.min(15, Math.max(0, Math.trunc(numberOf(digits)))))
    }),
  ],
  ['rtrim', scalar(1, 2, trim('right'))],
  ['substr', substr],
  ['substring', substr],
  ['trim', scalar(1, 2, trim('both'))],
  [
    'typeof',
    scalar(1, 1, ([cell = null]) => {
      if (cell === null) return 'null'
      return typeof cell === 'string' ? 'text' : Number.isInteger(cell) ? 'integer' : 'real'
    }),
  ],
  [
    'upper',
    scalar(
      1,
      1,
      onText((text) => ascii(text, (letters) => letters.toUpperCase())),
    ),
  ],
])

export type Sum = { readonly add: (cell: Cell, more: Cell) => void; readonly value: () => Cell }

const bestOf = (sign: 1 | -1) => (): Sum => {
  let best: Cell = null
  return {
    add: (cell) => void (cell !== null && (best === null || compared(cell, best) * sign > 0) && (best = cell)),
    value: () => best,
  }
}

function adding(value: (sum: number, count: number) => Cell): () => Sum {
  return () => {
    let [sum, count] = [0, 0]
    const add = (cell: Cell): void => {
      if (cell === null) return
      sum += numberOf(cell)
      count += 1
    }
    return { add, value: () => value(sum, count) }
  }
}

function joining(): Sum {
  let text: string | null = null
  return {
    add(cell, separator) {
      if (cell !== null) text = text === null ? textOf(cell) : within(text + textOf(separator) + textOf(cell))
    },
    value: () => text,
  }
}

/** Each over the values of a group that are not null. */
export const SUMS: ReadonlyMap<string, () => Sum> = new Map([
  ['avg', adding((sum, count) => (count === 0 ? null : sum / count))],
  ['count', adding((_sum, count) => count)],
  ['group_concat', joining],
  ['max', bestOf(1)],
  ['min', bestOf(-1)],
  ['sum', adding((sum, count) => (count === 0 ? null : sum))],
  ['total', adding((sum) => sum)],
])
