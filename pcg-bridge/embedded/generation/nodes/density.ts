// Density: noise, filter, remap, and density from normals, distance and patterns in space.

import { counted } from '../../../editor/counted.ts'
import { isRecord } from '../../../editor/settings.ts'
import {
  type Execute,
  flag,
  type NodeContext,
  type NodeTable,
  num,
  perPoints,
  points,
  pointsOn,
  str,
  vec,
  vecOf,
} from '../context.ts'
import { lattice, octaves, valueNoise } from '../height-field.ts'
import { densityBoxes } from '../point-index.ts'
import { type Column, each, own, type Points, pick, room, withAttribute } from '../points.ts'
import { fractionOf, next, seed1, seed2, stream } from '../random.ts'
import { rotate } from '../rotation.ts'
import { writeSelector } from '../selector.ts'

/** The usual case in a loop of its own: noise alone, a seed for each point, a range that needs no clamp. */
function drawAll(out: Float32Array, seeds: Int32Array, seed: number, low: number, span: number): void {
  const start = seed1(seed)
  for (let i = 0; i < out.length; i++)
    out[i] = low + span * fractionOf(next(start ^ (Math.imul(seeds[i] ?? 0, 73148459) + 453816763)))
}

type Mix = 0 | 1 | 2 | 3 | 4
const MODES = ['Set', 'Minimum', 'Maximum', 'Add', 'Multiply']

const densityNoise = perPoints((given, context) => {
  // An unknown mode is refused when it is set: what is here is one of the five.
  const mode = Math.max(0, MODES.indexOf(str(context, 'DensityMode'))) as Mix
  const low = num(context, 'DensityNoiseMin')
  const span = num(context, 'DensityNoiseMax') - low
  const invert = flag(context, 'bInvertSourceDensity')
  const { data: seeds, step } = given.seed
  const { data: old, step: oldStep } = given.density
  const density = room(given.density, given.count, 1)
  const { seed } = context
  if (mode === 0 && step === 1 && low >= 0 && span >= 0 && low + span <= 1) drawAll(density, seeds, seed, low, span)
  else
    for (let i = 0; i < given.count; i++) {
      const noise = low + span * fractionOf(next(seed2(seed, seeds[i * step] ?? 0)))
      let source = old[i * oldStep] ?? 0
      if (invert) source = 1 - source
      let value = noise
      if (mode === 1) value = Math.min(source, noise)
      else if (mode === 2) value = Math.max(source, noise)
      else if (mode === 3) value = source + noise
      else if (mode === 4) value = source * noise
      density[i] = value < 0 ? 0 : value > 1 ? 1 : value
    }
  return { ...given, density: each(density, 1) }
})

const densityFilter = perPoints((given, context) => {
  const [low, high] = [num(context, 'LowerBound'), num(context, 'UpperBound')]
  const [invert, keepZero] = [flag(context, 'bInvertFilter'), flag(context, 'bKeepZeroDensityPoints')]
  const { data, step } = given.density
  const rows = new Int32Array(given.count)
  let kept = 0
  for (let row = 0; row < given.count; row++) {
    const value = data[row * step] ?? 0
    if (value === 0 && !keepZero && !invert) continue
    if ((value >= low && value <= high) !== invert) rows[kept++] = row
  }
  return kept === given.count ? given : pick(given, rows.subarray(0, kept))
})

/** Equal ends of the in-range give the middle of the out-range. */
export function remap(value: number, inMin: number, inMax: number, outMin: number, outMax: number): number {
  if (inMax === inMin) return (outMin + outMax) / 2
  return outMin + ((value - inMin) / (inMax - inMin)) * (outMax - outMin)
}

const densityRemap = perPoints((given, context) => {
  const [a, b, c, d] = [
    num(context, 'InRangeMin'),
    num(context, 'InRangeMax'),
    num(context, 'OutRangeMin'),
    num(context, 'OutRangeMax'),
  ]
  const skip = flag(context, 'bExcludeValuesOutsideInputRange')
  const density = own(given.density, given.count, 1).map((value) =>
    skip && (value < Math.min(a, b) || value > Math.max(a, b))
      ? value
      : Math.min(1, Math.max(0, remap(value, a, b, c, d))),
  )
  return { ...given, density: each(density, 1) }
})

function blend(mode: string, old: number, value: number): number {
  switch (mode) {
    case 'Minimum':
      return Math.min(old, value)
    case 'Maximum':
      return Math.max(old, value)
    case 'Add':
      return old + value
    case 'Subtract':
      return old - value
    case 'Multiply':
      return old * value
    case 'Divide':
      return value === 0 ? 0 : old / value
    default:
      return value
  }
}

const normalToDensity = perPoints((given, context) => {
  const normal = vec(context, 'Normal')
  const length = Math.hypot(...normal) || 1
  const [offset, power] = [num(context, 'Offset'), 1 / Math.max(1e-4, num(context, 'Strength'))]
  const mode = str(context, 'DensityMode')
  const density = own(given.density, given.count, 1)
  const { data, step } = given.rotation
  for (let i = 0; i < given.count; i++) {
    const r = i * step
    const up = rotate([data[r] ?? 0, data[r + 1] ?? 0, data[r + 2] ?? 0, data[r + 3] ?? 1], [0, 0, 1])
    const along = (up[0] * normal[0] + up[1] * normal[1] + up[2] * normal[2]) / length + offset
    const value = Math.min(1, Math.max(0, along)) ** power
    density[i] = Math.min(1, Math.max(0, blend(mode, density[i] ?? 0, value)))
  }
  return { ...given, density: each(density, 1) }
})

function voronoi(
  x: number,
  y: number,
  seed: number,
  randomness: number,
): { distance: number; edge: number; id: number } {
  const [ix, iy] = [Math.floor(x), Math.floor(y)]
  let [first, second, id] = [Infinity, Infinity, 0]
  for (let j = iy - 1; j <= iy + 1; j++)
    for (let i = ix - 1; i <= ix + 1; i++) {
      const cx = i + 0.5 + (lattice(i, j, seed) - 0.5) * randomness
      const cy = j + 0.5 + (lattice(i, j, seed + 1) - 0.5) * randomness
      const d = Math.hypot(cx - x, cy - y)
      if (d < first) {
        second = first
        first = d
        id = lattice(i, j, seed + 2)
      } else if (d < second) second = d
    }
  return { distance: Math.min(1, first), edge: Math.min(1, (second - first) / 2), id }
}

function noiseAt(mode: string, x: number, y: number, seed: number, iterations: number, randomness: number): number {
  switch (mode) {
    case 'Voronoi2D':
      return voronoi(x, y, seed, randomness).distance
    case 'Caustic2D': {
      const warp = octaves(x, y, seed + 17, iterations)
      return 1 - Math.abs(valueNoise(x + warp, y - warp, seed))
    }
    case 'EdgeMask2D':
      return Math.min(1, Math.max(0, 0.5 + octaves(x, y, seed, iterations)))
    default:
      return 0.5 + 0.5 * octaves(x, y, seed, iterations)
  }
}

/** Own lattice functions: patterns of the same kind as the engine's, not the same numbers. */
const spatialNoise = perPoints((given, context) => {
  const transform = context.settings['Transform']
  const record = isRecord(transform) ? transform : {}
  const [location, scale] = [
    vecOf(record['location']),
    record['scale'] === undefined ? ([1, 1, 1] as const) : vecOf(record['scale']),
  ]
  const draw = stream(context.seed)
  const random = vec(context, 'RandomOffset').map((most) => draw.range(-most, most))
  const [mode, iterations] = [str(context, 'Mode'), Math.max(1, Math.trunc(num(context, 'Iterations')))]
  const [brightness, contrast] = [num(context, 'Brightness'), num(context, 'Contrast')]
  const randomness = num(context, 'VoronoiCellRandomness')
  const values = new Float64Array(given.count)
  const ids = new Float64Array(mode === 'Voronoi2D' ? given.count : 0)
  const { data, step } = given.position
  // A pattern of one metre at scale one.
  const unit = 100
  for (let i = 0; i < given.count; i++) {
    const x = ((data[i * step] ?? 0) - location[0] + (random[0] ?? 0)) / ((scale[0] || 1) * unit)
    const y = ((data[i * step + 1] ?? 0) - location[1] + (random[1] ?? 0)) / ((scale[1] || 1) * unit)
    const value = noiseAt(mode, x, y, context.seed, iterations, randomness)
    values[i] = Math.min(1, Math.max(0, (value - 0.5) * contrast + 0.5 + brightness))
    if (ids.length > 0) ids[i] = voronoi(x, y, context.seed, randomness).id
  }
  const column = (numbers: Float64Array): Column => ({ type: 'Double', width: 1, data: numbers, step: 1 })
  const target = str(context, 'ValueTarget') || '$Density'
  const result = writeSelector(given, target, column(values)) ?? given
  const idTarget = str(context, 'VoronoiCellIDTarget')
  return ids.length > 0 && idTarget !== '' ? (writeSelector(result, idTarget, column(ids)) ?? result) : result
})

type Shape = {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly radius: number
  readonly box: readonly number[]
}
function shapes(given: Points, kind: string): Shape[] {
  const boxes = densityBoxes({ ...given, steepness: { data: Float32Array.of(1), step: 0 } })
  return Array.from({ length: given.count }, (_, row): Shape => {
    const box = boxes.subarray(row * 6, row * 6 + 6)
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = box
    const center = kind === 'Center'
    const { data, step } = given.position
    const at = (k: number) => data[row * step + k] ?? 0
    return {
      x: center ? at(0) : (a + d) / 2,
      y: center ? at(1) : (b + e) / 2,
      z: center ? at(2) : (c + f) / 2,
      radius: kind === 'SphereBounds' ? Math.hypot(d - a, e - b, f - c) / 2 : 0,
      box: kind === 'BoxBounds' ? [(d - a) / 2, (e - b) / 2, (f - c) / 2] : [0, 0, 0],
    }
  })
}

function gap(a: Shape, b: Shape): number {
  const side = (d: number, k: number) => Math.max(0, Math.abs(d) - (a.box[k] ?? 0) - (b.box[k] ?? 0))
  return Math.max(0, Math.hypot(side(a.x - b.x, 0), side(a.y - b.y, 1), side(a.z - b.z, 2)) - a.radius - b.radius)
}

function distances(given: Points, others: readonly Points[], context: NodeContext): Points {
  const sources = shapes(given, str(context, 'SourceShape'))
  const targets = others.flatMap((other) => (other === given ? sources : shapes(other, str(context, 'TargetShape'))))
  const most = num(context, 'MaximumDistance')
  const asVector = flag(context, 'bOutputDistanceVector')
  const width = asVector ? 3 : 1
  const values = new Float64Array(given.count * width)
  const density = flag(context, 'bSetDensity') ? own(given.density, given.count, 1) : null
  sources.forEach((source, row) => {
    let [least, nearest] = [most, null as Shape | null]
    for (const target of targets) {
      if (target === source) continue
      const found = gap(source, target)
      if (found < least || (nearest === null && found <= most)) [least, nearest] = [found, target]
    }
    if (asVector && nearest) values.set([nearest.x - source.x, nearest.y - source.y, nearest.z - source.z], row * 3)
    else if (!asVector) values[row] = least
    if (density) density[row] = most > 0 ? Math.min(1, least / most) : 0
  })
  const result = density ? { ...given, density: each(density, 1) } : given
  if (!flag(context, 'bOutputToAttribute')) return result
  const name = str(context, 'OutputAttribute') || 'Distance'
  return withAttribute(result, name, { type: asVector ? 'Vector' : 'Double', width, data: values, step: width })
}

/** A pair of large lists would take the square of their sizes. */
const MOST_PAIRS = 400_000_000
const distance: Execute = (context) => {
  const targets = pointsOn(context, 'Target')
  const respective = flag(context, 'bCheckSourceAgainstRespectiveTarget')
  return pointsOn(context, 'Source').map(({ points: given, tags }, i) => {
    const chosen = (respective ? targets.slice(i, i + 1) : targets).map((item) => item.points)
    const pairs = given.count * chosen.reduce((sum, other) => sum + other.count, 0)
    if (pairs > MOST_PAIRS)
      throw new RangeError(`${counted(given.count, 'point')} and too many targets to compare: filter first`)
    return points(distances(given, chosen, context), tags)
  })
}

export const density: NodeTable = {
  PCGDensityNoiseSettings: densityNoise,
  PCGDensityFilterSettings: densityFilter,
  PCGDensityRemapSettings: densityRemap,
  PCGNormalToDensitySettings: normalToDensity,
  PCGSpatialNoiseSettings: spatialNoise,
  PCGDistanceSettings: distance,
}
