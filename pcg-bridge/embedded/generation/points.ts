// Points as columns. A column that is one value for all points is stored once (`step` 0) and shared, never copied.
import type { Budget } from './budget.ts'

export type Numbers = Float64Array | Float32Array | Int32Array
/** The value of point `i` starts at `i * step`. */
export type Field<A extends Numbers> = { readonly data: A; readonly step: number }
export type F64 = Field<Float64Array>
export type F32 = Field<Float32Array>
export type I32 = Field<Int32Array>

/** An attribute: numbers of a fixed width, or texts. */
export type NumberColumn = {
  readonly type: string
  readonly width: number
  readonly data: Numbers
  readonly step: number
  readonly texts?: undefined
}
export type TextColumn = {
  readonly type: string
  readonly width: 0
  readonly texts: readonly string[]
  readonly step: number
  readonly data?: undefined
}
export type Column = NumberColumn | TextColumn

export type Table = {
  readonly count: number
  readonly attributes: ReadonlyMap<string, Column>
  /** The attribute written last: what `@Last` means. */
  readonly last: string | null
}

export type Points = Table & {
  readonly position: F64
  readonly rotation: F64
  readonly scale: F64
  readonly density: F32
  readonly boundsMin: F64
  readonly boundsMax: F64
  readonly color: F32
  readonly steepness: F32
  readonly seed: I32
}

export const f64 = (...values: readonly number[]): F64 => ({ data: Float64Array.from(values), step: 0 })
export const f32 = (...values: readonly number[]): F32 => ({ data: Float32Array.from(values), step: 0 })
export const each = <A extends Numbers>(data: A, width: number): Field<A> => ({ data, step: width })

const NO_ATTRIBUTES: ReadonlyMap<string, Column> = new Map()
const IDENTITY_ROTATION = f64(0, 0, 0, 1)
const ONES = f64(1, 1, 1)
const UNIT_MIN = f64(-1, -1, -1)
const UNIT_MAX = f64(1, 1, 1)
const WHITE = f32(1, 1, 1, 1)
const FULL = f32(1)
const HALF = f32(0.5)
const NO_SEED: I32 = { data: new Int32Array(1), step: 0 }

type PointFields = Omit<Points, 'count'>
export function pointsOf(count: number, fields: Partial<PointFields> & Pick<Points, 'position'>): Points {
  return {
    rotation: IDENTITY_ROTATION,
    scale: ONES,
    density: FULL,
    boundsMin: UNIT_MIN,
    boundsMax: UNIT_MAX,
    color: WHITE,
    steepness: HALF,
    seed: NO_SEED,
    attributes: NO_ATTRIBUTES,
    last: null,
    ...fields,
    count,
  }
}

export const NO_POINTS: Points = pointsOf(0, { position: each(new Float64Array(0), 3) })

function make<A extends Numbers>(like: A, length: number): A {
  // The same kind of array as `like`: its own constructor makes it.
  return new (like.constructor as new (length: number) => A)(length)
}

/** A column of its own for every point, to be written into. */
export function own<A extends Numbers>(field: Field<A>, count: number, width: number): A {
  const data = make(field.data, count * width)
  if (field.step !== 0) data.set(field.data.subarray(0, count * width))
  else if (width === 1) data.fill(field.data[0] ?? 0)
  else for (let i = 0; i < data.length; i++) data[i] = field.data[i % width] ?? 0
  return data
}

/** Uninitialised room like `field`, for code that writes every value. */
export function room<A extends Numbers>(field: Field<A>, count: number, width: number): A {
  return make(field.data, count * width)
}

/** The wide columns are all doubles: a loop that sees one kind of array only is twice as fast. */
function pickDoubles(data: Float64Array, out: Float64Array, width: number, rows: Int32Array): void {
  const fourth = width === 4
  const wide = width > 4
  for (let i = 0, o = 0; i < rows.length; i++) {
    const at = (rows[i] ?? 0) * width
    out[o++] = data[at] ?? 0
    out[o++] = data[at + 1] ?? 0
    if (width > 2) out[o++] = data[at + 2] ?? 0
    if (fourth) out[o++] = data[at + 3] ?? 0
    else if (wide) for (let c = 3; c < width; c++) out[o++] = data[at + c] ?? 0
  }
}

function pickField<A extends Numbers>(field: Field<A>, width: number, rows: Int32Array): Field<A> {
  if (field.step === 0) return field
  const { data } = field
  const out = make(data, rows.length * width)
  if (data instanceof Float64Array && out instanceof Float64Array && width > 1) pickDoubles(data, out, width, rows)
  else if (width === 1) for (let i = 0; i < rows.length; i++) out[i] = data[rows[i] ?? 0] ?? 0
  else
    for (let i = 0, o = 0; i < rows.length; i++)
      for (let c = 0, at = (rows[i] ?? 0) * width; c < width; c++) out[o++] = data[at++] ?? 0
  return { data: out, step: width }
}

export function pickColumn(column: Column, rows: Int32Array): Column {
  if (column.step === 0) return column
  if (column.texts) {
    const { texts } = column
    return { ...column, texts: Array.from(rows, (row) => texts[row] ?? '') }
  }
  return { ...column, data: pickField({ data: column.data, step: column.step }, column.width, rows).data }
}

function pickAttributes(table: Table, rows: Int32Array): ReadonlyMap<string, Column> {
  if (table.attributes.size === 0) return table.attributes
  return new Map([...table.attributes].map(([name, column]) => [name, pickColumn(column, rows)]))
}

export function pickTable(table: Table, rows: Int32Array): Table {
  return { count: rows.length, attributes: pickAttributes(table, rows), last: table.last }
}

/** The points at these rows, in this order; a row may come several times. */
export function pick(points: Points, rows: Int32Array): Points {
  return {
    count: rows.length,
    position: pickField(points.position, 3, rows),
    rotation: pickField(points.rotation, 4, rows),
    scale: pickField(points.scale, 3, rows),
    density: pickField(points.density, 1, rows),
    boundsMin: pickField(points.boundsMin, 3, rows),
    boundsMax: pickField(points.boundsMax, 3, rows),
    color: pickField(points.color, 4, rows),
    steepness: pickField(points.steepness, 1, rows),
    seed: pickField(points.seed, 1, rows),
    attributes: pickAttributes(points, rows),
    last: points.last,
  }
}

/** Rows for which `keep` says yes. */
export function rowsWhere(count: number, keep: (row: number) => boolean): Int32Array {
  const rows = new Int32Array(count)
  let kept = 0
  for (let row = 0; row < count; row++) if (keep(row)) rows[kept++] = row
  return rows.subarray(0, kept)
}

function joinField<A extends Numbers>(parts: readonly { field: Field<A>; count: number }[], width: number): Field<A> {
  const [first] = parts
  if (!first) throw new RangeError('Nothing to join')
  // A shared value that is the same everywhere stays shared.
  if (parts.every((part) => part.field.step === 0 && part.field.data === first.field.data)) return first.field
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  const out = make(first.field.data, total * width)
  let at = 0
  for (const { field, count } of parts) {
    out.set(own(field, count, width), at)
    at += count * width
  }
  return { data: out, step: width }
}

/** A column that has no value of its own for a row. */
export function blank(column: Column): Column {
  return column.texts
    ? { ...column, texts: [''], step: 0 }
    : { ...column, data: make(column.data, column.width), step: 0 }
}

function joinColumns(parts: readonly { column: Column; count: number }[]): Column {
  const first = parts[0]?.column
  if (!first) throw new RangeError('Nothing to join')
  const { width } = first
  if (width === 0) {
    const texts: string[] = []
    for (const { column, count } of parts)
      for (let row = 0; row < count; row++) texts.push(column.texts ? (column.texts[row * column.step] ?? '') : '')
    return { type: first.type, width, texts, step: 1 }
  }
  const fields = parts.map(({ column, count }) => {
    const same = column.width === width ? column : blank(first)
    const data = same.texts ? new Float64Array(width) : Float64Array.from(same.data)
    return { field: { data, step: same.step }, count }
  })
  return { type: first.type, width, ...joinField(fields, width) }
}

/** Attributes of all; what a part does not have is blank there. The first part decides the type of a name. */
export function joinAttributes(parts: readonly Table[]): ReadonlyMap<string, Column> {
  const names = new Set(parts.flatMap((part) => [...part.attributes.keys()]))
  const joined = new Map<string, Column>()
  for (const name of names) {
    const model = parts.find((part) => part.attributes.has(name))?.attributes.get(name)
    if (model)
      joined.set(
        name,
        joinColumns(parts.map((part) => ({ column: part.attributes.get(name) ?? blank(model), count: part.count }))),
      )
  }
  return joined
}

export function joinTables(parts: readonly Table[]): Table {
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    attributes: joinAttributes(parts),
    last: parts.findLast((part) => part.last !== null)?.last ?? null,
  }
}

export function join(parts: readonly Points[], budget: Budget): Points {
  const [first] = parts
  if (!first) return NO_POINTS
  if (parts.length === 1) return first
  const table = { ...joinShape(parts), attributes: joinAttributes(parts) }
  budget.take(table.count)
  const all = <A extends Numbers>(of: (points: Points) => Field<A>, width: number) =>
    joinField(
      parts.map((points) => ({ field: of(points), count: points.count })),
      width,
    )
  return {
    ...table,
    position: all((p) => p.position, 3),
    rotation: all((p) => p.rotation, 4),
    scale: all((p) => p.scale, 3),
    density: all((p) => p.density, 1),
    boundsMin: all((p) => p.boundsMin, 3),
    boundsMax: all((p) => p.boundsMax, 3),
    color: all((p) => p.color, 4),
    steepness: all((p) => p.steepness, 1),
    seed: all((p) => p.seed, 1),
  }
}

function joinShape(parts: readonly Table[]) {
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    last: parts.findLast((part) => part.last !== null)?.last ?? null,
  }
}

export function withAttribute<T extends Table>(table: T, name: string, column: Column): T {
  return { ...table, attributes: new Map([...table.attributes, [name, column]]), last: name }
}
