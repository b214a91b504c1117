// What many calls have in common is stored once per day, as a kind; a connection remembers the ids of those it wrote.
import type { Insertion, Kinds } from './batch.ts'

const DAY_MS = 86_400_000
/** Names that callers make up are kinds as well. */
const MOST_KNOWN = 10_000

type Row = readonly unknown[]
export type KnownKinds = Map<string, number>

export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)
export const startOfDay = (day: number): number => day * DAY_MS

/** How one insertion with kinds is split into the kinds and the rows that refer to them. */
export type Split = {
  readonly table: Kinds['table']
  /** Of the kinds: the day, and what rows have in common. */
  readonly columns: readonly string[]
  /** Of the rows: the reference, and what is their own. */
  readonly narrow: Insertion
  dayOf(row: Row): number
  kindOf(row: Row, day: number): Row
}

const splits = new WeakMap<Insertion, Split>()

export function splitOf(insertion: Insertion): Split | undefined {
  const known = splits.get(insertion)
  if (known || insertion.kinds === undefined) return known
  const { columns, own, kinds } = insertion
  const common = columns.length - own
  const at = columns.indexOf(kinds.at)
  const split: Split = {
    table: kinds.table,
    columns: ['day', ...columns.slice(0, common)],
    narrow: { ...insertion, columns: [kinds.reference, ...columns.slice(common)], kinds: undefined },
    dayOf: (row) => dayOf(Number(row[at])),
    kindOf: (row, day) => [day, ...row.slice(0, common)],
  }
  splits.set(insertion, split)
  return split
}

export const keyOfKind = (kind: Row): string => JSON.stringify(kind)

export function remember(known: KnownKinds, key: string, id: number): void {
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(key, id)
}
