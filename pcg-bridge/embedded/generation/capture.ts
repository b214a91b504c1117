// One page of what a pin held, and for every column its range, mean and histogram.
import { CLASS_OF, type Data, type Tagged, tableOf } from './data.ts'
import type { Capture, Column as ColumnSummary, Page } from './plan.ts'
import type { Column, Table } from './points.ts'
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

export function pageOf(held: ReadonlyMap<string, readonly Tagged[]>, wanted: Capture): Page {
  const pin = wanted.pin ?? (held.has('Out') ? 'Out' : ([...held.keys()][0] ?? 'Out'))
  const all = held.get(pin) ?? []
  const chosen = all[wanted.dataIndex]
  const table = chosen && tableOf(chosen.data)
  const columns = chosen ? columnsOf(chosen.data) : []
  const count = table?.count ?? 0
  const rows = Math.max(0, Math.min(wanted.limit, count - wanted.offset))
  return {
    pin,
    dataCount: all.length,
    dataClass: chosen ? CLASS_OF[chosen.data.kind] : null,
    tags: chosen ? [...chosen.tags] : [],
    rowCount: count,
    columns: table ? columns.flatMap(([name, column]) => summaries(name, column, table)) : [],
    rows: Array.from({ length: rows }, (_, i) =>
      Object.fromEntries(columns.map(([name, column]) => [name, cell(column, wanted.offset + i)])),
    ),
  }
}
