// The data view of a node (GetNodeDataView) as a page of the contract. Only `element_<n>` is known; the rest is read if there.
import type { InspectionOutput } from '../catalog/index.ts'
import { PcgError } from '../editor/editor.ts'
import { isRecord, type Json } from './bounded-json.ts'

type Page = InspectionOutput<'get_pcg_node_data'>
type Packed = NonNullable<Page['packed']>['columns'][number]
type Cell = number | string | boolean | readonly number[] | null
export type View = { readonly rows: readonly ReadonlyMap<string, Cell>[]; readonly dataClass: string | null }

const ELEMENT = /^element_(\d+)$/i
const AXES = ['x', 'y', 'z', 'w']
const ORDERS = [AXES, ['pitch', 'yaw', 'roll'], ['r', 'g', 'b', 'a']]
const BARS = 16
const PARTS: Readonly<Record<string, string>> = {
  translation: '$Position',
  location: '$Position',
  rotation: '$Rotation',
  scale: '$Scale',
  scale3d: '$Scale',
}

function lowered(value: Json): Map<string, unknown> {
  return new Map(Object.entries(value).map(([name, inner]) => [name.toLowerCase(), inner]))
}

function cell(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value
  if (!isRecord(value)) return JSON.stringify(value)
  const fields = lowered(value)
  for (const order of ORDERS) {
    const numbers = order.flatMap((axis) => {
      const number = fields.get(axis)
      return typeof number === 'number' ? [number] : []
    })
    if (numbers.length > 1 && numbers.length === fields.size) return numbers
  }
  const path = fields.get('refpath')
  return typeof path === 'string' ? path : JSON.stringify(value)
}

function rowOf(element: Json): ReadonlyMap<string, Cell> {
  const row = new Map<string, Cell>()
  for (const [name, value] of Object.entries(element)) {
    if (!/^\$?transform$/i.test(name) || !isRecord(value)) row.set(name, cell(value))
    else
      for (const [part, inner] of lowered(value)) {
        const as = PARTS[part]
        if (as !== undefined) row.set(as, cell(inner))
      }
  }
  return row
}

/** The data of a view: itself, or each part that has elements. */
export function viewsOf(value: unknown): readonly View[] {
  if (!isRecord(value)) throw new PcgError('EDITOR_ERROR', 'The editor showed the data of the node in an unknown form')
  const elements = Object.entries(value).flatMap(([name, inner]) => {
    const at = ELEMENT.exec(name)?.[1]
    return at !== undefined && isRecord(inner) ? [{ at: Number(at), row: rowOf(inner) }] : []
  })
  const inner = Object.values(value).filter(isRecord)
  if (elements.length === 0 && inner.length > 0) return inner.flatMap((part) => viewsOf(part))
  const type = value['dataType'] ?? value['type']
  elements.sort((a, b) => a.at - b.at)
  return [{ rows: elements.map(({ row }) => row), dataClass: typeof type === 'string' ? type : null }]
}

function typeOf(value: Cell): string {
  if (Array.isArray(value)) return value.length === 2 ? 'Vector2' : value.length === 3 ? 'Vector' : 'Vector4'
  return typeof value === 'number' ? 'Double' : typeof value === 'boolean' ? 'Boolean' : 'String'
}

function summary(name: string, type: string, values: readonly number[]): Page['columns'][number] {
  if (values.length === 0) return { name, type, min: null, max: null, mean: null, histogram: [] }
  let [min, max, sum] = [Infinity, -Infinity, 0]
  for (const value of values) {
    min = Math.min(min, value)
    max = Math.max(max, value)
    sum += value
  }
  const histogram = Array.from({ length: BARS }, () => 0)
  for (const value of values) {
    const bar = max > min ? Math.min(BARS - 1, Math.floor(((value - min) / (max - min)) * BARS)) : 0
    histogram[bar] = (histogram[bar] ?? 0) + 1
  }
  return { name, type, min, max, mean: sum / values.length, histogram }
}

type Column = { readonly name: string; readonly type: string; readonly width: number; readonly cells: readonly Cell[] }

function columnsOf(rows: View['rows']): Column[] {
  const names = new Set(rows.flatMap((row) => [...row.keys()]))
  return [...names].map((name) => {
    const cells = rows.map((row) => row.get(name) ?? null)
    const first = cells.find((value) => value !== null) ?? ''
    const type = typeOf(first)
    const width = type === 'String' ? 0 : Array.isArray(first) ? first.length : 1
    return { name, type, width, cells }
  })
}

function numbersOf({ cells, width }: Column, axis: number): number[] {
  if (width === 0) return []
  return cells.map((value) => Number(Array.isArray(value) ? (value[axis] ?? 0) : (value ?? 0)))
}

function packed(column: Column): Packed {
  const { name, width, cells } = column
  if (width === 0)
    return { name, width, shared: false, form: 'text', numbers: '', texts: cells.map((value) => String(value ?? '')) }
  const parts = Array.from({ length: width }, (_, axis) => numbersOf(column, axis))
  const numbers = Float64Array.from({ length: cells.length * width }, (_, at) => {
    return parts[at % width]?.[Math.floor(at / width)] ?? 0
  })
  return {
    name,
    width,
    shared: false,
    form: 'float64',
    numbers: Buffer.from(numbers.buffer).toString('base64'),
    texts: [],
  }
}

/** Ranges are those of the rows that were read: the editor summarizes nothing. */
export function pageOf(
  view: View,
  asked: { readonly offset: number; readonly limit: number; readonly every?: number; readonly packed: boolean },
): Pick<Page, 'row_count' | 'columns' | 'rows' | 'packed'> {
  const { every = 1 } = asked
  const rows = view.rows.filter((_row, at) => at % every === 0).slice(0, asked.limit)
  const columns = columnsOf(rows)
  return {
    // One more than was asked for says that there are more.
    row_count: asked.offset + view.rows.length,
    columns: columns.flatMap((column) =>
      column.width < 2
        ? [summary(column.name, column.type, column.type === 'Boolean' ? [] : numbersOf(column, 0))]
        : Array.from({ length: column.width }, (_, axis) =>
            summary(`${column.name}.${AXES[axis]?.toUpperCase()}`, column.type, numbersOf(column, axis)),
          ),
    ),
    rows: asked.packed ? [] : rows.map((row) => Object.fromEntries(row)),
    ...(asked.packed ? { packed: { row_count: rows.length, columns: columns.map(packed) } } : {}),
  }
}
