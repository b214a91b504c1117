// Attribute selectors: `$Density`, `$Position.X`, `Name`, `Name.Y`, `@Last`, `@Source`. Read and write a column.

import {
  type Column,
  each,
  type Field,
  type Numbers,
  own,
  type Points,
  room,
  type Table,
  withAttribute,
} from './points.ts'
import { multiply, type Quat, toRotator } from './rotation.ts'

type PropertyRow = { readonly type: string; readonly width: number; read(points: Points): Field<Numbers> }

function combine(points: Points, width: number, of: (row: number, out: Float64Array) => void): Field<Numbers> {
  const data = new Float64Array(points.count * width)
  for (let row = 0; row < points.count; row++) of(row, data)
  return each(data, width)
}

function boundsPart(points: Points, part: (low: number, high: number, scale: number) => number): Field<Numbers> {
  const { boundsMin: low, boundsMax: high, scale } = points
  return combine(points, 3, (row, out) => {
    for (let k = 0; k < 3; k++)
      out[row * 3 + k] = part(
        low.data[row * low.step + k] ?? 0,
        high.data[row * high.step + k] ?? 0,
        scale.data[row * scale.step + k] ?? 1,
      )
  })
}

/** The built-in properties of a point. */
const PROPERTIES: Readonly<Record<string, PropertyRow>> = {
  density: { type: 'Float', width: 1, read: (p) => p.density },
  position: { type: 'Vector', width: 3, read: (p) => p.position },
  rotation: { type: 'Quaternion', width: 4, read: (p) => p.rotation },
  scale: { type: 'Vector', width: 3, read: (p) => p.scale },
  boundsmin: { type: 'Vector', width: 3, read: (p) => p.boundsMin },
  boundsmax: { type: 'Vector', width: 3, read: (p) => p.boundsMax },
  color: { type: 'Vector4', width: 4, read: (p) => p.color },
  steepness: { type: 'Float', width: 1, read: (p) => p.steepness },
  seed: { type: 'Integer32', width: 1, read: (p) => p.seed },
  extents: { type: 'Vector', width: 3, read: (p) => boundsPart(p, (low, high) => (high - low) / 2) },
  localcenter: { type: 'Vector', width: 3, read: (p) => boundsPart(p, (low, high) => (high + low) / 2) },
  localsize: { type: 'Vector', width: 3, read: (p) => boundsPart(p, (low, high) => high - low) },
  scaledlocalsize: { type: 'Vector', width: 3, read: (p) => boundsPart(p, (low, high, scale) => (high - low) * scale) },
  transform: {
    type: 'Transform',
    width: 10,
    read: (p) =>
      combine(p, 10, (row, out) => {
        for (let k = 0; k < 3; k++) out[row * 10 + k] = p.position.data[row * p.position.step + k] ?? 0
        for (let k = 0; k < 4; k++) out[row * 10 + 3 + k] = p.rotation.data[row * p.rotation.step + k] ?? 0
        for (let k = 0; k < 3; k++) out[row * 10 + 7 + k] = p.scale.data[row * p.scale.step + k] ?? 1
      }),
  },
}

export type Selector = { readonly property: boolean; readonly name: string; readonly parts: readonly string[] }

/** What `@Last` and `@Source` stand for is decided here, with the data and the node's input selector at hand. */
export function parseSelector(text: string, table: Table, source = '@Last'): Selector | undefined {
  const bare = text.trim().replace(/^@(Data|Points|Elements)\./i, '')
  const [head = '', ...parts] = bare.split('.')
  if (head.toLowerCase() === '@source') {
    const found = parseSelector(source.toLowerCase() === '@source' ? '@Last' : source, table)
    return found && { ...found, parts: parts.length > 0 ? parts : found.parts }
  }
  if (head.startsWith('@')) return table.last === null ? undefined : { property: false, name: table.last, parts }
  if (head.startsWith('$')) return { property: true, name: head.slice(1).toLowerCase(), parts }
  return head === '' || head === 'None'
    ? undefined
    : { property: false, name: bare in table.attributes ? bare : head, parts }
}

const COMPONENTS: Readonly<Record<string, number>> = {
  x: 0,
  y: 1,
  z: 2,
  w: 3,
  r: 0,
  g: 1,
  b: 2,
  a: 3,
  pitch: 0,
  yaw: 1,
  roll: 2,
}

function isPoints(table: Table): table is Points {
  return 'position' in table
}

function whole(table: Table, selector: Selector): Column | undefined {
  if (!selector.property) return table.attributes.get(selector.name)
  if (selector.name === 'index') {
    const data = Float64Array.from({ length: table.count }, (_, i) => i)
    return { type: 'Integer32', width: 1, data, step: 1 }
  }
  const row = PROPERTIES[selector.name]
  if (!row || !isPoints(table)) return undefined
  return { type: row.type, width: row.width, ...row.read(table) }
}

/** One number per row out of a wider column. */
export function componentOf(column: Column, count: number, index: number): Column {
  if (column.texts || column.width === 1) return column
  const rows = column.step === 0 ? 1 : count
  const data = new Float64Array(rows)
  for (let i = 0; i < rows; i++) data[i] = column.data[i * column.width + index] ?? 0
  return { type: 'Double', width: 1, data, step: column.step === 0 ? 0 : 1 }
}

function derived(column: Column, count: number, part: string): Column | undefined {
  if (column.texts) return undefined
  const rows = column.step === 0 ? 1 : count
  const at = (row: number, c: number) => column.data[row * column.width + c] ?? 0
  if (part === 'length') {
    const data = new Float64Array(rows)
    for (let i = 0; i < rows; i++) {
      let sum = 0
      for (let c = 0; c < column.width; c++) sum += at(i, c) * at(i, c)
      data[i] = Math.sqrt(sum)
    }
    return { type: 'Double', width: 1, data, step: column.step === 0 ? 0 : 1 }
  }
  if (column.type === 'Quaternion' && ['pitch', 'yaw', 'roll'].includes(part)) {
    const data = new Float64Array(rows)
    for (let i = 0; i < rows; i++)
      data[i] = toRotator([at(i, 0), at(i, 1), at(i, 2), at(i, 3)])[COMPONENTS[part] ?? 0] ?? 0
    return { type: 'Double', width: 1, data, step: column.step === 0 ? 0 : 1 }
  }
  if (column.type === 'Transform') {
    const place = {
      position: [0, 3, 'Vector'],
      location: [0, 3, 'Vector'],
      rotation: [3, 4, 'Quaternion'],
      scale: [7, 3, 'Vector'],
    } as const
    const found = Object.entries(place).find(([name]) => name === part)?.[1]
    if (!found) return undefined
    const [start, width, type] = found
    const data = new Float64Array(rows * width)
    for (let i = 0; i < rows; i++) for (let c = 0; c < width; c++) data[i * width + c] = at(i, start + c)
    return { type, width, data, step: column.step === 0 ? 0 : width }
  }
  const index = COMPONENTS[part]
  return index === undefined || index >= column.width ? undefined : componentOf(column, count, index)
}

export function readSelector(table: Table, text: string, source?: string): Column | undefined {
  const selector = parseSelector(text, table, source)
  const column = selector && whole(table, selector)
  return (
    selector?.parts.reduce<Column | undefined>(
      (found, part) => found && derived(found, table.count, part.toLowerCase()),
      column,
    ) ?? (selector?.parts.length === 0 ? column : undefined)
  )
}

/** A column as numbers of the width asked for; a single number fills all components. */
export function numbers(column: Column, count: number, width: number): Float64Array {
  const out = new Float64Array(count * width)
  if (column.texts) {
    for (let i = 0; i < count; i++) {
      const value = Number(column.texts[i * column.step] ?? 0)
      out.fill(Number.isFinite(value) ? value : 0, i * width, (i + 1) * width)
    }
    return out
  }
  const { data, step, width: own } = column
  if (own === width && step === width) out.set(data.subarray(0, out.length))
  else if (own === 1 && step === 0) out.fill(data[0] ?? 0)
  else
    for (let i = 0; i < count; i++)
      for (let c = 0; c < width; c++)
        out[i * width + c] = c < own ? (data[i * step + c] ?? 0) : own === 1 ? (data[i * step] ?? 0) : 0
  return out
}

/** As `numbers`, to be read only: doubles that lie as they are wanted are not copied. */
export function readNumbers(column: Column, count: number, width: number): Float64Array {
  const lies = !column.texts && column.width === width && column.step === width && column.data instanceof Float64Array
  return lies && column.data.length === count * width ? column.data : numbers(column, count, width)
}

export function texts(column: Column, count: number): string[] {
  const out: string[] = []
  for (let i = 0; i < count; i++) out.push(textAt(column, i))
  return out
}

export function textAt(column: Column, row: number): string {
  if (column.texts) return column.texts[row * column.step] ?? ''
  const values = Array.from({ length: column.width }, (_, c) => column.data[row * column.step + c] ?? 0)
  if (column.type === 'Boolean') return values[0] ? 'true' : 'false'
  return values.join(',')
}

/** Point fields a selector can write, with how to store the column there. */
function setProperty(points: Points, name: string, column: Column): Points | undefined {
  const { count } = points
  const store = <A extends Numbers>(like: Field<A>, width: number): Field<A> => {
    const data = room(like, count, width)
    data.set(numbers(column, count, width))
    return { data, step: width }
  }
  switch (name) {
    case 'density':
      return { ...points, density: store(points.density, 1) }
    case 'position':
      return { ...points, position: store(points.position, 3) }
    case 'rotation': {
      if (column.width !== 3) return { ...points, rotation: store(points.rotation, 4) }
      const angles = numbers(column, count, 3)
      return { ...points, rotation: each(rotatorsToQuats(angles, count), 4) }
    }
    case 'scale':
      return { ...points, scale: store(points.scale, 3) }
    case 'boundsmin':
      return { ...points, boundsMin: store(points.boundsMin, 3) }
    case 'boundsmax':
      return { ...points, boundsMax: store(points.boundsMax, 3) }
    case 'color':
      return { ...points, color: store(points.color, 4) }
    case 'steepness':
      return { ...points, steepness: store(points.steepness, 1) }
    case 'seed':
      return { ...points, seed: store(points.seed, 1) }
    case 'extents':
    case 'localcenter':
      return setBox(points, name, numbers(column, count, 3))
    case 'transform': {
      if (column.width !== 10) return undefined
      const cut = (start: number, width: number) => {
        const all = numbers(column, count, 10)
        const data = new Float64Array(count * width)
        for (let i = 0; i < count; i++)
          for (let c = 0; c < width; c++) data[i * width + c] = all[i * 10 + start + c] ?? 0
        return each(data, width)
      }
      return { ...points, position: cut(0, 3), rotation: cut(3, 4), scale: cut(7, 3) }
    }
    default:
      return undefined
  }
}

function setBox(points: Points, what: 'extents' | 'localcenter', values: Float64Array): Points {
  const low = own(points.boundsMin, points.count, 3)
  const high = own(points.boundsMax, points.count, 3)
  for (let i = 0; i < low.length; i++) {
    const [a, b, value] = [low[i] ?? 0, high[i] ?? 0, values[i] ?? 0]
    const center = what === 'localcenter' ? value : (a + b) / 2
    const half = what === 'extents' ? value : (b - a) / 2
    low[i] = center - half
    high[i] = center + half
  }
  return { ...points, boundsMin: each(low, 3), boundsMax: each(high, 3) }
}

function rotatorsToQuats(angles: Float64Array, count: number): Float64Array {
  const out = new Float64Array(count * 4)
  for (let i = 0; i < count; i++) {
    const q = quatOf(angles[i * 3] ?? 0, angles[i * 3 + 1] ?? 0, angles[i * 3 + 2] ?? 0)
    out.set(q, i * 4)
  }
  return out
}

function quatOf(pitch: number, yaw: number, roll: number): Quat {
  const half = Math.PI / 360
  const about = (x: number, y: number, z: number, angle: number): Quat => {
    const s = Math.sin(angle * half)
    return [x * s, y * s, z * s, Math.cos(angle * half)]
  }
  return multiply(about(0, 0, 1, yaw), multiply(about(0, -1, 0, pitch), about(-1, 0, 0, roll)))
}

function mergeComponent(old: Column, count: number, index: number, column: Column): Column {
  if (old.texts) return old
  const data = numbers(old, count, old.width)
  const values = numbers(column, count, 1)
  for (let i = 0; i < count; i++) data[i * old.width + index] = values[i] ?? 0
  return { type: old.type, width: old.width, data, step: old.width }
}

/** The table with the column in its place; nothing when the selector names no place. */
export function writeSelector<T extends Table>(table: T, text: string, column: Column, source?: string): T | undefined {
  const selector = parseSelector(text, table, source)
  if (!selector) return undefined
  const [part] = selector.parts
  const index = part === undefined ? undefined : COMPONENTS[part.toLowerCase()]
  const old = index === undefined ? undefined : whole(table, selector)
  const value = old && index !== undefined ? mergeComponent(old, table.count, index, column) : column
  if (!selector.property) return withAttribute(table, selector.name, value)
  if (!isPoints(table)) return undefined
  // A point table stays one: setProperty replaces fields of the same record.
  return setProperty(table, selector.name, value) as (T & Points) | undefined
}
