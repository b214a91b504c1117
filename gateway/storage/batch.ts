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

export type Batch =
  | { readonly insertion: Insertion; readonly rows: readonly Row[] }
  /** Anything else, with `?` for each value; run once for each row. */
  | { readonly sql: string; readonly rows: readonly Row[] }

export function insertionOf<T extends keyof Schema>(
  table: T,
  columns: readonly (keyof Schema[T] & string)[],
  { ids = false }: { readonly ids?: boolean } = {},
): Insertion {
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  return { table, columns, sql, ids }
}
