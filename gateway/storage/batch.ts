// Rows that are written per call: as plain values for statements that are made once, not as queries that are built for each.
import type { Schema } from './schema.ts'

type Row = readonly unknown[]

export type Insertion = {
  readonly table: keyof Schema
  readonly columns: readonly string[]
  /** For one row. */
  readonly sql: string
  /** Whether somebody wants the ids its rows are given. */
  readonly ids: boolean
}

/** Amounts added to counters. The counters of a parent that was deleted meanwhile are left out. */
export type Addition = {
  readonly table: keyof Schema
  /** The key of a counter, its parent first; the amount comes last in a row. */
  readonly key: readonly [parent: string, ...more: string[]]
  readonly amount: string
  readonly parents: keyof Schema
}

export type Batch =
  | { readonly insertion: Insertion; readonly rows: readonly Row[] }
  | { readonly addition: Addition; readonly rows: readonly Row[] }

/**
 * Names a burst, so that it is written once however often it is repeated: a writer counts its bursts upwards. With `after`
 * the burst is refused as `moved` unless that was the last one written, so that two writers of one journal take turns.
 */
export type Mark = { readonly writer: string; readonly burst: number; readonly after?: number }

export function insertionOf<T extends keyof Schema>(
  table: T,
  columns: readonly (keyof Schema[T] & string)[],
  { ids = false }: { readonly ids?: boolean } = {},
): Insertion {
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  return { table, columns, sql, ids }
}

/** What happens to a counter that is there already. */
export const addUp = ({ table, key, amount }: Addition): string =>
  `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${amount} = ${table}.${amount} + excluded.${amount}`
