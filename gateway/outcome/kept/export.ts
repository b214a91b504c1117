// A list of a kept result as a file: CSV, NDJSON or Parquet. Fields of nested objects become columns with dots.
import { parquetWriteBuffer } from 'hyparquet-writer'
import { isExactNumber } from '../../text/exact-json.ts'
import { placeOf, type ResultPlace } from './query.ts'
import { QueryError } from './query-error.ts'
import { isThing } from './value.ts'

export const EXPORTS = ['csv', 'ndjson', 'parquet'] as const
export type ExportFormat = (typeof EXPORTS)[number]

const MOST_COLUMNS = 500
type Cell = string | number | boolean | null
type Row = ReadonlyMap<string, Cell>

const cellOf = (value: unknown): Cell => {
  if (value === null || value === undefined) return null
  if (isExactNumber(value)) return value.rawJSON
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value)
}

function addFields(row: Map<string, Cell>, value: unknown, path: string): void {
  if (isThing(value) && Object.keys(value).length > 0)
    for (const [key, each] of Object.entries(value)) addFields(row, each, path === '' ? key : `${path}.${key}`)
  else row.set(path === '' ? 'value' : path, cellOf(value))
}

function rowOf(value: unknown): Row {
  const row = new Map<string, Cell>()
  addFields(row, value, '')
  return row
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = new Set<string>()
  for (const row of rows) for (const name of row.keys()) names.add(name)
  if (names.size > MOST_COLUMNS)
    throw new QueryError(`The rows have ${names.size} fields, and a file holds ${MOST_COLUMNS}. Export as NDJSON`)
  return [...names]
}

/** A text that a spreadsheet would read as a formula is marked as text. */
function csvCell(cell: Cell): string {
  if (cell === null) return ''
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function csv(rows: readonly Row[]): string {
  const columns = columnsOf(rows)
  const lines = rows.map((row) => columns.map((name) => csvCell(row.get(name) ?? null)).join(','))
  return `${[columns.map(csvCell).join(','), ...lines].join('\r\n')}\r\n`
}

/** One type a column: numbers where all are numbers, else text. */
function parquet(rows: readonly Row[]): ArrayBuffer {
  return parquetWriteBuffer({
    columnData: columnsOf(rows).map((name) => {
      const cells = rows.map((row) => row.get(name) ?? null)
      const given = cells.filter((cell) => cell !== null)
      if (given.every((cell) => typeof cell === 'number')) return { name, data: cells, type: 'DOUBLE', nullable: true }
      if (given.every((cell) => typeof cell === 'boolean'))
        return { name, data: cells, type: 'BOOLEAN', nullable: true }
      return { name, data: cells.map((cell) => (cell === null ? null : String(cell))), type: 'STRING', nullable: true }
    }),
  })
}

/** As Base64. A value that is no list is a list of one. */
export function exported(result: unknown, from: ResultPlace, format: ExportFormat): string {
  const place = placeOf(result, from)
  const list = Array.isArray(place) ? place : [place]
  if (format === 'ndjson')
    return Buffer.from(list.map((each) => `${JSON.stringify(each)}\n`).join('')).toString('base64')
  const rows = list.map(rowOf)
  const bytes = format === 'csv' ? Buffer.from(csv(rows)) : Buffer.from(parquet(rows))
  return bytes.toString('base64')
}
