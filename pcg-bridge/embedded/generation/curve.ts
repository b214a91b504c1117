// Curves through control points, walked by distance along them.
import type { Vec } from './rotation.ts'

export type Curve = {
  readonly points: readonly Vec[]
  readonly arrive: readonly Vec[]
  readonly leave: readonly Vec[]
  readonly closed: boolean
  readonly segments: number
  readonly length: number
  /** Distance at the end of each of the even steps of each segment. */
  readonly steps: Float64Array
}
export type Spot = { readonly position: Vec; readonly tangent: Vec; readonly key: number }

const STEPS = 24

export function add(a: Vec, b: Vec, factor = 1): Vec {
  return [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor]
}
export function scaled(a: Vec, factor: number): Vec {
  return [a[0] * factor, a[1] * factor, a[2] * factor]
}
export function dot(a: Vec, b: Vec): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
export function cross(a: Vec, b: Vec): Vec {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
export function unit(a: Vec): Vec {
  const length = Math.sqrt(dot(a, a))
  return length < 1e-12 ? [0, 0, 0] : scaled(a, 1 / length)
}
const ORIGIN: Vec = [0, 0, 0]

/** Without tangents of its own a smooth curve takes half the way between its neighbours. */
function tangents(points: readonly Vec[], closed: boolean, linear: boolean): { arrive: Vec[]; leave: Vec[] } {
  const n = points.length
  const at = (i: number) => points[closed ? (i + n) % n : Math.min(n - 1, Math.max(0, i))] ?? ORIGIN
  const smooth = points.map((_, i) => scaled(add(at(i + 1), at(i - 1), -1), 0.5))
  if (!linear) return { arrive: smooth, leave: smooth }
  return { arrive: points.map((p, i) => add(p, at(i - 1), -1)), leave: points.map((p, i) => add(at(i + 1), p, -1)) }
}

function hermite(curve: Control, segment: number, t: number): { position: Vec; tangent: Vec } {
  const n = curve.points.length
  const [a, b] = [curve.points[segment] ?? ORIGIN, curve.points[(segment + 1) % n] ?? ORIGIN]
  const [ta, tb] = [curve.leave[segment] ?? ORIGIN, curve.arrive[(segment + 1) % n] ?? ORIGIN]
  const [t2, t3] = [t * t, t * t * t]
  const mix = (h0: number, h1: number, h2: number, h3: number): Vec => [
    h0 * a[0] + h1 * ta[0] + h2 * b[0] + h3 * tb[0],
    h0 * a[1] + h1 * ta[1] + h2 * b[1] + h3 * tb[1],
    h0 * a[2] + h1 * ta[2] + h2 * b[2] + h3 * tb[2],
  ]
  return {
    position: mix(2 * t3 - 3 * t2 + 1, t3 - 2 * t2 + t, -2 * t3 + 3 * t2, t3 - t2),
    tangent: mix(6 * t2 - 6 * t, 3 * t2 - 4 * t + 1, -6 * t2 + 6 * t, 3 * t2 - 2 * t),
  }
}

type Control = Pick<Curve, 'points' | 'arrive' | 'leave'>

/** Five-point Gauss-Legendre nodes and weights: exact to far below a micrometre over one step of a segment. */
const GAUSS = [
  [0, 0.5688888888888889],
  [-0.5384693101056831, 0.47862867049936647],
  [0.5384693101056831, 0.47862867049936647],
  [-0.906179845938664, 0.23692688505618908],
  [0.906179845938664, 0.23692688505618908],
] as const

function speedAt(control: Control, segment: number, t: number): number {
  const { tangent } = hermite(control, segment, t)
  return Math.sqrt(dot(tangent, tangent))
}

function arcLength(control: Control, segment: number, from: number, to: number): number {
  const [middle, half] = [(from + to) / 2, (to - from) / 2]
  let sum = 0
  for (const [node, weight] of GAUSS) sum += weight * speedAt(control, segment, middle + half * node)
  return sum * half
}

export function createCurve(
  points: readonly Vec[],
  closed: boolean,
  shape: { readonly linear: boolean } | { readonly arrive: readonly Vec[]; readonly leave: readonly Vec[] },
): Curve {
  const { arrive, leave } = 'linear' in shape ? tangents(points, closed, shape.linear) : shape
  const segments = points.length < 2 ? 0 : closed ? points.length : points.length - 1
  const steps = new Float64Array(segments * STEPS)
  const control = { points, arrive, leave }
  let length = 0
  for (let i = 0; i < steps.length; i++) {
    const from = (i % STEPS) / STEPS
    length += arcLength(control, Math.floor(i / STEPS), from, from + 1 / STEPS)
    steps[i] = length
  }
  return { points, arrive, leave, closed, segments, length, steps }
}

/** The place at a key: whole numbers are control points. */
export function spotAtKey(curve: Curve, key: number): Spot {
  if (curve.segments === 0) return { position: curve.points[0] ?? ORIGIN, tangent: [1, 0, 0], key: 0 }
  const segment = Math.min(curve.segments - 1, Math.max(0, Math.floor(key)))
  const { position, tangent } = hermite(curve, segment, Math.min(1, Math.max(0, key - segment)))
  return { position, tangent: unit(tangent), key }
}

/** The same curve between two keys of it: its ends become control points. Past the last key a closed one goes on. */
export function cutCurve(curve: Curve, from: number, to: number): Curve {
  const keys = [from, ...wholeBetween(from, to), to]
  const ends = keys.slice(1).map((end, i) => {
    const start = keys[i] ?? 0
    const segment = Math.floor(start + 1e-9)
    const at = (key: number) => hermite(curve, segment % curve.segments, key - segment)
    const [a, b, span] = [at(start), at(end), end - start]
    return { a: a.position, b: b.position, leave: scaled(a.tangent, span), arrive: scaled(b.tangent, span) }
  })
  const [first, last] = [ends[0], ends.at(-1)]
  if (!first || !last) return curve
  return createCurve([first.a, ...ends.map((end) => end.b)], false, {
    arrive: [first.leave, ...ends.map((end) => end.arrive)],
    leave: [...ends.map((end) => end.leave), last.arrive],
  })
}

function wholeBetween(from: number, to: number): number[] {
  const found: number[] = []
  for (let key = Math.floor(from) + 1; key < to - 1e-9; key++) if (key > from + 1e-9) found.push(key)
  return found
}

/** The length of the curve up to a key. */
export function distanceAtKey(curve: Curve, key: number): number {
  const step = Math.min(curve.steps.length - 1, Math.max(0, Math.floor(key * STEPS)))
  if (curve.steps.length === 0 || key <= 0) return 0
  if (key >= curve.segments) return curve.length
  const before = step === 0 ? 0 : (curve.steps[step - 1] ?? 0)
  const segment = Math.floor(step / STEPS)
  return before + arcLength(curve, segment, (step % STEPS) / STEPS, key - segment)
}

/** The key at a distance along the curve: the step by search, the place within it by Newton's method. */
export function keyAtDistance(curve: Curve, along: number): number {
  const wanted = Math.min(curve.length, Math.max(0, along))
  if (wanted >= curve.length) return curve.segments
  let [low, high] = [0, curve.steps.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((curve.steps[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  const start = low === 0 ? 0 : (curve.steps[low - 1] ?? 0)
  const end = curve.steps[low] ?? start
  if (!(end > start)) return low / STEPS
  const segment = Math.floor(low / STEPS)
  const from = (low % STEPS) / STEPS
  let t = from + (wanted - start) / (end - start) / STEPS
  for (let round = 0; round < 8; round++) {
    const missing = wanted - start - arcLength(curve, segment, from, t)
    const speed = speedAt(curve, segment, t)
    if (Math.abs(missing) < 1e-9 || !(speed > 1e-12)) break
    t = Math.min(from + 1 / STEPS, Math.max(from, t + missing / speed))
  }
  return segment + t
}

export function spotAt(curve: Curve, along: number): Spot {
  return spotAtKey(curve, keyAtDistance(curve, along))
}

/** The curve as a polygon, seen from above. */
export function outlineOf(curve: Curve): Vec[] {
  return Array.from({ length: curve.segments * STEPS }, (_, i) => spotAtKey(curve, i / STEPS).position)
}

export function insideOutline(outline: readonly Vec[], x: number, y: number): boolean {
  let inside = false
  for (let i = 0, j = outline.length - 1; i < outline.length; j = i++) {
    const [a, b] = [outline[i] ?? ORIGIN, outline[j] ?? ORIGIN]
    if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) inside = !inside
  }
  return inside
}

/** From above: the nearest distance of a place to the line of a polygon. */
export function distanceToOutline(outline: readonly Vec[], closed: boolean, x: number, y: number): number {
  let least = Number.POSITIVE_INFINITY
  const last = closed ? outline.length : outline.length - 1
  for (let i = 0; i < last; i++) {
    const [a, b] = [outline[i] ?? ORIGIN, outline[(i + 1) % outline.length] ?? ORIGIN]
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]]
    const square = dx * dx + dy * dy
    const t = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / square))
    least = Math.min(least, Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy))
  }
  return least
}
