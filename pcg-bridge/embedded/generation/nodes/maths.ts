// Operations on attributes: numbers, vectors, texts, truth; row by row, a single row serves for all.
import { type Execute, flag, type NodeContext, type NodeTable, num, out, str } from '../context.ts'
import { type Tagged, tableOf, withTable } from '../data.ts'
import type { Column, Table } from '../points.ts'
import { readNumbers, readSelector, textAt, writeSelector } from '../selector.ts'
import { spread } from './attributes.ts'

type Operand = { readonly column: Column; readonly count: number }

/** The column of an input pin; a pin that is not wired reads the first input's data. */
function operand(context: NodeContext, pin: string, index: number, data: number): Operand | undefined {
  const items = context.input(pin)
  const item =
    items[items.length === 1 ? 0 : data] ??
    (context.wired(pin) ? undefined : context.input(context.pins.inputs[0] ?? '')[data])
  const table = item && tableOf(item.data)
  const selector = str(context, `InputSource${index + 1}`) || str(context, 'InputSource')
  const column = table && readSelector(table, selector)
  if (table && !column) context.warn(`'${selector}' on ${pin} matches no attribute`)
  return table && column ? { column, count: table.count } : undefined
}

type Work = (
  operands: readonly Column[],
  count: number,
  context: NodeContext,
) => Column | readonly (readonly [string, Column])[] | undefined

/** The pin whose data the result is written into: the first, or the one that is named. */
function outputPin(context: NodeContext, pins: readonly string[]): string {
  const named = str(context, 'OutputDataFromPin')
  return pins.includes(named) && context.wired(named) ? named : (pins[0] ?? 'In')
}

/** Runs once per data on the pin that leads; the result is written into that data. The pins are the first ones, or named. */
export function operation(arity: (context: NodeContext) => number | readonly string[], work: Work): Execute {
  return (context) => {
    const wanted = arity(context)
    const pins = typeof wanted === 'number' ? context.pins.inputs.slice(0, Math.max(1, wanted)) : wanted
    return context.input(outputPin(context, pins)).flatMap((item, data): Tagged[] => {
      const table = tableOf(item.data)
      const operands = pins.map((pin, index) => operand(context, pin, index, data))
      if (!table || operands.some((one) => one === undefined)) return [out(item.data, item.tags)]
      const columns = operands.flatMap((one) => (one ? [spread(one.column, one.count, table.count)] : []))
      const result = work(columns, table.count, context)
      if (!result) return [out(item.data, item.tags)]
      const named: readonly (readonly [string, Column])[] = 'type' in result ? [['Out', result]] : result
      return named.map(([pin, column]) => out(withTable(item.data, store(table, context, column)), item.tags, pin))
    })
  }
}

function store(table: Table, context: NodeContext, column: Column): Table {
  const target = str(context, 'OutputTarget') || '@Source'
  const source = str(context, 'InputSource1') || str(context, 'InputSource')
  return writeSelector(table, target, column, source) ?? table
}

export const one = () => 1
const two = () => 2
export const three = () => 3

type Loop<A> = (out: Float64Array, a: A, b: A) => void
type Loops = { readonly doubles: Loop<Float64Array>; readonly singles: Loop<Float32Array> }
/**
 * The most frequent operations, each in a loop without calls that sees one kind of array: a loop that saw both kinds
 * would take twice as long.
 */
const LOOPS: Readonly<Record<string, Loops>> = {
  Add: {
    doubles(out, a, b) {
      for (let i = 0; i < out.length; i++) {
        const value = (a[i] ?? 0) + (b[i] ?? 0)
        out[i] = Math.abs(value) < Infinity ? value : 0
      }
    },
    singles(out, a, b) {
      for (let i = 0; i < out.length; i++) {
        const value = (a[i] ?? 0) + (b[i] ?? 0)
        out[i] = Math.abs(value) < Infinity ? value : 0
      }
    },
  },
  Subtract: {
    doubles(out, a, b) {
      for (let i = 0; i < out.length; i++) {
        const value = (a[i] ?? 0) - (b[i] ?? 0)
        out[i] = Math.abs(value) < Infinity ? value : 0
      }
    },
    singles(out, a, b) {
      for (let i = 0; i < out.length; i++) {
        const value = (a[i] ?? 0) - (b[i] ?? 0)
        out[i] = Math.abs(value) < Infinity ? value : 0
      }
    },
  },
  Multiply: {
    doubles(out, a, b) {
      for (let i = 0; i < out.length; i++) {
        const value = (a[i] ?? 0) * (b[i] ?? 0)
        out[i] = Math.abs(value) < Infinity ? value : 0
      }
    },
    singles(out, a, b) {
      for (let i = 0; i < out.length; i++) {
        const value = (a[i] ?? 0) * (b[i] ?? 0)
        out[i] = Math.abs(value) < Infinity ? value : 0
      }
    },
  },
}

/** The values of `$Density` and `$Steepness` as they lie, without a copy. */
function singlesOf(column: Column | undefined, rows: number): Float32Array | undefined {
  if (column?.step !== 1 || !(column.data instanceof Float32Array) || column.data.length !== rows) return undefined
  return column.data
}

type PerNumber = (a: number, b: number, c: number) => number
function filled(
  columns: readonly Column[],
  rows: number,
  width: number,
  of: PerNumber,
  loops: Loops | undefined,
): Float64Array {
  const [x, y] = loops && width === 1 ? columns.map((column) => singlesOf(column, rows)) : []
  if (loops && x && y) {
    const data = new Float64Array(rows)
    loops.singles(data, x, y)
    return data
  }
  const read = new Map(columns.map((column) => [column.data, readNumbers(column, rows, width)]))
  const [a, b, c] = columns.map((column) => read.get(column.data))
  // A copy that was made to read it has no other reader: the result takes its place, number by number.
  const copied = [a, b, c].find((values, at) => values !== undefined && values !== columns[at]?.data)
  const data = copied ?? new Float64Array(rows * width)
  if (loops && a && b) loops.doubles(data, a, b)
  else for (let i = 0; i < data.length; i++) data[i] = of(a?.[i] ?? 0, b?.[i] ?? 0, c?.[i] ?? 0)
  return data
}

/** Component by component; the widest operand gives the width, narrower ones repeat their number. */
function perNumber(
  columns: readonly Column[],
  count: number,
  of: PerNumber,
  { type, loops }: { readonly type?: string; readonly loops?: Loops | undefined } = {},
): Column | undefined {
  if (columns.some((column) => column.texts)) return undefined
  const width = Math.max(...columns.map((column) => column.width))
  const shared = columns.every((column) => column.step === 0)
  const rows = shared ? 1 : count
  const data = filled(columns, rows, width, of, loops)
  const widest = columns.find((column) => column.width === width)
  return { type: type ?? (width === 1 ? 'Double' : (widest?.type ?? 'Vector')), width, data, step: shared ? 0 : width }
}

const UNARY = ['Sign', 'Frac', 'Truncate', 'Round', 'Sqrt', 'Abs', 'Floor', 'Ceil', 'OneMinus', 'Inc', 'Dec', 'Negate']
const TERNARY = ['Clamp', 'Lerp']
const MATHS: Readonly<Record<string, (a: number, b: number, c: number) => number>> = {
  Sign: Math.sign,
  Frac: (a) => a - Math.floor(a),
  Truncate: Math.trunc,
  Round: (a) => Math.floor(a + 0.5),
  Sqrt: (a) => Math.sqrt(Math.max(0, a)),
  Abs: Math.abs,
  Floor: Math.floor,
  Ceil: Math.ceil,
  OneMinus: (a) => 1 - a,
  Inc: (a) => a + 1,
  Dec: (a) => a - 1,
  Negate: (a) => -a,
  Add: (a, b) => a + b,
  Subtract: (a, b) => a - b,
  Multiply: (a, b) => a * b,
  Divide: (a, b) => (b === 0 ? 0 : a / b),
  // Three numbers arrive, the third being zero.
  Max: (a, b) => Math.max(a, b),
  Min: (a, b) => Math.min(a, b),
  Pow: (a, b) => a ** b,
  ClampMin: (a, b) => Math.max(a, b),
  ClampMax: (a, b) => Math.min(a, b),
  Modulo: (a, b) => (b === 0 ? 0 : a % b),
  Set: (_, b) => b,
  Clamp: (a, b, c) => Math.min(c, Math.max(b, a)),
  Lerp: (a, b, c) => a + (b - a) * c,
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}

const maths = operation(
  (context) => (UNARY.includes(str(context, 'Operation')) ? 1 : TERNARY.includes(str(context, 'Operation')) ? 3 : 2),
  (columns, count, context) => {
    const name = str(context, 'Operation')
    const of = MATHS[name]
    const rounds = ['Truncate', 'Round', 'Floor', 'Ceil'].includes(name) && flag(context, 'bForceRoundingOpToInt')
    return (
      of &&
      perNumber(columns, count, (a, b, c) => finite(of(a, b, c)), {
        ...(rounds ? { type: 'Integer64' } : {}),
        loops: LOOPS[name],
      })
    )
  },
)

const TRIG: Readonly<Record<string, (a: number, b: number) => number>> = {
  Acos: (a) => Math.acos(Math.min(1, Math.max(-1, a))),
  Asin: (a) => Math.asin(Math.min(1, Math.max(-1, a))),
  Atan: Math.atan,
  Atan2: Math.atan2,
  Cos: Math.cos,
  Sin: Math.sin,
  Tan: Math.tan,
  DegToRad: (a) => (a * Math.PI) / 180,
  RadToDeg: (a) => (a * 180) / Math.PI,
}
const trig = operation(
  (context) => (str(context, 'Operation') === 'Atan2' ? 2 : 1),
  (columns, count, context) => {
    const of = TRIG[str(context, 'Operation')]
    return of && perNumber(columns, count, (a, b) => finite(of(a, b)))
  },
)

export function compare(name: string, a: Column, b: Column, row: number, tolerance: number): boolean {
  if (a.texts || b.texts) {
    const [x, y] = [textAt(a, row), textAt(b, row)]
    if (name === 'Equal') return x === y
    if (name === 'NotEqual') return x !== y
    return name.startsWith('Greater')
      ? x > y || (name.endsWith('Equal') && x === y)
      : x < y || (name.endsWith('Equal') && x === y)
  }
  const [x, y] = [a.data[row * a.step] ?? 0, b.data[row * b.step] ?? 0]
  const equal = Array.from({ length: Math.min(a.width, b.width) }, (_, c) => c).every(
    (c) => Math.abs((a.data[row * a.step + c] ?? 0) - (b.data[row * b.step + c] ?? 0)) <= tolerance,
  )
  if (name === 'Equal') return equal
  if (name === 'NotEqual') return !equal
  if (name === 'Greater') return x > y
  if (name === 'GreaterOrEqual') return x >= y
  return name === 'Less' || name === 'Lesser' ? x < y : x <= y
}

function truth(count: number, of: (row: number) => boolean): Column {
  const data = new Float64Array(count)
  for (let row = 0; row < count; row++) data[row] = Number(of(row))
  return { type: 'Boolean', width: 1, data, step: 1 }
}

const compareNode = operation(two, ([a, b], count, context) =>
  a && b ? truth(count, (row) => compare(str(context, 'Operation'), a, b, row, num(context, 'Tolerance'))) : undefined,
)

/** Over 64 bits, as the attributes have; a number of this engine holds 53 of them. */
const BITS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  And: (a, b) => a & b,
  Or: (a, b) => a | b,
  Xor: (a, b) => a ^ b,
  Not: (a) => ~a,
}
const TRUTHS: Readonly<Record<string, (a: boolean, b: boolean) => boolean>> = {
  And: (a, b) => a && b,
  Or: (a, b) => a || b,
  Xor: (a, b) => a !== b,
  Not: (a) => !a,
}
const bits = (context: NodeContext) => (str(context, 'Operation') === 'Not' ? 1 : 2)
const bitwise = operation(bits, (columns, count, context) => {
  const of = BITS[str(context, 'Operation')]
  const whole = (value: number) => BigInt(Math.trunc(finite(value)))
  return of && perNumber(columns, count, (a, b) => Number(of(whole(a), whole(b))), { type: 'Integer64' })
})
const boolean = operation(bits, (columns, count, context) => {
  const of = TRUTHS[str(context, 'Operation')]
  return of && perNumber(columns, count, (a, b) => Number(of(a !== 0, b !== 0)), { type: 'Boolean' })
})

const strings = operation(
  (context) => (str(context, 'Operation') === 'Replace' ? 3 : 2),
  ([a, b, c], count, context) => {
    if (!a || !b) return undefined
    const replace = str(context, 'Operation') === 'Replace'
    const of = (row: number) =>
      replace ? textAt(a, row).replaceAll(textAt(b, row), c ? textAt(c, row) : '') : textAt(a, row) + textAt(b, row)
    return { type: 'String', width: 0, texts: Array.from({ length: count }, (_, row) => of(row)), step: 1 }
  },
)

export const mathsNodes: NodeTable = {
  PCGMetadataMathsSettings: maths,
  PCGMetadataTrigSettings: trig,
  PCGMetadataCompareSettings: compareNode,
  PCGMetadataBitwiseSettings: bitwise,
  PCGMetadataBooleanSettings: boolean,
  PCGMetadataStringOpSettings: strings,
}
