// Rows that are written per call: as plain values for statements that are made once, not as queries that are built for each.
import type { Schema } from './schema.ts'

type Row = readonly unknown[]

export type Insertion = {
  readonly table: keyof Schema
  readonly columns: readonly string[]
  /** Whether the ids of its rows are wanted. */
  readonly ids: boolean
  /** The last so many columns differ from row to row; the others are often those of the row before. */
  readonly own: number
  /** Where given, the columns before those are stored once: as a row of another table, to which `reference` points. */
  readonly kinds?: Kinds | undefined
}

/** Each day (UTC) of `at`, one of the own columns, has kinds of its own, so that they are removed with its rows. */
export type Kinds = { readonly table: keyof Schema; readonly reference: string; readonly at: string }

/** Amounts added to counters. The counters of a parent that was deleted in the meantime are left out. */
export type Addition = {
  readonly table: keyof Schema
  /** The key of a counter, its parent first; the amount comes last in a row. */
  readonly key: readonly [parent: string, ...more: string[]]
  readonly amount: string
  readonly parents: keyof Schema
}

/** A row may hold more values than there are columns. */
export type Batch =
  | { readonly insertion: Insertion; readonly rows: readonly Row[] }
  | { readonly addition: Addition; readonly rows: readonly Row[] }

/**
 * Names a burst, so that it is written once however often it is repeated: a writer counts its bursts upwards. With `after`
 * the burst is refused as `moved` unless that was the last one written, so that two writers of one journal take turns.
 */
export type Mark = { readonly writer: string; readonly burst: number; readonly after?: number }

type Details<K> = { readonly ids?: boolean; readonly own?: number; readonly kinds?: Kinds & { readonly table: K } }

export function insertionOf<T extends keyof Schema, K extends keyof Schema = T>(
  table: T,
  columns: readonly ((keyof Schema[T] | keyof Schema[K]) & string)[],
  { ids = false, own = columns.length, kinds }: Details<K> = {},
): Insertion {
  return { table, columns, ids, own, kinds }
}

/** Whether two rows begin with the same values. */
export function beginAlike(a: Row, b: Row, length: number): boolean {
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return false
  return true
}

/** What happens to a counter that is there already. */
export const addUp = ({ table, key, amount }: Addition): string =>
  `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${amount} = ${table}.${amount} + excluded.${amount}`
