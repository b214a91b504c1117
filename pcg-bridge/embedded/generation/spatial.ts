// Where data is: its box in the world, its density at a place, its height under a place.

import type { ActorDoc } from '../../editor/document.ts'
import { axesOf, boundsOf } from '../bounds.ts'
import { createCurve, distanceToOutline, insideOutline, outlineOf, spotAtKey } from './curve.ts'
import type { Data, Solid } from './data.ts'
import { gridHeightAt, type Height, heightAt, normalAt } from './height-field.ts'
import { insideMesh, verticesOf } from './mesh.ts'
import { densityIn } from './picture.ts'
import { densityBounds, pointDensityAt } from './point-index.ts'
import { flat, insideArea } from './polygon.ts'
import { fromRotator, inverse, type Quat, rotate, type Vec } from './rotation.ts'

export type WorldBox = { readonly min: Vec; readonly max: Vec }

/** Scale width of a curve: how far from it its density reaches. */
const CURVE_WIDTH = 100

export function solidOf(actor: ActorDoc): Solid {
  const half = actor.halfSize ?? [0, 0, 0]
  const [x = 0, y = 0, z = 0] = half.map((size, axis) => size * Math.abs(actor.scale[axis] ?? 1))
  return { center: actor.location, half: [x, y, z], rotation: fromRotator(...actor.rotation) }
}

export function boxOf(actor: ActorDoc): WorldBox {
  const { origin, extent } = boundsOf(actor)
  return around(origin, extent)
}

function around(center: Vec, half: Vec): WorldBox {
  return {
    min: [center[0] - half[0], center[1] - half[1], center[2] - half[2]],
    max: [center[0] + half[0], center[1] + half[1], center[2] + half[2]],
  }
}

const AXES: readonly Vec[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]
function solidBox(solid: Solid): WorldBox {
  const axes = AXES.map((axis) => rotate(solid.rotation, axis))
  const along = (k: 0 | 1 | 2) => axes.reduce((sum, axis, i) => sum + Math.abs(axis[k]) * (solid.half[i] ?? 0), 0)
  return around(solid.center, [along(0), along(1), along(2)])
}

function boxOfPlaces(places: readonly Vec[], margin: number): WorldBox | null {
  if (places.length === 0) return null
  const low = (k: 0 | 1 | 2) =>
    places.reduce((least, place) => Math.min(least, place[k]), Number.POSITIVE_INFINITY) - margin
  const high = (k: 0 | 1 | 2) =>
    places.reduce((most, place) => Math.max(most, place[k]), Number.NEGATIVE_INFINITY) + margin
  return { min: [low(0), low(1), low(2)], max: [high(0), high(1), high(2)] }
}

export function intersect(a: WorldBox | null, b: WorldBox | null): WorldBox | null {
  if (!a || !b) return null
  const min: Vec = [Math.max(a.min[0], b.min[0]), Math.max(a.min[1], b.min[1]), Math.max(a.min[2], b.min[2])]
  const max: Vec = [Math.min(a.max[0], b.max[0]), Math.min(a.max[1], b.max[1]), Math.min(a.max[2], b.max[2])]
  return min.some((low, k) => low > (max[k] ?? low)) ? null : { min, max }
}

export function enclose(boxes: readonly (WorldBox | null)[]): WorldBox | null {
  const places = boxes.flatMap((box) => (box ? [box.min, box.max] : []))
  return boxOfPlaces(places, 0)
}

export function boxOfData(data: Data): WorldBox | null {
  switch (data.kind) {
    case 'Point':
      return densityBounds(data.points)
    case 'Param':
      return null
    case 'Landscape':
    case 'Volume':
    case 'Primitive':
      return solidBox(data.solid)
    case 'Surface':
      return boxOfPlaces(outlineOf(data.outline), 0)
    case 'Spline':
      return boxOfPlaces(outlineOf(data.curve), CURVE_WIDTH)
    case 'Polygon2D':
      return boxOfPlaces(data.rings.flat(), 0)
    case 'Texture': {
      const { center, half, turn } = data.laid
      return solidBox({ center, half: [half[0], half[1], 0], rotation: [0, 0, Math.sin(turn / 2), Math.cos(turn / 2)] })
    }
    case 'DynamicMesh':
      return boxOfPlaces(verticesOf(data.mesh), 0)
    case 'Composite': {
      const boxes = data.parts.map(boxOfData)
      if (data.op === 'Union') return enclose(boxes)
      if (data.op === 'Difference') return boxes[0] ?? null
      return boxes.length === 0 ? null : boxes.reduce((box, other) => intersect(box, other))
    }
  }
}

function inSolid(solid: Solid, inverted: Quat, x: number, y: number, z: number): number {
  const [dx, dy, dz] = [x - solid.center[0], y - solid.center[1], z - solid.center[2]]
  const local = rotate(inverted, [dx, dy, dz])
  return Math.abs(local[0]) <= solid.half[0] &&
    Math.abs(local[1]) <= solid.half[1] &&
    Math.abs(local[2]) <= solid.half[2]
    ? 1
    : 0
}

export type Density = (x: number, y: number, z: number) => number

export function difference(mode: string, source: number, taken: number): number {
  if (mode === 'Binary') return taken > 0 ? 0 : source
  return mode === 'ClampedSubstraction' ? Math.max(0, source - taken) : Math.min(source, Math.max(0, 1 - taken))
}

export function union(mode: string, a: number, b: number): number {
  if (mode === 'Binary') return a > 0 || b > 0 ? 1 : 0
  return mode === 'ClampedAddition' ? Math.min(1, a + b) : Math.max(a, b)
}

export function intersection(mode: string, a: number, b: number): number {
  return mode === 'Minimum' ? Math.min(a, b) : a * b
}

/** A function to ask often: what can be prepared is prepared once. */
export function densityOf(data: Data): Density {
  switch (data.kind) {
    case 'Point':
      return pointDensityAt(data.points)
    case 'Param':
      return () => 0
    case 'Landscape': {
      // The ground has no height of its own to be inside of: only its footprint counts.
      const tall = { ...data.solid, half: [data.solid.half[0], data.solid.half[1], 1e12] as const }
      const inverted = inverse(data.solid.rotation)
      const { field } = data
      if ('heights' in field)
        return (x, y) => (Number.isNaN(gridHeightAt(field, x, y)) ? 0 : inSolid(tall, inverted, x, y, 0))
      return (x, y) => inSolid(tall, inverted, x, y, 0)
    }
    case 'Volume':
    case 'Primitive': {
      const { solid } = data
      const inverted = inverse(solid.rotation)
      const turned = inverted[0] !== 0 || inverted[1] !== 0 || inverted[2] !== 0
      if (turned) return (x, y, z) => inSolid(solid, inverted, x, y, z)
      const [cx, cy, cz] = solid.center
      const [hx, hy, hz] = solid.half
      return (x, y, z) => (Math.abs(x - cx) <= hx && Math.abs(y - cy) <= hy && Math.abs(z - cz) <= hz ? 1 : 0)
    }
    case 'Surface': {
      const outline = outlineOf(data.outline)
      return (x, y) => (insideOutline(outline, x, y) ? 1 : 0)
    }
    case 'Polygon2D': {
      const area = data.rings.map(flat)
      return (x, y) => (insideArea(area, x, y) ? 1 : 0)
    }
    case 'Texture':
      return (x, y) => densityIn(data.laid, x, y)
    case 'DynamicMesh':
      return (x, y, z) => (insideMesh(data.mesh, [x, y, z]) ? 1 : 0)
    case 'Spline': {
      const outline = [...outlineOf(data.curve), spotAtKey(data.curve, data.curve.segments).position]
      return (x, y) => Math.max(0, 1 - distanceToOutline(outline, data.curve.closed, x, y) / CURVE_WIDTH)
    }
    case 'Composite': {
      const [first = () => 0, ...rest] = data.parts.map(densityOf)
      if (data.op === 'Union')
        return (x, y, z) => rest.reduce((d, part) => union(data.mode, d, part(x, y, z)), first(x, y, z))
      if (data.op === 'Intersection')
        return (x, y, z) => rest.reduce((d, part) => intersection(data.mode, d, part(x, y, z)), first(x, y, z))
      return (x, y, z) =>
        difference(
          data.mode,
          first(x, y, z),
          rest.reduce((d, part) => Math.max(d, part(x, y, z)), 0),
        )
    }
  }
}

export type Ground = { readonly z: number; readonly normal: Vec }
const UP: Vec = [0, 0, 1]

/** Height and normal of the surface under a place; undefined without a surface. */
export function groundOf(data: Data): (x: number, y: number) => Ground | null {
  if (data.kind === 'Landscape') {
    const inside = densityOf(data)
    const { field, solid } = data
    const height: Height =
      'heights' in field ? (x, y) => gridHeightAt(field, x, y) : (x, y) => solid.center[2] + heightAt(field, x, y)
    return (x, y) => (inside(x, y, 0) > 0 ? { z: height(x, y), normal: normalAt(height, x, y) } : null)
  }
  if (data.kind === 'Composite') {
    const parts = data.parts.map(groundOf)
    const inside = densityOf(data)
    return (x, y) =>
      inside(x, y, 0) > 0 ? (parts.map((part) => part(x, y)).find((ground) => ground !== null) ?? null) : null
  }
  const box = boxOfData(data)
  const inside = densityOf(data)
  const top = data.kind === 'Volume' || data.kind === 'Primitive' ? (box?.max[2] ?? 0) : (box?.min[2] ?? 0)
  const probe = box ? (box.min[2] + box.max[2]) / 2 : 0
  return (x, y) => (inside(x, y, probe) > 0 ? { z: top, normal: UP } : null)
}

export function isGround(actor: ActorDoc): boolean {
  return actor.heightField !== undefined || actor.heightGrid !== undefined
}
/** `PCGVolume`, and the volumes of a real level. */
export function isVolume(actor: ActorDoc): boolean {
  return actor.class.endsWith('Volume')
}

export function dataOfActor(actor: ActorDoc): Data {
  const field = actor.heightGrid ?? actor.heightField
  if (field) return { kind: 'Landscape', field, solid: solidOf(actor) }
  if (actor.spline) {
    const [ax, ay, az] = axesOf(actor.rotation)
    const { points, closed, linear, arrive, leave } = actor.spline
    const turned = ([x, y, z]: Vec): Vec => {
      const [sx, sy, sz] = [x * actor.scale[0], y * actor.scale[1], z * actor.scale[2]]
      const along = (k: 0 | 1 | 2) => ax[k] * sx + ay[k] * sy + az[k] * sz
      return [along(0), along(1), along(2)]
    }
    const world = points.map((point): Vec => {
      const [x, y, z] = turned(point)
      return [actor.location[0] + x, actor.location[1] + y, actor.location[2] + z]
    })
    const shape = arrive && leave ? { arrive: arrive.map(turned), leave: leave.map(turned) } : { linear }
    return { kind: 'Spline', curve: createCurve(world, closed, shape) }
  }
  return { kind: isVolume(actor) ? 'Volume' : 'Primitive', solid: solidOf(actor), actor: actor.name }
}
