// Typed constants of the settings, and the attribute types they become.
import { isRecord } from '../../../editor/settings.ts'
import { vecOf } from '../context.ts'
import type { Column } from '../points.ts'
import { fromRotator } from '../rotation.ts'

/** Numbers per value of each attribute type; texts have none. */
export const WIDTH: Readonly<Record<string, number>> = {
  Float: 1,
  Double: 1,
  Integer32: 1,
  Integer64: 1,
  Boolean: 1,
  Vector2: 2,
  Vector: 3,
  Rotator: 3,
  Vector4: 4,
  Quaternion: 4,
  Transform: 10,
}

const FIELD: Readonly<Record<string, string>> = {
  Float: 'FloatValue',
  Double: 'DoubleValue',
  Integer32: 'Int32Value',
  Integer64: 'IntValue',
  Boolean: 'bBoolValue',
  String: 'StringValue',
  Name: 'NameValue',
  Vector2: 'Vector2Value',
  Vector: 'VectorValue',
  Vector4: 'Vector4Value',
  Rotator: 'RotatorValue',
  Quaternion: 'QuatValue',
  Transform: 'TransformValue',
  SoftObjectPath: 'SoftObjectPathValue',
  SoftClassPath: 'SoftClassPathValue',
}

function numbersOf(type: string, value: unknown): number[] {
  if (type === 'Transform') {
    const record = isRecord(value) ? value : {}
    const [pitch, yaw, roll] = vecOf(record['rotation'])
    const scale = record['scale'] === undefined ? [1, 1, 1] : vecOf(record['scale'])
    return [...vecOf(record['location']), ...fromRotator(pitch, yaw, roll), ...scale]
  }
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return Array.from({ length: WIDTH[type] ?? 1 }, (_, i) => Number(list[i] ?? 0) || 0)
}

/** A rounding each type does to what is stored in it. */
export function storedAs(type: string, value: number): number {
  if (type === 'Float') return Math.fround(value)
  if (type === 'Integer32') return Math.trunc(value) | 0
  if (type === 'Integer64') return Math.trunc(value)
  return type === 'Boolean' ? Number(value !== 0) : value
}

/** One value for all rows. */
export function constantOf(settings: unknown): Column {
  const record = isRecord(settings) ? settings : {}
  const type = typeof record['Type'] === 'string' ? record['Type'] : 'Double'
  const value = record[FIELD[type] ?? 'DoubleValue']
  if (WIDTH[type] === undefined) return { type, width: 0, texts: [typeof value === 'string' ? value : ''], step: 0 }
  const data = Float64Array.from(numbersOf(type, value), (item) => storedAs(type, item))
  return { type, width: data.length, data, step: 0 }
}
