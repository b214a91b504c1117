// The spline sampler: on a curve, beside and above it, inside it.

import { isRecord } from '../../../editor/settings.ts'
import { type Execute, type NodeContext, type NodeTable, points } from '../context.ts'
import {
  add,
  type Curve,
  distanceAtKey,
  distanceToOutline,
  insideOutline,
  keyAtDistance,
  outlineOf,
  spotAtKey,
} from '../curve.ts'
import type { Tagged } from '../data.ts'
import { type Column, each, type Points, pointsOf } from '../points.ts'
import { seedFromPosition, stream } from '../random.ts'
import { facing, type Vec } from '../rotation.ts'
import { densityOf } from '../spatial.ts'

type Options = { number(name: string): number; flag(name: string): boolean; text(name: string): string }
export function optionsOf(settings: unknown): Options {
  const record = isRecord(settings) ? settings : {}
  return {
    number: (name) => (typeof record[name] === 'number' ? record[name] : 0),
    flag: (name) => record[name] === true,
    text: (name) => (typeof record[name] === 'string' ? record[name] : ''),
  }
}

/** Keys along the curve at which points stand. */
function keysOf(curve: Curve, options: Options, seed: number, take: (count: number) => void): number[] {
  const start = Math.max(0, options.number('StartOffset'))
  const length = Math.max(0, curve.length - start - Math.max(0, options.number('EndOffset')))
  const mode = options.text('Mode')
  if (mode === 'Subdivision') {
    const per = Math.max(0, Math.trunc(options.number('SubdivisionsPerSegment'))) + 1
    take(curve.segments * per + 1)
    const inner = Array.from({ length: curve.segments * per }, (_, i) => i / per)
    return curve.closed ? inner : [...inner, curve.segments]
  }
  const step = Math.max(1e-3, options.number('DistanceIncrement'))
  // The last place of a whole closed curve is its first one.
  const ring = curve.closed && length === curve.length
  const whole = Math.floor(length / step + 1e-9)
  const fits = options.flag('bFitToCurve')
  const count =
    mode === 'NumberOfSamples'
      ? Math.max(1, Math.trunc(options.number('NumSamples')))
      : ring
        ? Math.max(1, fits ? whole : Math.ceil(length / step - 1e-9))
        : whole + 1
  take(count)
  const gaps = ring ? count : Math.max(1, count - 1)
  const spacing = mode === 'NumberOfSamples' || fits ? length / gaps : step
  const random = stream(seed)
  const spread = options.number('MaxRandomOffsetNormalized') * spacing
  return Array.from({ length: count }, (_, i) =>
    keyAtDistance(curve, start + i * spacing + (spread > 0 ? random.range(-spread, spread) / 2 : 0)),
  )
}

const scalar = (data: Float64Array): Column => ({ type: 'Double', width: 1, data, step: 1 })

function extras(curve: Curve, keys: readonly number[], options: Options): Map<string, Column> {
  const columns = new Map<string, Column>()
  const named = (wanted: string, name: string, of: (key: number, i: number) => number) => {
    if (options.flag(wanted)) columns.set(options.text(name), scalar(Float64Array.from(keys, of)))
  }
  const along = (key: number) => distanceAtKey(curve, key)
  named('bComputeAlpha', 'AlphaAttribute', (key) => (curve.length > 0 ? along(key) / curve.length : 0))
  named('bComputeDistance', 'DistanceAttribute', along)
  named('bComputeInputKey', 'InputKeyAttribute', (key) => key)
  named('bComputeSegmentIndex', 'SegmentIndexAttribute', (key) => Math.min(curve.segments - 1, Math.floor(key)))
  named('bComputeCurvature', 'CurvatureAttribute', (key) => {
    const [a, b] = [spotAtKey(curve, key - 0.05), spotAtKey(curve, key + 0.05)]
    const length = Math.hypot(...add(b.position, a.position, -1))
    return length < 1e-9 ? 0 : Math.hypot(...add(b.tangent, a.tangent, -1)) / length
  })
  named('bComputeDirectionDelta', 'NextDirectionDeltaAttribute', (key, i) => {
    const [a, b] = [spotAtKey(curve, key).tangent, spotAtKey(curve, keys[i + 1] ?? key).tangent]
    return (Math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]) * 180) / Math.PI
  })
  if (options.flag('bComputeTangents'))
    for (const name of ['ArriveTangentAttribute', 'LeaveTangentAttribute'])
      columns.set(options.text(name), {
        type: 'Vector',
        width: 3,
        data: Float64Array.from(keys.flatMap((key) => [...spotAtKey(curve, key).tangent])),
        step: 3,
      })
  return columns
}

export function placed(places: readonly { position: Vec; tangent: Vec }[], half: number, options: Options): Points {
  const byIndex = options.text('SeedingMode') === 'SeedFromIndex'
  return pointsOf(places.length, {
    position: each(Float64Array.from(places.flatMap((place) => [...place.position])), 3),
    rotation: each(Float64Array.from(places.flatMap((place) => [...facing(place.tangent)])), 4),
    seed: each(
      Int32Array.from(places, (place, i) => (byIndex ? i : seedFromPosition(...place.position))),
      1,
    ),
    steepness: { data: Float32Array.of(options.number('PointSteepness')), step: 0 },
    boundsMin: { data: new Float64Array(3).fill(-half), step: 0 },
    boundsMax: { data: new Float64Array(3).fill(half), step: 0 },
  })
}

const WIDTH = 100
/** Places beside and above each place of the curve, across its width. */
function across(
  curve: Curve,
  keys: readonly number[],
  options: Options,
  dimension: string,
  take: (count: number) => void,
): { position: Vec; tangent: Vec }[] {
  const steps = (name: string, on: boolean) => (on ? Math.max(1, Math.trunc(options.number(name))) : 0)
  const planar = steps('NumPlanarSubdivisions', dimension !== 'OnVertical')
  const height = steps('NumHeightSubdivisions', dimension !== 'OnHorizontal')
  take(keys.length * (planar + 1) * (height + 1))
  const edges = options.text('Fill') === 'EdgesOnly'
  const evenly = (n: number) => Array.from({ length: n + 1 }, (_, i) => (n === 0 ? 0 : (i / n) * 2 - 1))
  return keys.flatMap((key) => {
    const { position, tangent } = spotAtKey(curve, key)
    const side: Vec = [-tangent[1], tangent[0], 0]
    return evenly(height).flatMap((up) =>
      evenly(planar).flatMap((over) => {
        const edge = (planar > 0 && Math.abs(over) === 1) || (height > 0 && Math.abs(up) === 1)
        if (edges && !edge) return []
        return [{ position: add(add(position, side, over * WIDTH), [0, 0, 1], up * WIDTH), tangent }]
      }),
    )
  })
}

function interior(curve: Curve, options: Options, context: NodeContext): Points {
  const spacing = Math.max(1, options.number('InteriorSampleSpacing'))
  const outline = outlineOf(curve)
  const [xs, ys] = [outline.map((p) => p[0]), outline.map((p) => p[1])]
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const [first, last] = [
    [Math.ceil(x0 / spacing), Math.ceil(y0 / spacing)],
    [Math.floor(x1 / spacing), Math.floor(y1 / spacing)],
  ]
  context.budget.take(
    Math.max(0, (last[0] ?? 0) - (first[0] ?? 0) + 1) * Math.max(0, (last[1] ?? 0) - (first[1] ?? 0) + 1),
  )
  const z = outline.reduce((sum, p) => sum + p[2], 0) / Math.max(1, outline.length)
  const places: { position: Vec; tangent: Vec }[] = []
  for (let j = first[1] ?? 0; j <= (last[1] ?? -1); j++)
    for (let i = first[0] ?? 0; i <= (last[0] ?? -1); i++)
      if (insideOutline(outline, i * spacing, j * spacing))
        places.push({ position: [i * spacing, j * spacing, z], tangent: [1, 0, 0] })
  const made = placed(places, spacing / 2, options)
  const border = places.map((place) => distanceToOutline(outline, true, place.position[0], place.position[1]))
  return { ...made, attributes: new Map([['BorderDistance', scalar(Float64Array.from(border))]]) }
}

const splineSampler: Execute = (context) => {
  const options = optionsOf(context.settings['SamplerParams'])
  const dimension = options.text('Dimension')
  const shape = context.input('Bounding Shape')[0]?.data
  const inside = shape ? densityOf(shape) : null
  return context.input('Spline').flatMap((item): Tagged[] => {
    if (item.data.kind !== 'Spline') return []
    const { curve } = item.data
    if (dimension === 'OnInterior') {
      if (!curve.closed) context.warn('The curve is open: its interior cannot be sampled')
      return curve.closed ? [points(interior(curve, options, context), item.tags)] : []
    }
    const keys = keysOf(curve, options, context.seed, context.budget.take)
    if (dimension !== 'OnSpline')
      return [
        points(placed(across(curve, keys, options, dimension, context.budget.take), WIDTH / 2, options), item.tags),
      ]
    const within = keys.filter((key) => {
      const [x, y, z] = spotAtKey(curve, key).position
      return !inside || inside(x, y, z) > 0
    })
    const half = Math.max(1, curve.length / Math.max(1, keys.length) / 2)
    const attributes = extras(curve, within, options)
    const made = placed(
      within.map((key) => spotAtKey(curve, key)),
      half,
      options,
    )
    return [points({ ...made, attributes, last: [...attributes.keys()].at(-1) ?? null }, item.tags)]
  })
}

export const splineSamplers: NodeTable = { PCGSplineSamplerSettings: splineSampler }
