// One page of what a pin held, and for every column its range, mean and histogram.
import { CLASS_OF, type Data, type Tagged, tableOf } from './data.ts'
import type { Capture, Column as ColumnSummary, PackedColumn, Page } from './plan.ts'
import type { Column, Numbers, Table } from './points.ts'
import { readSelector, textAt } from './selector.ts'

const SHOWN = [
  '$Position',
  '$Rotation',
  '$Scale',
  '$Density',
  '$BoundsMin',
  '$BoundsMax',
  '$Color',
  '$Steepness',
  '$Seed',
]
const AXES = ['X', 'Y', 'Z', 'W']
const BARS = 16

function columnsOf(data: Data): [string, Column][] {
  const table = tableOf(data)
  if (!table) return []
  const built = data.kind === 'Point' ? SHOWN : []
  const all: [string, Column | undefined][] = [
    ...built.map((name): [string, Column | undefined] => [name, readSelector(table, name)]),
    ...table.attributes,
  ]
  return all.flatMap(([name, column]): [string, Column][] => (column ? [[name, column]] : []))
}

function summary(name: string, column: Column, table: Table, component: number): ColumnSummary {
  const none = { name, type: column.type, min: null, max: null, mean: null, histogram: [] }
  if (column.texts || table.count === 0) return none
  const at = (row: number) => column.data[row * column.step + component] ?? 0
  let [min, max, sum] = [Infinity, -Infinity, 0]
  for (let row = 0; row < table.count; row++) {
    const value = at(row)
    min = Math.min(min, value)
    max = Math.max(max, value)
    sum += value
  }
  const histogram = Array.from({ length: BARS }, () => 0)
  for (let row = 0; row < table.count; row++) {
    const bar = max > min ? Math.min(BARS - 1, Math.floor(((at(row) - min) / (max - min)) * BARS)) : 0
    histogram[bar] = (histogram[bar] ?? 0) + 1
  }
  return { name, type: column.type, min, max, mean: sum / table.count, histogram }
}

function summaries(name: string, column: Column, table: Table): ColumnSummary[] {
  if (column.width < 2) return [summary(name, column, table, 0)]
  return Array.from({ length: column.width }, (_, c) => summary(`${name}.${AXES[c] ?? c}`, column, table, c))
}

function cell(column: Column, row: number): unknown {
  if (column.texts) return textAt(column, row)
  if (column.type === 'Boolean') return column.data[row * column.step] !== 0
  if (column.width === 1) return column.data[row * column.step] ?? 0
  return Array.from({ length: column.width }, (_, c) => column.data[row * column.step + c] ?? 0)
}

function formOf(data: Numbers): PackedColumn['form'] {
  return data instanceof Float64Array ? 'float64' : data instanceof Float32Array ? 'float32' : 'int32'
}

/** Every n-th row of a column. */
function thinned(column: Column, offset: number, rows: number, every: number): Column {
  const { step } = column
  const at = (index: number): number => (offset + Math.floor(index / step) * every) * step + (index % step)
  const picked = <T>(from: (index: number) => T): T[] =>
    Array.from({ length: rows * step }, (_, index) => from(at(index)))
  if (column.texts) return { ...column, texts: picked((index) => column.texts[index] ?? '') }
  const numbers = picked((index) => column.data[index] ?? 0)
  const { data } = column
  if (data instanceof Float64Array) return { ...column, data: Float64Array.from(numbers) }
  return { ...column, data: data instanceof Float32Array ? Float32Array.from(numbers) : Int32Array.from(numbers) }
}

/** A column of a page in the bytes it has here; a value that all rows share is written once. */
function packedColumn(name: string, column: Column, offset: number, rows: number, every: number): PackedColumn {
  const { width, step } = column
  const shared = step === 0
  const head = { name, width, shared }
  const [from, to] = shared ? [0, Math.max(1, width)] : [offset * step, (offset + rows) * step]
  if (!shared && every > 1) return packedColumn(name, thinned(column, offset, rows, every), 0, rows, 1)
  if (column.texts) return { ...head, form: 'text', numbers: '', texts: column.texts.slice(from, to) }
  const { buffer, byteOffset, byteLength } = column.data.subarray(from, to)
  const numbers = Buffer.from(buffer, byteOffset, byteLength).toString('base64')
  return { ...head, form: formOf(column.data), numbers, texts: [] }
}

/** What one node made in a run. */
export type Held = ReadonlyMap<string, readonly Tagged[]>
/** Of one data of one pin: asked for with every page, over all rows. */
type Summaries = Map<string, readonly ColumnSummary[]>

export function pageOf(held: Held, wanted: Capture, known: Summaries = new Map()): Page {
  const pin = wanted.pin ?? (held.has('Out') ? 'Out' : ([...held.keys()][0] ?? 'Out'))
  const all = held.get(pin) ?? []
  const chosen = all[wanted.dataIndex]
  const table = chosen && tableOf(chosen.data)
  const columns = chosen ? columnsOf(chosen.data) : []
  const count = table?.count ?? 0
  const every = wanted.every ?? 1
  const rows = Math.max(0, Math.min(wanted.limit, Math.ceil((count - wanted.offset) / every)))
  const key = `${wanted.dataIndex} ${pin}`
  const summed = known.get(key) ?? (table ? columns.flatMap(([name, column]) => summaries(name, column, table)) : [])
  known.set(key, summed)
  const { offset, packed } = wanted
  return {
    pin,
    dataCount: all.length,
    dataClass: chosen ? CLASS_OF[chosen.data.kind] : null,
    tags: chosen ? [...chosen.tags] : [],
    rowCount: count,
    columns: summed,
    rows: packed
      ? []
      : Array.from({ length: rows }, (_, i) =>
          Object.fromEntries(columns.map(([name, column]) => [name, cell(column, offset + i * every)])),
        ),
    packed: packed
      ? { rows, columns: columns.map(([name, column]) => packedColumn(name, column, offset, rows, every)) }
      : null,
  }
}

/** Keeps what the last node that was looked into has made, so that its next pages need no run. */
export function createKeeper(maxBytes: number) {
  let kept: { readonly of: Capture; readonly held: Held; readonly summaries: Summaries } | null = null
  return {
    /** A page of what is kept; null where that is another's, or nothing. */
    page: (wanted: Capture): Page | null =>
      kept && kept.of.generation === wanted.generation && kept.of.node === wanted.node
        ? pageOf(kept.held, wanted, kept.summaries)
        : null,
    /** In place of what was kept, unless it is too large: then each page is run for. */
    keep(of: Capture, held: Held): void {
      kept = bytesOf(held) <= maxBytes ? { of, held, summaries: new Map() } : null
    },
    drop(): void {
      kept = null
    },
  }
}

const BYTES_OF_A_TEXT = 64

/** Of the tables; a column that several share counts once. */
export function bytesOf(held: Held): number {
  const seen = new Set<unknown>()
  let bytes = 0
  for (const { data } of [...held.values()].flat())
    for (const [, { texts, data: numbers }] of columnsOf(data)) {
      const part = texts ?? numbers.buffer
      if (seen.has(part)) continue
      seen.add(part)
      bytes += texts ? texts.length * BYTES_OF_A_TEXT : numbers.buffer.byteLength
    }
  return bytes
}
