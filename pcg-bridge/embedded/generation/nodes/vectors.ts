// Operations on vectors, rotators and transforms as attributes.

import { type NodeContext, type NodeTable, str } from '../context.ts'
import { add, cross, dot, scaled, unit } from '../curve.ts'
import type { Column } from '../points.ts'
import {
  fromAxes,
  fromRotator,
  inverse,
  lerp,
  multiply,
  normalize,
  type Quat,
  rotate,
  toRotator,
  type Vec,
} from '../rotation.ts'
import { numbers } from '../selector.ts'
import { one, operation, three } from './maths.ts'

function vectorAt(list: Float64Array, row: number): Vec {
  return [list[row * 3] ?? 0, list[row * 3 + 1] ?? 0, list[row * 3 + 2] ?? 0]
}

function aroundAxis(v: Vec, axis: Vec, degrees: number): Vec {
  const half = (degrees * Math.PI) / 360
  const [x, y, z] = unit(axis)
  return rotate([x * Math.sin(half), y * Math.sin(half), z * Math.sin(half), Math.cos(half)], v)
}

/** A transform operand: ten numbers; a quaternion or a rotator turns only. */
function transformAt(column: Column, row: number): { location: Vec; rotation: Quat; scale: Vec } {
  const at = (c: number) => (column.texts ? 0 : (column.data[row * column.step + c] ?? 0))
  if (column.width === 10)
    return { location: [at(0), at(1), at(2)], rotation: [at(3), at(4), at(5), at(6)], scale: [at(7), at(8), at(9)] }
  const rotation: Quat = column.width === 4 ? [at(0), at(1), at(2), at(3)] : fromRotator(at(0), at(1), at(2))
  return { location: [0, 0, 0], rotation, scale: [1, 1, 1] }
}

function vectorOf(name: string, a: Vec, b: Vec, other: Column | undefined, angle: number, row: number): Vec | number {
  const t =
    other && name.includes('ransform')
      ? transformAt(other, row)
      : { location: [0, 0, 0] as Vec, rotation: [0, 0, 0, 1] as Quat, scale: [1, 1, 1] as Vec }
  switch (name) {
    case 'Cross':
      return cross(a, b)
    case 'Dot':
      return dot(a, b)
    case 'Distance':
      return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
    case 'Normalize':
      return unit(a)
    case 'Length':
      return Math.hypot(...a)
    case 'RotateAroundAxis':
      return aroundAxis(a, b, angle)
    case 'TransformDirection':
      return rotate(t.rotation, a)
    case 'InverseTransformDirection':
      return rotate(inverse(t.rotation), a)
    case 'TransformLocation': {
      const v = rotate(t.rotation, [a[0] * t.scale[0], a[1] * t.scale[1], a[2] * t.scale[2]])
      return [v[0] + t.location[0], v[1] + t.location[1], v[2] + t.location[2]]
    }
    default: {
      const v = rotate(inverse(t.rotation), [a[0] - t.location[0], a[1] - t.location[1], a[2] - t.location[2]])
      return [v[0] / (t.scale[0] || 1), v[1] / (t.scale[1] || 1), v[2] / (t.scale[2] || 1)]
    }
  }
}

const vector = operation(
  (context) => {
    const name = str(context, 'Operation')
    return name === 'Normalize' || name === 'Length' ? 1 : name === 'RotateAroundAxis' ? 3 : 2
  },
  ([a, b, c], count, context) => {
    if (!a || a.texts) return undefined
    const name = str(context, 'Operation')
    const [first, second] = [numbers(a, count, 3), b && !b.texts ? numbers(b, count, 3) : new Float64Array(count * 3)]
    const angles = c ? numbers(c, count, 1) : new Float64Array(count)
    const single = ['Dot', 'Distance', 'Length'].includes(name)
    const data = new Float64Array(count * (single ? 1 : 3))
    for (let row = 0; row < count; row++) {
      const value = vectorOf(name, vectorAt(first, row), vectorAt(second, row), b, angles[row] ?? 0, row)
      if (typeof value === 'number') data[row] = value
      else data.set(value, row * 3)
    }
    return { type: single ? 'Double' : 'Vector', width: single ? 1 : 3, data, step: single ? 1 : 3 }
  },
)

const rotator = operation(
  (context) => {
    const name = str(context, 'Operation')
    if (name.endsWith('TransformRotation') && context.wired('Transform')) return ['InA', 'Transform']
    return ['Invert', 'Normalize'].includes(name) ? 1 : name === 'Lerp' ? 3 : 2
  },
  ([a, b, c], count, context) => {
    if (!a || a.texts) return undefined
    const name = str(context, 'Operation')
    const ratio = c ? numbers(c, count, 1) : new Float64Array(count)
    const data = new Float64Array(count * 4)
    for (let row = 0; row < count; row++) {
      const first = transformAt(a, row).rotation
      const second = b ? transformAt(b, row).rotation : ([0, 0, 0, 1] as Quat)
      const result =
        name === 'Invert'
          ? inverse(first)
          : name === 'Normalize'
            ? normalize(first)
            : name === 'Lerp'
              ? lerp(first, second, ratio[row] ?? 0)
              : name === 'InverseTransformRotation'
                ? multiply(inverse(second), first)
                : multiply(second, first)
      data.set(result, row * 4)
    }
    return { type: 'Quaternion', width: 4, data, step: 4 }
  },
)

type Placed = ReturnType<typeof transformAt>

/** First `a`, then `b`. */
function composed(a: Placed, b: Placed): Placed {
  const moved = rotate(b.rotation, product(a.location, b.scale))
  return {
    location: add(moved, b.location),
    rotation: multiply(b.rotation, a.rotation),
    scale: product(a.scale, b.scale),
  }
}

const product = (a: Vec, b: Vec): Vec => [a[0] * b[0], a[1] * b[1], a[2] * b[2]]

/** A scale of zero has no inverse: it stays zero. */
function inverted({ location, rotation, scale }: Placed): Placed {
  const [x, y, z] = scale
  const back: Vec = [x === 0 ? 0 : 1 / x, y === 0 ? 0 : 1 / y, z === 0 ? 0 : 1 / z]
  const turned = inverse(rotation)
  const moved = product(rotate(turned, location), back)
  return { location: [-moved[0], -moved[1], -moved[2]], rotation: turned, scale: back }
}

function between(a: Placed, b: Placed, ratio: number, mode: string): Placed {
  const mix = (from: Vec, to: Vec): Vec => add(scaled(from, 1 - ratio), to, ratio)
  const rotation =
    mode === 'EulerInterp'
      ? fromRotator(...mix(toRotator(a.rotation), toRotator(b.rotation)))
      : lerp(a.rotation, b.rotation, ratio)
  return { location: mix(a.location, b.location), rotation, scale: mix(a.scale, b.scale) }
}

const transformation = operation(
  (context) => ({ Invert: 1, Lerp: 3 })[str(context, 'Operation')] ?? 2,
  ([a, b, c], count, context) => {
    if (!a || a.texts) return undefined
    const name = str(context, 'Operation')
    const ratio = c ? numbers(c, count, 1) : new Float64Array(count)
    const data = new Float64Array(count * 10)
    for (let row = 0; row < count; row++) {
      const [first, second] = [transformAt(a, row), b ? transformAt(b, row) : null]
      const made = !second
        ? inverted(first)
        : name === 'Lerp'
          ? between(first, second, ratio[row] ?? 0, str(context, 'TransformLerpMode'))
          : composed(first, second)
      data.set([...made.location, ...made.rotation, ...made.scale], row * 10)
    }
    return { type: 'Transform', width: 10, data, step: 10 }
  },
)

/** How many numbers each input gives: three values, or a shorter vector and values. */
function widthsOf(context: NodeContext): readonly number[] {
  const [three, four] = [str(context, 'MakeVector3Op'), str(context, 'MakeVector4Op')]
  switch (str(context, 'OutputType')) {
    case 'Vector':
      return three === 'Vector2AndValue' ? [2, 1] : [1, 1, 1]
    case 'Vector4':
      return { Vector2AndTwoValues: [2, 1, 1], TwoVector2: [2, 2], Vector3AndValue: [3, 1] }[four] ?? [1, 1, 1, 1]
    default:
      return [1, 1]
  }
}

const makeVector = operation(
  (context) => widthsOf(context).length,
  (columns, count, context) => {
    const widths = widthsOf(context)
    const width = widths.reduce((sum, each) => sum + each, 0)
    const data = new Float64Array(count * width)
    let start = 0
    for (const [at, each] of widths.entries()) {
      const column = columns[at]
      const values = column ? numbers(column, count, each) : new Float64Array(count * each)
      for (let row = 0; row < count; row++)
        for (let c = 0; c < each; c++) data[row * width + start + c] = values[row * each + c] ?? 0
      start += each
    }
    return { type: `Vector${width === 3 ? '' : width}`, width, data, step: width }
  },
)

const breakVector = operation(one, ([a], count) => {
  if (!a || a.texts) return undefined
  return ['X', 'Y', 'Z', 'W'].slice(0, a.width).map((pin, c) => {
    const data = Float64Array.from({ length: count }, (_, row) => a.data[row * a.step + c] ?? 0)
    return [pin, { type: 'Double', width: 1, data, step: 1 }] as const
  })
})

const makeTransform = operation(three, ([a, b, c], count) => {
  if (!a || !b || !c) return undefined
  const [location, scale] = [numbers(a, count, 3), numbers(c, count, 3)]
  const data = new Float64Array(count * 10)
  for (let row = 0; row < count; row++) {
    data.set(vectorAt(location, row), row * 10)
    data.set(transformAt(b, row).rotation, row * 10 + 3)
    data.set(vectorAt(scale, row), row * 10 + 7)
  }
  return { type: 'Transform', width: 10, data, step: 10 }
})

const breakTransform = operation(one, ([a], count) => {
  if (!a || a.width !== 10) return undefined
  const all = numbers(a, count, 10)
  const cut = (start: number, width: number) =>
    Float64Array.from({ length: count * width }, (_, i) => all[Math.floor(i / width) * 10 + start + (i % width)] ?? 0)
  return [
    ['Translation', { type: 'Vector', width: 3, data: cut(0, 3), step: 3 }],
    ['Rotation', { type: 'Quaternion', width: 4, data: cut(3, 4), step: 4 }],
    ['Scale', { type: 'Vector', width: 3, data: cut(7, 3), step: 3 }],
  ] as const
})

const makeRotator = operation(
  (context) => context.pins.inputs.length,
  (columns, count, context) => {
    const name = str(context, 'Operation').replace('MakeRotFrom', '').toUpperCase()
    const data = new Float64Array(count * 3)
    const parts = columns.map((column) => numbers(column, count, name === 'ANGLES' ? 1 : 3))
    const [a, b, c] = parts
    for (let row = 0; row < count; row++)
      if (name === 'ANGLES') data.set([b?.[row] ?? 0, c?.[row] ?? 0, a?.[row] ?? 0], row * 3)
      else {
        const first = vectorAt(a ?? new Float64Array(count * 3), row)
        // Of three axes the first two decide.
        data.set(fromAxes(name === 'AXES' ? 'XY' : name, first, b ? vectorAt(b, row) : null), row * 3)
      }
    return { type: 'Rotator', width: 3, data, step: 3 }
  },
)

export const vectors: NodeTable = {
  PCGMetadataVectorSettings: vector,
  PCGMetadataRotatorSettings: rotator,
  PCGMetadataMakeVectorSettings: makeVector,
  PCGMetadataBreakVectorSettings: breakVector,
  PCGMetadataMakeTransformSettings: makeTransform,
  PCGMetadataBreakTransformSettings: breakTransform,
  PCGMetadataMakeRotatorSettings: makeRotator,
  PCGMetadataTransformSettings: transformation,
}
