// Boxes of points: their size, centre, pivot; splitting, joining and repeating points along them.

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
import { each, join, own, type Points, pick, pointsOf } from '../points.ts'
import { fromRotator, multiply, normalize, type Quat, rotate, type Vec } from '../rotation.ts'

type Box = { low: Float64Array; high: Float64Array }
function boxes(given: Points): Box {
  return { low: own(given.boundsMin, given.count, 3), high: own(given.boundsMax, given.count, 3) }
}
function boxed(given: Points, { low, high }: Box): Points {
  return { ...given, boundsMin: each(low, 3), boundsMax: each(high, 3) }
}

const boundsModifier = perPoints((given, context) => {
  const box = boxes(given)
  const [min, max] = [vec(context, 'BoundsMin'), vec(context, 'BoundsMax')]
  const mode = str(context, 'Mode')
  const change = (value: number, by: number, low: boolean) => {
    switch (mode) {
      case 'Set':
        return by
      case 'Intersect':
        return low ? Math.max(value, by) : Math.min(value, by)
      case 'Include':
        return low ? Math.min(value, by) : Math.max(value, by)
      case 'Translate':
        return value + by
      default:
        return value * by
    }
  }
  for (let i = 0; i < box.low.length; i++) {
    box.low[i] = change(box.low[i] ?? 0, min[i % 3] ?? 0, true)
    box.high[i] = change(box.high[i] ?? 0, max[i % 3] ?? 0, false)
  }
  if (!flag(context, 'bAffectSteepness')) return boxed(given, box)
  // The smaller of two when they intersect, the larger when one includes the other.
  const by = num(context, 'Steepness')
  const steepness = own(given.steepness, given.count, 1).map((value) =>
    Math.min(1, Math.max(0, change(value, by, false))),
  )
  return { ...boxed(given, box), steepness: each(steepness, 1) }
})

const extentsModifier = perPoints((given, context) => {
  const box = boxes(given)
  const by = vec(context, 'Extents')
  const mode = str(context, 'Mode')
  const change = (half: number, value: number) => {
    if (mode === 'Minimum') return Math.min(half, value)
    if (mode === 'Maximum') return Math.max(half, value)
    if (mode === 'Add') return half + value
    return mode === 'Multiply' ? half * value : value
  }
  for (let i = 0; i < box.low.length; i++) {
    const [a, b] = [box.low[i] ?? 0, box.high[i] ?? 0]
    const half = change((b - a) / 2, by[i % 3] ?? 0)
    box.low[i] = (a + b) / 2 - half
    box.high[i] = (a + b) / 2 + half
  }
  return boxed(given, box)
})

const applyScale = perPoints((given) => {
  const box = boxes(given)
  const scale = own(given.scale, given.count, 3)
  for (let i = 0; i < scale.length; i++) {
    const size = Math.abs(scale[i] ?? 1)
    box.low[i] = (box.low[i] ?? 0) * size
    box.high[i] = (box.high[i] ?? 0) * size
    scale[i] = (scale[i] ?? 1) < 0 ? -1 : 1
  }
  return { ...boxed(given, box), scale: each(scale, 3) }
})

function rotationAt(given: Points, row: number): Quat {
  const { data, step } = given.rotation
  const at = row * step
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, data[at + 3] ?? 1]
}
function vecAt(field: Points['position'], row: number): Vec {
  const at = row * field.step
  return [field.data[at] ?? 0, field.data[at + 1] ?? 0, field.data[at + 2] ?? 0]
}

/** The pivot moves inside the box; the box stays where it is. */
const resetCenter = perPoints((given, context) => {
  const box = boxes(given)
  const position = own(given.position, given.count, 3)
  const place = vec(context, 'PointCenterLocation')
  for (let row = 0; row < given.count; row++) {
    const scale = vecAt(given.scale, row)
    const shift = [0, 1, 2].map((k) => {
      const [low, high] = [box.low[row * 3 + k] ?? 0, box.high[row * 3 + k] ?? 0]
      const pivot = low + (high - low) * (place[k] ?? 0)
      box.low[row * 3 + k] = low - pivot
      box.high[row * 3 + k] = high - pivot
      return pivot * (scale[k] ?? 1)
    })
    const moved = rotate(rotationAt(given, row), vecOf(shift))
    for (let k = 0; k < 3; k++) position[row * 3 + k] = (position[row * 3 + k] ?? 0) + (moved[k] ?? 0)
  }
  return { ...boxed(given, box), position: each(position, 3) }
})

const splitPoints: Execute = (context) => {
  const axis = Math.max(0, ['X', 'Y', 'Z'].indexOf(str(context, 'SplitAxis')))
  const where = Math.min(1, Math.max(0, num(context, 'SplitPosition')))
  return pointsOn(context, 'In').flatMap(({ points: given, tags }) => {
    const [before, after] = [boxes(given), boxes(given)]
    for (let row = 0; row < given.count; row++) {
      const at = row * 3 + axis
      const cut = (before.low[at] ?? 0) + ((before.high[at] ?? 0) - (before.low[at] ?? 0)) * where
      before.high[at] = cut
      after.low[at] = cut
    }
    return [points(boxed(given, before), tags, 'Before Split'), points(boxed(given, after), tags, 'After Split')]
  })
}

/** One point that covers all, in the frame of the first or of the transform given. */
const combinePoints = perPoints((given, context) => {
  if (given.count === 0) return given
  const set = context.settings['PointTransform']
  const [pitch, yaw, roll] = vecOf(isRecord(set) ? set['rotation'] : undefined)
  const first = flag(context, 'bUseFirstPointTransform')
  const turn = first ? rotationAt(given, 0) : fromRotator(pitch, yaw, roll)
  const origin = first ? vecAt(given.position, 0) : vecOf(isRecord(set) ? set['location'] : undefined)
  const back: Quat = [-turn[0], -turn[1], -turn[2], turn[3]]
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  for (let row = 0; row < given.count; row++)
    for (let corner = 0; corner < 8; corner++) {
      const [min, max, scale] = [vecAt(given.boundsMin, row), vecAt(given.boundsMax, row), vecAt(given.scale, row)]
      const local = [0, 1, 2].map((k) => ((corner >> k) & 1 ? (max[k] ?? 0) : (min[k] ?? 0)) * (scale[k] ?? 1))
      const at = vecAt(given.position, row)
      const world = rotate(rotationAt(given, row), vecOf(local))
      const inFrame = rotate(back, [
        world[0] + at[0] - origin[0],
        world[1] + at[1] - origin[1],
        world[2] + at[2] - origin[2],
      ])
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k] ?? 0, inFrame[k] ?? 0)
        high[k] = Math.max(high[k] ?? 0, inFrame[k] ?? 0)
      }
    }
  const middle = flag(context, 'bCenterPivot')
    ? vecOf(low.map((value, k) => (value + (high[k] ?? 0)) / 2))
    : ([0, 0, 0] as const)
  const moved = rotate(turn, middle)
  return pointsOf(1, {
    ...pick(given, Int32Array.of(0)),
    position: { data: Float64Array.from(origin, (value, k) => value + (moved[k] ?? 0)), step: 0 },
    rotation: { data: Float64Array.from(turn), step: 0 },
    scale: { data: Float64Array.of(1, 1, 1), step: 0 },
    boundsMin: { data: Float64Array.from(low, (value, k) => value - (middle[k] ?? 0)), step: 0 },
    boundsMax: { data: Float64Array.from(high, (value, k) => value - (middle[k] ?? 0)), step: 0 },
  })
})

type Step = { readonly location: Vec; readonly rotation: Quat; readonly scale: Vec }
function stepOf(context: NodeContext): Step {
  const set = context.settings['PointTransform']
  const record = isRecord(set) ? set : {}
  const [pitch, yaw, roll] = vecOf(record['rotation'])
  return {
    location: vecOf(record['location']),
    rotation: fromRotator(pitch, yaw, roll),
    scale: record['scale'] === undefined ? [1, 1, 1] : vecOf(record['scale']),
  }
}

/** Copies stepped by the size of the box along a direction, each after the one before. */
const duplicate = perPoints((given, context) => {
  const iterations = Math.max(0, Math.trunc(num(context, 'Iterations')))
  context.budget.take(given.count * (iterations + 1))
  const direction = vec(context, 'Direction')
  const relative = flag(context, 'bDirectionAppliedInRelativeSpace')
  const step = stepOf(context)
  const parts: Points[] = flag(context, 'bOutputSourcePoint') ? [given] : []
  let before = given
  for (let n = 0; n < iterations; n++) {
    const [position, rotation, scale] = [
      own(before.position, given.count, 3),
      own(before.rotation, given.count, 4),
      own(before.scale, given.count, 3),
    ]
    for (let row = 0; row < given.count; row++) {
      const [low, high, size] = [vecAt(given.boundsMin, row), vecAt(given.boundsMax, row), vecAt(before.scale, row)]
      const local = vecOf(
        [0, 1, 2].map(
          (k) => (direction[k] ?? 0) * ((high[k] ?? 0) - (low[k] ?? 0)) * (size[k] ?? 1) + (step.location[k] ?? 0),
        ),
      )
      const turn = rotationAt(before, row)
      const moved = relative ? rotate(turn, local) : local
      const turned = normalize(multiply(turn, step.rotation))
      for (let k = 0; k < 3; k++) {
        position[row * 3 + k] = (position[row * 3 + k] ?? 0) + (moved[k] ?? 0)
        scale[row * 3 + k] = (size[k] ?? 1) * (step.scale[k] ?? 1)
      }
      rotation.set(turned, row * 4)
    }
    before = { ...before, position: each(position, 3), rotation: each(rotation, 4), scale: each(scale, 3) }
    parts.push(before)
  }
  return parts.length === 0 ? pick(given, new Int32Array(0)) : join(parts, context.budget)
})

export const bounds: NodeTable = {
  PCGBoundsModifierSettings: boundsModifier,
  PCGPointExtentsModifierSettings: extentsModifier,
  PCGApplyScaleToBoundsSettings: applyScale,
  PCGResetPointCenterSettings: resetCenter,
  PCGSplitPointsSettings: splitPoints,
  PCGCombinePointsSettings: combinePoints,
  PCGDuplicatePointSettings: duplicate,
}
