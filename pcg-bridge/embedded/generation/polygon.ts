// Areas in the plane: what lies inside a rule over several of them, outlines grown and shrunk, lines cut by them.
import type { Vec } from './rotation.ts'

export type Spot2 = readonly [number, number]
export type Ring = readonly Spot2[]
/** Outer rings run counter-clockwise, holes clockwise; a place is inside where an odd number of rings is around it. */
export type Area = readonly Ring[]

/** Nearer than this, two places are one: a hundredth of a millimetre. */
const SNAP = 1e-3
const STEP = 1e-2

const keyOf = ([x, y]: Spot2) => `${Math.round(x / SNAP)},${Math.round(y / SNAP)}`
const minus = (a: Spot2, b: Spot2): Spot2 => [a[0] - b[0], a[1] - b[1]]
const turn = (a: Spot2, b: Spot2): number => a[0] * b[1] - a[1] * b[0]

export function flat(places: readonly Vec[]): Ring {
  return places.map(([x, y]) => [x, y] as const)
}

export function ringArea(ring: Ring): number {
  return ring.reduce((sum, a, i) => sum + turn(a, ring[(i + 1) % ring.length] ?? a) / 2, 0)
}

export function insideArea(area: Area, x: number, y: number): boolean {
  let inside = false
  for (const ring of area)
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [a, b] = [ring[i], ring[j]]
      if (a && b && a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) inside = !inside
    }
  return inside
}

type Piece = { readonly a: Spot2; readonly b: Spot2 }

function piecesOf(areas: readonly Area[]): Piece[] {
  return areas.flatMap((area) =>
    area.flatMap((ring) => ring.map((a, i) => ({ a, b: ring[(i + 1) % ring.length] ?? a }))),
  )
}

/** Shares of a piece at which it meets another: where they cross, and where an end of the other lies on it. */
function meetings({ a, b }: Piece, other: Piece): number[] {
  const [u, v, w] = [minus(b, a), minus(other.b, other.a), minus(other.a, a)]
  const length = Math.hypot(...u)
  if (length < SNAP) return []
  const across = turn(u, v)
  if (Math.abs(across) > 1e-9 * length * Math.hypot(...v)) {
    const [s, t] = [turn(w, v) / across, turn(w, u) / across]
    const near = SNAP / Math.max(SNAP, Math.hypot(...v))
    return s > 0 && s < 1 && t > -near && t < 1 + near ? [s] : []
  }
  if (Math.abs(turn(w, u)) / length > SNAP) return []
  return [other.a, other.b]
    .map((end) => ((end[0] - a[0]) * u[0] + (end[1] - a[1]) * u[1]) / (length * length))
    .filter((s) => s > 0 && s < 1)
}

function apart(one: Piece, other: Piece): boolean {
  for (const k of [0, 1] as const) {
    if (Math.max(one.a[k], one.b[k]) < Math.min(other.a[k], other.b[k]) - SNAP) return true
    if (Math.min(one.a[k], one.b[k]) > Math.max(other.a[k], other.b[k]) + SNAP) return true
  }
  return false
}

/** Pieces that meet at their ends only, each once. */
function arranged(pieces: readonly Piece[]): Piece[] {
  const found = new Map<string, Piece>()
  for (const piece of pieces) {
    const cuts = pieces.flatMap((other) => (other === piece || apart(piece, other) ? [] : meetings(piece, other)))
    const shares = [0, ...cuts.sort((a, b) => a - b), 1]
    const at = (s: number): Spot2 => [
      piece.a[0] + (piece.b[0] - piece.a[0]) * s,
      piece.a[1] + (piece.b[1] - piece.a[1]) * s,
    ]
    for (let i = 0; i + 1 < shares.length; i++) {
      const [a, b] = [at(shares[i] ?? 0), at(shares[i + 1] ?? 1)]
      const [from, to] = [keyOf(a), keyOf(b)]
      if (from !== to && !found.has(`${from} ${to}`) && !found.has(`${to} ${from}`))
        found.set(`${from} ${to}`, { a, b })
    }
  }
  return [...found.values()]
}

/** Rings out of pieces that have the inside on their left; where several go on, the sharpest turn to the left is taken. */
function chained(pieces: readonly Piece[]): Ring[] {
  const leaving = new Map<string, Piece[]>()
  for (const piece of pieces) leaving.set(keyOf(piece.a), [...(leaving.get(keyOf(piece.a)) ?? []), piece])
  const used = new Set<Piece>()
  const rings: Ring[] = []
  for (const start of pieces) {
    if (used.has(start)) continue
    const ring: Spot2[] = []
    for (let at: Piece | undefined = start; at && !used.has(at); ) {
      used.add(at)
      ring.push(at.a)
      const way = minus(at.b, at.a)
      const bend = (next: Piece) => {
        const on = minus(next.b, next.a)
        return Math.atan2(turn(way, on), way[0] * on[0] + way[1] * on[1])
      }
      const open: Piece[] = (leaving.get(keyOf(at.b)) ?? []).filter((next) => !used.has(next))
      at = open.length === 0 ? undefined : open.reduce((a, b) => (bend(b) > bend(a) ? b : a))
    }
    if (Math.abs(ringArea(ring)) > SNAP) rings.push(straight(ring))
  }
  return rings
}

/** Without the places at which the line does not turn. */
function straight(ring: Ring): Ring {
  const n = ring.length
  return ring.filter((place, i) => {
    const [before, after] = [ring[(i + n - 1) % n] ?? place, ring[(i + 1) % n] ?? place]
    const [u, v] = [minus(place, before), minus(after, place)]
    return Math.abs(turn(u, v)) > 1e-7 * Math.hypot(...u) * Math.hypot(...v)
  })
}

/** All places for which the rule holds, as rings: outer ones counter-clockwise, holes clockwise. */
export function areaWhere(areas: readonly Area[], rule: (inside: (area: Area) => boolean) => boolean): Area {
  const holds = (x: number, y: number) => rule((area) => insideArea(area, x, y))
  const kept: Piece[] = []
  for (const { a, b } of arranged(piecesOf(areas))) {
    const [dx, dy] = minus(b, a)
    const length = Math.hypot(dx, dy)
    const step = Math.min(STEP, length / 8) / length
    const [x, y] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
    const [left, right] = [holds(x - dy * step, y + dx * step), holds(x + dy * step, y - dx * step)]
    if (left !== right) kept.push(left ? { a, b } : { a: b, b: a })
  }
  return chained(kept)
}

/** Areas with one outer ring each, the largest first, with the holes in it. */
export function separate(area: Area): Area[] {
  const outer = area.filter((ring) => ringArea(ring) > 0).sort((a, b) => ringArea(b) - ringArea(a))
  const holes = area.filter((ring) => ringArea(ring) < 0)
  const around = (hole: Ring) => {
    const [a, b] = [hole[0], hole[1]]
    if (!a || !b) return undefined
    // Just outside the hole, which runs clockwise: on the left of its first piece.
    const [dx, dy] = minus(b, a)
    const step = Math.min(STEP, Math.hypot(dx, dy) / 8) / Math.hypot(dx, dy)
    return outer.findLast((ring) => insideArea([ring], (a[0] + b[0]) / 2 - dy * step, (a[1] + b[1]) / 2 + dx * step))
  }
  const owner = new Map(holes.map((hole) => [hole, around(hole)]))
  return outer.map((ring) => [ring, ...holes.filter((hole) => owner.get(hole) === ring)])
}

const ARC = Math.PI / 16
const NOWHERE: Spot2 = [0, 0]

/** What a corner adds outside of two sides moved out: `n` and `m` are the ways out of the side before and after. */
function corner(at: Spot2, n: Spot2, m: Spot2, far: number, join: string): Ring {
  const out = (way: Spot2, by = far): Spot2 => [at[0] + way[0] * by, at[1] + way[1] * by]
  const angle = Math.atan2(turn(n, m), n[0] * m[0] + n[1] * m[1])
  const turned = (by: number): Spot2 => [
    n[0] * Math.cos(by) - n[1] * Math.sin(by),
    n[0] * Math.sin(by) + n[1] * Math.cos(by),
  ]
  if (join === 'Round') {
    const steps = Math.max(1, Math.ceil(Math.abs(angle) / ARC))
    return [at, ...Array.from({ length: steps + 1 }, (_, i) => out(turned((angle * i) / steps)))]
  }
  const half = Math.abs(angle) / 2
  if (join === 'Miter' && Math.cos(half) > 1e-3)
    return [at, out(n), out(turned(angle / 2), far / Math.cos(half)), out(m)]
  // Square: cut off across, as far away as the sides are.
  const reach = far * Math.tan(half / 2)
  const along = (way: Spot2, by: number): Spot2 => [-way[1] * by, way[0] * by]
  const sign = Math.sign(angle)
  const [p, q] = [out(n), out(m)]
  const [u, v] = [along(n, reach * sign), along(m, -reach * sign)]
  return [at, p, [p[0] + u[0], p[1] + u[1]], [q[0] + v[0], q[1] + v[1]], q]
}

/** The band of a width around the outline. */
function band(area: Area, far: number, join: string): Area[] {
  return area.flatMap((ring) => {
    const n = ring.length
    const ways = ring.map((a, i): Spot2 => {
      const [dx, dy] = minus(ring[(i + 1) % n] ?? a, a)
      const length = Math.hypot(dx, dy) || 1
      return [dy / length, -dx / length]
    })
    return ring.flatMap((a, i): Area[] => {
      const b = ring[(i + 1) % n] ?? a
      const [before, way] = [ways[(i + n - 1) % n] ?? NOWHERE, ways[i] ?? NOWHERE]
      const side = (place: Spot2, by: number): Spot2 => [place[0] + way[0] * by, place[1] + way[1] * by]
      const bent = turn(before, way)
      const flip = (one: Spot2): Spot2 => [-one[0], -one[1]]
      const joint =
        Math.abs(bent) < 1e-9
          ? []
          : [corner(a, bent > 0 ? before : flip(before), bent > 0 ? way : flip(way), far, join)]
      return [[[side(a, far), side(b, far), side(b, -far), side(a, -far)]], ...joint.map((ring) => [ring])]
    })
  })
}

/** Grown by a distance, or shrunk where it is below zero. */
export function offsetArea(area: Area, by: number, join: string): Area {
  if (by === 0 || area.length === 0) return area
  const around = band(area, Math.abs(by), join)
  return areaWhere([area, ...around], (inside) =>
    by > 0 ? inside(area) || around.some(inside) : inside(area) && !around.some(inside),
  )
}

/** A line of a width: the band around it without round ends. */
export function widened(line: Ring, width: number): Area {
  const quads = line.slice(1).flatMap((b, i): Area[] => {
    const a = line[i] ?? b
    const [dx, dy] = minus(b, a)
    const scale = width / 2 / (Math.hypot(dx, dy) || 1)
    const [x, y] = [-dy * scale, dx * scale]
    const quad: Ring = [
      [a[0] + x, a[1] + y],
      [a[0] - x, a[1] - y],
      [b[0] - x, b[1] - y],
      [b[0] + x, b[1] + y],
    ]
    const before = line[i - 1]
    if (!before) return [[quad]]
    const [px, py] = minus(a, before)
    const past = width / 2 / (Math.hypot(px, py) || 1)
    const bent = px * dy - py * dx
    if (Math.abs(bent) < 1e-9) return [[quad]]
    const sign = bent > 0 ? 1 : -1
    const [n, m]: Spot2[] = [
      [py * past * sign, -px * past * sign],
      [dy * scale * sign, -dx * scale * sign],
    ]
    const unit = (way: Spot2 | undefined): Spot2 => [(way?.[0] ?? 0) / (width / 2), (way?.[1] ?? 0) / (width / 2)]
    return [[quad], [corner(a, unit(n), unit(m), width / 2, 'Miter')]]
  })
  return areaWhere(quads, (inside) => quads.some(inside))
}

/** Shares of the way from one place to another at which it passes the outline of an area. */
export function cuts(area: Area, a: Spot2, b: Spot2): number[] {
  const piece = { a, b }
  return piecesOf([area])
    .flatMap((other) => meetings(piece, other))
    .sort((x, y) => x - y)
}
