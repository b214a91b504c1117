// Boxes in the world: an actor's rotated box, and the axis-aligned box around it.
import type { ActorDoc } from '../editor/document.ts'

export type Vec3 = readonly [number, number, number]
export type Box = { readonly origin: Vec3; readonly extent: Vec3 }

/** The three axes of a rotation given as pitch, yaw, roll in degrees. Z is up, the frame is left-handed. */
export function axesOf(rotation: Vec3): readonly [Vec3, Vec3, Vec3] {
  const radians = Math.PI / 180
  const [pitch, yaw, roll] = [rotation[0] * radians, rotation[1] * radians, rotation[2] * radians]
  const [sp, cp, sy, cy, sr, cr] = [
    Math.sin(pitch),
    Math.cos(pitch),
    Math.sin(yaw),
    Math.cos(yaw),
    Math.sin(roll),
    Math.cos(roll),
  ] as const
  return [
    [cp * cy, cp * sy, sp],
    [sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp],
    [-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp],
  ]
}

/** Twelve digits: a quarter turn of a cube gives the cube again, not a hair more. */
function tidy(value: number): number {
  const rounded = Number(value.toPrecision(12))
  return Math.abs(rounded) < 1e-9 ? 0 : rounded
}

export function boundsOf(actor: ActorDoc): Box {
  const half = actor.halfSize
  if (!half) return { origin: actor.location, extent: [0, 0, 0] }
  const scaled = half.map((size, axis) => size * Math.abs(actor.scale[axis] ?? 1))
  const axes = axesOf(actor.rotation)
  const along = (axis: 0 | 1 | 2) =>
    tidy(axes.reduce((sum, direction, i) => sum + Math.abs(direction[axis]) * (scaled[i] ?? 0), 0))
  return { origin: actor.location, extent: [along(0), along(1), along(2)] }
}
