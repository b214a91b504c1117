// World Raycast: a ray from each point onto the ground and the boxes of the level.
import { type Execute, flag, type NodeContext, num, points, pointsOn, str, vec } from '../context.ts'
import type { Data, Solid } from '../data.ts'
import { each, own, type Points, pick, rowsWhere } from '../points.ts'
import { inverse, rotate, type Vec } from '../rotation.ts'
import { numbers, readSelector } from '../selector.ts'
import { densityOf, groundOf } from '../spatial.ts'

/** Farther than any level reaches. */
const INFINITE = 1_000_000
/** A tenth of the shortest hill of the built-in ground, so that a ray does not step over one. */
const MARCH = 75

/** The distance along a ray of unit direction to the first hit, at most `reach`. */
export type RayTest = (origin: Vec, direction: Vec, reach: number) => number | null

export function targetOf(data: Data): RayTest {
  if (data.kind === 'Primitive' || data.kind === 'Volume') return solidTarget(data.solid)
  return groundTarget(groundOf(data))
}

/** The slabs of the box in its own frame. From inside, the ray hits at once. */
function solidTarget({ center, half, rotation }: Solid): RayTest {
  const turn = inverse(rotation)
  return (origin, direction, reach) => {
    const from = rotate(turn, [origin[0] - center[0], origin[1] - center[1], origin[2] - center[2]])
    const along = rotate(turn, direction)
    let [enter, leave] = [0, reach]
    for (const k of [0, 1, 2] as const) {
      if (Math.abs(along[k]) < 1e-12) {
        if (Math.abs(from[k]) > half[k]) return null
        continue
      }
      const [a, b] = [(-half[k] - from[k]) / along[k], (half[k] - from[k]) / along[k]]
      enter = Math.max(enter, Math.min(a, b))
      leave = Math.min(leave, Math.max(a, b))
    }
    return enter <= leave ? enter : null
  }
}

function groundTarget(ground: ReturnType<typeof groundOf>): RayTest {
  return (origin, direction, reach) => {
    const place = (t: number): Vec => [
      origin[0] + direction[0] * t,
      origin[1] + direction[1] * t,
      origin[2] + direction[2] * t,
    ]
    /** Height above the ground; undefined without ground. */
    const clearance = (t: number): number | null => {
      const [x, y, z] = place(t)
      const found = ground(x, y)
      return found ? z - found.z : null
    }
    if (Math.abs(direction[0]) < 1e-12 && Math.abs(direction[1]) < 1e-12) {
      const height = clearance(0)
      const t = height === null ? -1 : -height / direction[2]
      return t >= 0 && t <= reach ? t : null
    }
    let [before, heightBefore] = [0, clearance(0)]
    for (let t = Math.min(MARCH, reach); ; t = Math.min(t + MARCH, reach)) {
      const height = clearance(t)
      if (height !== null && heightBefore !== null && heightBefore > 0 !== height > 0)
        return bisected(clearance, before, t, heightBefore > 0)
      if (t >= reach) return null
      // Beyond the ground on the far side there is nothing left to hit.
      if (height === null && heightBefore !== null) return null
      ;[before, heightBefore] = [t, height]
    }
  }
}

function bisected(clearance: (t: number) => number | null, low: number, high: number, above: boolean): number {
  for (let round = 0; round < 40; round++) {
    const middle = (low + high) / 2
    if ((clearance(middle) ?? 0) > 0 === above) low = middle
    else high = middle
  }
  return (low + high) / 2
}

type Ray = { readonly direction: Vec; readonly reach: number }

/** The ray of each row: one direction for all, or read from attributes; its length by mode. */
function raysOf(given: Points, context: NodeContext): (row: number, origin: Vec) => Ray | null {
  const mode = str(context, 'RaycastMode')
  const read = (name: string) => {
    const column = readSelector(given, str(context, name))
    if (!column || column.texts) context.warn(`'${str(context, name)}' matches no attribute of the points`)
    return column && !column.texts ? { values: numbers(column, given.count, column.width), width: column.width } : null
  }
  const directions =
    mode !== 'Segments' && flag(context, 'bOverrideRayDirections') ? read('RayDirectionAttribute') : null
  const lengths =
    mode === 'NormalizedWithLength' && flag(context, 'bOverrideRayLengths') ? read('RayLengthAttribute') : null
  const ends = mode === 'Segments' ? read('EndPointAttribute') : null
  const shared = vec(context, 'RayDirection')
  const triple = ({ values, width }: { values: Float64Array; width: number }, row: number): Vec => [
    values[row * width] ?? 0,
    values[row * width + 1] ?? 0,
    values[row * width + 2] ?? 0,
  ]
  if (mode === 'Segments' && !ends) return () => null
  return (row, origin) => {
    const end = ends && triple(ends, row)
    const [x, y, z] = end
      ? [end[0] - origin[0], end[1] - origin[1], end[2] - origin[2]]
      : directions
        ? triple(directions, row)
        : shared
    const size = Math.sqrt(x * x + y * y + z * z)
    if (!(size > 0)) return null
    const byMode =
      mode === 'NormalizedWithLength' ? (lengths?.values[row * lengths.width] ?? num(context, 'RayLength')) : size
    return { direction: [x / size, y / size, z / size], reach: mode === 'Infinite' ? INFINITE : byMode }
  }
}

/** Points move to the first hit; a point without one is dropped or kept where it is. */
export function raycast(level: readonly Data[]): Execute {
  return (context) => {
    const targets = level.map(targetOf)
    const shape = context.input('Bounding Shape')[0]?.data
    const inside = shape ? densityOf(shape) : null
    return pointsOn(context, 'Origins').map(({ points: given, tags }) => {
      const rays = raysOf(given, context)
      const position = own(given.position, given.count, 3)
      const hit = new Uint8Array(given.count)
      for (let row = 0; row < given.count; row++) {
        const origin: Vec = [position[row * 3] ?? 0, position[row * 3 + 1] ?? 0, position[row * 3 + 2] ?? 0]
        const ray = rays(row, origin)
        if (!ray) continue
        const t = targets.reduce((nearest, target) => {
          const found = target(origin, ray.direction, Math.min(ray.reach, nearest))
          return found === null ? nearest : Math.min(nearest, found)
        }, Number.POSITIVE_INFINITY)
        if (t > ray.reach) continue
        const place = origin.map((value, k) => value + (ray.direction[k] ?? 0) * t)
        if (inside && !(inside(place[0] ?? 0, place[1] ?? 0, place[2] ?? 0) > 0)) continue
        position.set(place, row * 3)
        hit[row] = 1
      }
      const moved = { ...given, position: each(position, 3) }
      const kept = flag(context, 'bKeepOriginalPointOnMiss')
        ? moved
        : pick(
            moved,
            rowsWhere(given.count, (row) => hit[row] === 1),
          )
      return points(kept, tags)
    })
  }
}
