// Quaternions and rotators, over plain arrays: x, y, z, w and pitch, yaw, roll in degrees.
export type Quat = readonly [number, number, number, number]
export type Vec = readonly [number, number, number]

const RADIANS = Math.PI / 180

export function fromRotator(pitch: number, yaw: number, roll: number): Quat {
  const [p, y, r] = [pitch * RADIANS * 0.5, yaw * RADIANS * 0.5, roll * RADIANS * 0.5]
  const [sp, cp, sy, cy, sr, cr] = [Math.sin(p), Math.cos(p), Math.sin(y), Math.cos(y), Math.sin(r), Math.cos(r)]
  return [
    cr * sp * sy - sr * cp * cy,
    -cr * sp * cy - sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ]
}

export function toRotator([x, y, z, w]: Quat): Vec {
  const singular = z * x - w * y
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) / RADIANS
  if (singular < -0.4999995) return [-90, yaw, -yaw - (2 * Math.atan2(x, w)) / RADIANS]
  if (singular > 0.4999995) return [90, yaw, yaw - (2 * Math.atan2(x, w)) / RADIANS]
  return [Math.asin(2 * singular) / RADIANS, yaw, Math.atan2(-2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) / RADIANS]
}

/** First `b`, then `a`. */
export function multiply(a: Quat, b: Quat): Quat {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ]
}

export function inverse([x, y, z, w]: Quat): Quat {
  return [-x, -y, -z, w]
}

export function rotate([qx, qy, qz, qw]: Quat, [x, y, z]: Vec): Vec {
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)]
  return [x + qw * tx + (qy * tz - qz * ty), y + qw * ty + (qz * tx - qx * tz), z + qw * tz + (qx * ty - qy * tx)]
}

type Doubles = { [index: number]: number }

export function quatAt(data: Readonly<Doubles>, at: number): Quat {
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, data[at + 3] ?? 1]
}

/** Adds a vector, turned by the quaternion at `q` of `turns`, to three numbers. For inner loops: it allocates nothing. */
export function addTurned(
  out: Doubles,
  at: number,
  x: number,
  y: number,
  z: number,
  turns: Readonly<Doubles>,
  q: number,
): void {
  const qx = turns[q] ?? 0
  const qy = turns[q + 1] ?? 0
  const qz = turns[q + 2] ?? 0
  const qw = turns[q + 3] ?? 1
  if (qx === 0 && qy === 0 && qz === 0) {
    out[at] = (out[at] ?? 0) + x
    out[at + 1] = (out[at + 1] ?? 0) + y
    out[at + 2] = (out[at + 2] ?? 0) + z
    return
  }
  const tx = 2 * (qy * z - qz * y)
  const ty = 2 * (qz * x - qx * z)
  const tz = 2 * (qx * y - qy * x)
  out[at] = (out[at] ?? 0) + (x + qw * tx + (qy * tz - qz * ty))
  out[at + 1] = (out[at + 1] ?? 0) + (y + qw * ty + (qz * tx - qx * tz))
  out[at + 2] = (out[at + 2] ?? 0) + (z + qw * tz + (qx * ty - qy * tx))
}

export function setQuat(out: Doubles, at: number, q: Quat): void {
  out[at] = q[0]
  out[at + 1] = q[1]
  out[at + 2] = q[2]
  out[at + 3] = q[3]
}

export function normalize(q: Quat): Quat {
  const length = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
  return length < 1e-12 ? [0, 0, 0, 1] : [q[0] / length, q[1] / length, q[2] / length, q[3] / length]
}

/** Forward along `direction`, up as near to Z as that allows. */
export function facing(direction: Vec): Quat {
  const [x, y, z] = direction
  return fromRotator(Math.atan2(z, Math.sqrt(x * x + y * y)) / RADIANS, Math.atan2(y, x) / RADIANS, 0)
}

function crossOf(a: Vec, b: Vec): Vec {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
function unitOf(v: Vec): Vec {
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
  return length < 1e-12 ? [0, 0, 0] : [v[0] / length, v[1] / length, v[2] / length]
}

/** Pitch, yaw and roll of the frame with these axes: X forward, Y right, Z up. */
function ofAxes(x: Vec, y: Vec, z: Vec): Vec {
  const pitch = Math.atan2(x[2], Math.sqrt(x[0] * x[0] + x[1] * x[1]))
  const yaw = Math.atan2(x[1], x[0])
  // Roll is measured against the right-hand axis of the frame without roll.
  const right: Vec = [-Math.sin(yaw), Math.cos(yaw), 0]
  const along = (a: Vec) => a[0] * right[0] + a[1] * right[1]
  return [pitch / RADIANS, yaw / RADIANS, Math.atan2(along(z), along(y)) / RADIANS]
}

/**
 * A rotation from one or two of its axes, `X` to `ZY`: the first is taken exactly, the second as near as a right angle
 * allows. Without a second, up (X for a vertical first axis) stands in as Z, for Z as X.
 */
export function fromAxes(names: string, first: Vec, second: Vec | null): Vec {
  const [a = 'X', given] = names
  const main = unitOf(first)
  const upright: Vec = Math.abs(main[2]) < 1 - 1e-4 ? [0, 0, 1] : [1, 0, 0]
  if (second === null) {
    // Without a second axis, the next one in X, Y, Z order lies across up.
    const across = unitOf(crossOf(upright, main))
    const last = crossOf(main, across)
    if (a === 'X') return ofAxes(main, across, last)
    return a === 'Y' ? ofAxes(crossOf(main, across), main, across) : ofAxes(across, crossOf(main, across), main)
  }
  const b = given ?? 'Y'
  const next = 'XYZ'['XYZ'.indexOf(a) + 1] ?? 'X'
  const third = unitOf(b === next ? crossOf(main, second) : crossOf(second, main))
  const middle = b === next ? crossOf(third, main) : crossOf(main, third)
  const axes: Record<string, Vec> = { [a]: main, [b]: middle }
  const get = (name: string): Vec => axes[name] ?? third
  return ofAxes(get('X'), get('Y'), get('Z'))
}

/** The shortest turn that takes up (Z) to `normal`. */
export function upTo([x, y, z]: Vec): Quat {
  return z < -0.999999 ? [1, 0, 0, 0] : normalize([-y, x, 0, 1 + z])
}

export function lerp(a: Quat, b: Quat, ratio: number): Quat {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1
  const mix = (i: 0 | 1 | 2 | 3) => a[i] * (1 - ratio) + b[i] * sign * ratio
  return normalize([mix(0), mix(1), mix(2), mix(3)])
}
