// A response as rows and columns, if it is a list of records or contains exactly one. Pure.
import { isRecord } from '../../../ui/form/shape.ts'

type Row = Readonly<Record<string, unknown>>
export type Grid = { readonly columns: readonly string[]; readonly rows: readonly Row[] }

/** The limit of columns and rows. */
const MOST_COLUMNS = 24

export function gridOf(value: unknown): Grid | undefined {
  const rows = rowsOf(value)
  if (!rows) return undefined
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return columns.length > 0 && columns.length <= MOST_COLUMNS ? { columns, rows } : undefined
}

function rowsOf(value: unknown): readonly Row[] | undefined {
  if (Array.isArray(value)) return value.length > 0 && value.every(isRecord) ? value : undefined
  if (!isRecord(value)) return undefined
  const lists = Object.values(value).filter((each) => Array.isArray(each))
  return lists.length === 1 ? rowsOf(lists[0]) : undefined
}
