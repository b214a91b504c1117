// Rows of a node's data in typed columns: a million rows are sorted, coloured and drawn without an object each.
import type { InspectionOutput } from '#pcg-catalog'
import { t } from '../../language/language.ts'

export type DataPage = InspectionOutput<'get_pcg_node_data'>
export type Summary = DataPage['columns'][number]
type Values = Float64Array<ArrayBuffer> | string[]

/** One component of a column, such as `$Position.X`: numbers in a preallocated array, or text. */
export type SheetColumn = { readonly name: string; readonly type: string; readonly values: Values }
export type Sheet = {
  readonly total: number
  readonly loaded: number
  readonly columns: ReadonlyMap<string, SheetColumn>
  /** Over all rows, loaded or not. */
  readonly summaries: readonly Summary[]
}

const AXES = ['X', 'Y', 'Z', 'W']

export const emptySheet = ({ row_count, columns }: DataPage): Sheet => ({
  total: row_count,
  loaded: 0,
  columns: new Map(),
  summaries: columns,
})

/** Appends a page; existing arrays are shared with the previous sheet. */
export function withPage(sheet: Sheet, page: DataPage): Sheet {
  const columns = new Map(sheet.columns)
  const types = new Map(page.columns.map(({ name, type }) => [name, type]))
  const valuesOf = (name: string, numeric: boolean): Values => {
    const column = columns.get(name) ?? {
      name,
      type: types.get(name) ?? '',
      values: numeric ? new Float64Array(sheet.total) : [],
    }
    columns.set(name, column)
    return column.values
  }
  if (page.packed) writeColumns(page.packed.columns, sheet.loaded, page.packed.row_count, valuesOf)
  else writeRows(page.rows, sheet.loaded, valuesOf)
  return { ...sheet, loaded: sheet.loaded + rowsOf(page), columns }
}

/** The number of rows in a page. */
export const rowsOf = ({ rows, packed }: DataPage): number => packed?.row_count ?? rows.length

type ValuesOf = (name: string, numeric: boolean) => Values
const partName = (name: string, at: number): string => `${name}.${AXES[at] ?? at}`

/** A page of an editor that does not pack. */
function writeRows(rows: DataPage['rows'], from: number, valuesOf: ValuesOf): void {
  const place = (name: string, value: unknown, row: number): void => {
    const values = valuesOf(name, typeof value === 'number' || typeof value === 'boolean')
    if (Array.isArray(values)) values[row] = String(value)
    else values[row] = Number(value)
  }
  rows.forEach((record, index) => {
    for (const [name, value] of Object.entries(record)) {
      if (!Array.isArray(value)) place(name, value, from + index)
      else value.forEach((part, at) => place(partName(name, at), part, from + index))
    }
  })
}

type PackedColumn = NonNullable<DataPage['packed']>['columns'][number]

function writeColumns(columns: readonly PackedColumn[], from: number, rows: number, valuesOf: ValuesOf): void {
  for (const column of columns) {
    const { name, width, shared, form } = column
    const step = shared ? 0 : Math.max(1, width)
    const given = form === 'text' ? column.texts : numbersIn(column)
    if (given.length !== (shared ? Math.max(1, width) : rows * step))
      throw new Error(t('The rows of {name} arrived damaged.', { name }))
    for (let part = 0; part < Math.max(1, width); part += 1) {
      const values = valuesOf(width > 1 ? partName(name, part) : name, form !== 'text')
      if (Array.isArray(values)) for (let row = 0; row < rows; row += 1) values[from + row] = String(given[row * step])
      else for (let row = 0; row < rows; row += 1) values[from + row] = Number(given[row * step + part])
    }
  }
}

const FORMS = { float64: Float64Array, float32: Float32Array, int32: Int32Array } as const

function numbersIn({ form, numbers }: PackedColumn): Float64Array | Float32Array | Int32Array {
  const text = atob(numbers)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  // Text columns have none.
  const Form = form === 'text' ? Int32Array : FORMS[form]
  return new Form(bytes.buffer, 0, Math.floor(bytes.length / Form.BYTES_PER_ELEMENT))
}

/** The memory limit for one data object. */
export const MOST_BYTES = 512 * 2 ** 20
const BYTES_OF_A_NUMBER = 8
/** The approximate cost of a string. */
const BYTES_OF_A_TEXT = 48

function rowBytes(sheet: Sheet): number {
  return [...sheet.columns.values()].reduce(
    (sum, { values }) => sum + (Array.isArray(values) ? BYTES_OF_A_TEXT : BYTES_OF_A_NUMBER),
    0,
  )
}

/** The memory that all its rows need. */
export const bytesOf = (sheet: Sheet): number => rowBytes(sheet) * sheet.total

/** The number of rows that fit. */
export const roomOf = (sheet: Sheet): number =>
  Math.min(sheet.total, Math.floor(MOST_BYTES / Math.max(1, rowBytes(sheet))))

export function numbersOf(sheet: Sheet, name: string): Float64Array<ArrayBuffer> | undefined {
  const values = sheet.columns.get(name)?.values
  return Array.isArray(values) ? undefined : values
}

const FILTER = /^([^]+?)(>=|<=|!=|=|>|<)([^]+)$/

/** Loaded rows that match a filter: `$Density > 0.5`, `Name = oak`, or a word in any text. */
export function filteredRows(sheet: Sheet, filter: string): readonly number[] {
  const test = testOf(sheet, filter)
  const rows: number[] = []
  for (let row = 0; row < sheet.loaded; row += 1) if (test(row)) rows.push(row)
  return rows
}

/** Null: no filter. */
export function filterProblem(sheet: Sheet, filter: string): string | null {
  const name = FILTER.exec(filter.trim())?.[1]?.trim()
  return name === undefined || sheet.columns.has(name) ? null : t('There is no column {name}', { name })
}

function testOf(sheet: Sheet, filter: string): (row: number) => boolean {
  const [name = '', sign = '', wanted = ''] = (FILTER.exec(filter.trim()) ?? []).slice(1).map((part) => part.trim())
  const column = sheet.columns.get(name)
  if (column) {
    const { values } = column
    if (Array.isArray(values)) return (row) => (values[row] === wanted) !== (sign === '!=')
    const limit = wanted === 'true' ? 1 : wanted === 'false' ? 0 : Number(wanted)
    return (row) => compared(values[row] ?? Number.NaN, sign, limit)
  }
  if (name !== '') return () => false
  const word = filter.trim().toLowerCase()
  const texts = [...sheet.columns.values()].flatMap(({ values }) => (Array.isArray(values) ? [values] : []))
  return (row) => word === '' || texts.some((values) => (values[row] ?? '').toLowerCase().includes(word))
}

function compared(value: number, sign: string, limit: number): boolean {
  switch (sign) {
    case '>':
      return value > limit
    case '<':
      return value < limit
    case '>=':
      return value >= limit
    case '<=':
      return value <= limit
    case '=':
      return value === limit
    default:
      return value !== limit
  }
}

/** Compares a column with the previous run: the change of its mean, or that it is new. */
export function changeOf(now: Summary, before: readonly Summary[] | null): string | null {
  if (before === null) return null
  const old = before.find(({ name }) => name === now.name)
  if (!old) return 'new'
  if (now.mean === null || old.mean === null || now.mean === old.mean) return null
  return t('mean {signed}', { signed: signed(now.mean - old.mean) })
}

const signed = (value: number): string => `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toPrecision(3))}`

export const shortNumber = (value: number): string => String(Number(value.toPrecision(4)))
