// Curves cut, crossed and taken from boxes.
import { type Execute, flag, type NodeTable, num, out, points, str, vec } from '../context.ts'
import { add, type Curve, createCurve, cross, cutCurve, dot, keyAtDistance, scaled, spotAtKey, unit } from '../curve.ts'
import { type Data, type Solid, tableOf } from '../data.ts'
import { type Column, each, pointsOf, withAttribute } from '../points.ts'
import { seedFromPosition } from '../random.ts'
import { facing, rotate, setQuat, type Vec } from '../rotation.ts'
import { numbers, readSelector } from '../selector.ts'

const ORIGIN: Vec = [0, 0, 0]
const NEAR = 1e-6

const splitSplines: Execute = (context) => {
  const mode = str(context, 'Mode')
  const table = context.input('Split Values').map((item) => tableOf(item.data))[0]
  const column = flag(context, 'bUseConstant') || !table ? undefined : readSelector(table, str(context, 'Attribute'))
  const values = column && table ? [...numbers(column, table.count, 1)] : [num(context, 'Constant')]
  const keep = str(context, 'CutDataBehavior')
  return context.input('In').flatMap((item, index) => {
    if (item.data.kind !== 'Spline') return []
    const { curve } = item.data
    const keyOf = (value: number) =>
      mode === 'ByDistance'
        ? keyAtDistance(curve, value)
        : mode === 'ByAlpha'
          ? keyAtDistance(curve, value * curve.length)
          : value
    const keys = [...new Set(values.map(keyOf))]
      .filter((key) => key > NEAR && key < curve.segments - NEAR)
      .sort((a, b) => a - b)
    const tags = flag(context, 'bShouldOutputOriginatingSplineIndex')
      ? [...item.tags, `${str(context, 'OriginatingSplineIndexAttribute')}:${index}`]
      : item.tags
    if (keys.length === 0) return keep === 'KeepAllSplines' ? [out(item.data, tags)] : []
    // Every piece of a closed curve lies between two cuts; of an open one the first and the last do not.
    const ends = curve.closed ? [...keys, (keys[0] ?? 0) + curve.segments] : [0, ...keys, curve.segments]
    const pieces = ends.slice(1).map((end, i) => cutCurve(curve, ends[i] ?? 0, end))
    const kept = keep === 'KeepInteriorSplinesOnly' && !curve.closed ? pieces.slice(1, -1) : pieces
    return kept.map((piece) => out({ kind: 'Spline', curve: piece }, tags))
  })
}

type Hit = { readonly own: number; readonly other: number; readonly place: Vec; readonly tangent: Vec }
const STEPS = 24
const MOST_PAIRS = 4e7

/** The keys at which two straight pieces come nearest, as shares of each. */
function nearest(a: Vec, b: Vec, c: Vec, d: Vec): readonly [number, number] {
  const [u, v, w] = [add(b, a, -1), add(d, c, -1), add(a, c, -1)]
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)]
  const flat = uu * vv - uv * uv
  const limit = (value: number) => Math.min(1, Math.max(0, value))
  let s = flat > 1e-12 ? limit((uv * vw - vv * uw) / flat) : 0
  const t = limit(vv === 0 ? 0 : (uv * s + vw) / vv)
  s = limit(uu === 0 ? 0 : (uv * t - uw) / uu)
  return [s, t]
}

/** Walks on along both tangents until the two places come no nearer. */
function refined(a: Curve, b: Curve, s: number, t: number): readonly [number, number] {
  let [x, y] = [s, t]
  const step = 1e-5
  const way = (curve: Curve, key: number): Vec => {
    const [from, to] = [Math.max(0, key - step), Math.min(curve.segments, key + step)]
    return scaled(
      add(spotAtKey(curve, to).position, spotAtKey(curve, from).position, -1),
      1 / Math.max(1e-12, to - from),
    )
  }
  for (let round = 0; round < 6; round++) {
    const gap = add(spotAtKey(a, x).position, spotAtKey(b, y).position, -1)
    const [u, v] = [way(a, x), way(b, y)]
    const [uu, uv, vv] = [dot(u, u), dot(u, v), dot(v, v)]
    const flat = uu * vv - uv * uv
    if (!(flat > 1e-9)) break
    const [gu, gv] = [dot(gap, u), dot(gap, v)]
    x = Math.min(a.segments, Math.max(0, x + (uv * gv - vv * gu) / flat))
    y = Math.min(b.segments, Math.max(0, y + (uu * gv - uv * gu) / flat))
  }
  return [x, y]
}

function hits(a: Curve, b: Curve, within: number): Hit[] {
  const same = a === b
  const places = (curve: Curve) =>
    Array.from({ length: curve.segments * STEPS + 1 }, (_, i) => spotAtKey(curve, i / STEPS).position)
  const [pa, pb] = [places(a), same ? [] : places(b)]
  const other = same ? pa : pb
  const found: Hit[] = []
  for (let i = 0; i + 1 < pa.length; i++)
    for (let j = same ? i + 2 : 0; j + 1 < other.length; j++) {
      if (same && a.closed && i === 0 && j === other.length - 2) continue
      const [s, t] = nearest(pa[i] ?? ORIGIN, pa[i + 1] ?? ORIGIN, other[j] ?? ORIGIN, other[j + 1] ?? ORIGIN)
      const spot = (list: readonly Vec[], at: number, share: number) =>
        add(scaled(list[at] ?? ORIGIN, 1 - share), list[at + 1] ?? ORIGIN, share)
      // A curve bends away from its straight pieces: what comes near is looked at on the curve itself.
      const loose = within + Math.hypot(...add(pa[i + 1] ?? ORIGIN, pa[i] ?? ORIGIN, -1)) / 4
      if (Math.hypot(...add(spot(pa, i, s), spot(other, j, t), -1)) > loose) continue
      const [own, opposite] = refined(a, b, (i + s) / STEPS, (j + t) / STEPS)
      const [p, q] = [spotAtKey(a, own), spotAtKey(b, opposite)]
      if (
        Math.hypot(...add(p.position, q.position, -1)) > within + NEAR ||
        (same && Math.abs(own - opposite) < 1 / STEPS)
      )
        continue
      const known = found.some((hit) => Math.hypot(...add(hit.place, p.position, -1)) < within + 1e-3)
      if (!known)
        found.push({ own, other: opposite, place: scaled(add(p.position, q.position), 0.5), tangent: p.tangent })
    }
  return found
}

const intersections: Execute = (context) => {
  const curves = context
    .input('In')
    .flatMap((item) => (item.data.kind === 'Spline' ? [{ item, curve: item.data.curve }] : []))
  const within = Math.max(0, num(context, 'DistanceThreshold'))
  const self = str(context, 'Type') === 'Self'
  const pieces = curves.reduce((sum, { curve }) => sum + curve.segments * STEPS, 0)
  if (pieces * pieces > MOST_PAIRS) {
    context.fail('The curves are too long to be compared piece by piece')
    return []
  }
  const all = curves.map(({ curve }, index) =>
    (self ? [index] : curves.map((_, other) => other).filter((other) => other !== index)).flatMap((other) =>
      hits(curve, curves[other]?.curve ?? curve, within).map((hit) => ({ ...hit, index, with: other })),
    ),
  )
  if (str(context, 'Output') === 'OriginalSplinesWithIntersections')
    return curves.map(({ curve, item }, index) => {
      const keys = (all[index] ?? []).flatMap((hit) => (self ? [hit.own, hit.other] : [hit.own]))
      return out({ kind: 'Spline', curve: withPoints(curve, keys) }, item.tags)
    })
  // A crossing of two curves is one place, whichever of them it is looked at from.
  const list = all.flat().filter((hit) => self || hit.index < hit.with)
  const [position, rotation] = [new Float64Array(list.length * 3), new Float64Array(list.length * 4)]
  const seed = new Int32Array(list.length)
  for (const [i, { place, tangent }] of list.entries()) {
    position.set(place, i * 3)
    setQuat(rotation, i * 4, facing(tangent))
    seed[i] = seedFromPosition(...place)
  }
  const made = pointsOf(list.length, { position: each(position, 3), rotation: each(rotation, 4), seed: each(seed, 1) })
  if (!flag(context, 'bOutputSplineIndices')) return [points(made)]
  const column = (values: readonly number[]): Column => ({
    type: 'Integer32',
    width: 1,
    data: Float64Array.from(values),
    step: 1,
  })
  const named = withAttribute(
    made,
    str(context, 'OriginatingSplineIndexAttribute'),
    column(list.map((hit) => hit.index)),
  )
  return [
    points(withAttribute(named, str(context, 'IntersectingSplineIndexAttribute'), column(list.map((hit) => hit.with)))),
  ]
}

/** The same curve with further control points on it. */
function withPoints(curve: Curve, given: readonly number[]): Curve {
  const keys = [...new Set(given)].filter(
    (key) => key > NEAR && key < curve.segments - NEAR && Math.abs(key - Math.round(key)) > NEAR,
  )
  if (keys.length === 0) return curve
  const ends = [0, ...keys, ...Array.from({ length: curve.segments }, (_, i) => i + 1)].sort((a, b) => a - b)
  const pieces = ends.slice(1).map((end, i) => cutCurve(curve, ends[i] ?? 0, end))
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (!first || !last) return curve
  const starts = (of: (piece: Curve) => readonly Vec[], at: number) => pieces.map((piece) => of(piece)[at] ?? ORIGIN)
  const [places, leave, arrive] = [starts((p) => p.points, 0), starts((p) => p.leave, 0), starts((p) => p.arrive, 1)]
  if (curve.closed)
    return createCurve(places, true, { leave, arrive: [arrive.at(-1) ?? ORIGIN, ...arrive.slice(0, -1)] })
  return createCurve([...places, last.points[1] ?? ORIGIN], false, {
    leave: [...leave, last.arrive[1] ?? ORIGIN],
    arrive: [first.leave[0] ?? ORIGIN, ...arrive],
  })
}

function cornersOf(solid: Solid): Vec[] {
  return Array.from({ length: 8 }, (_, i) =>
    add(
      solid.center,
      rotate(solid.rotation, [
        i & 1 ? solid.half[0] : -solid.half[0],
        i & 2 ? solid.half[1] : -solid.half[1],
        i & 4 ? solid.half[2] : -solid.half[2],
      ]),
    ),
  )
}

/** Where the plane across `way` at a height cuts the box, in order around it. */
function slice(corners: readonly Vec[], way: Vec, height: number): Vec[] {
  const found: Vec[] = []
  const put = (place: Vec) => {
    if (!found.some((known) => Math.hypot(...add(known, place, -1)) < 1e-4)) found.push(place)
  }
  for (let i = 0; i < 8; i++)
    for (const bit of [1, 2, 4]) {
      if (i & bit) continue
      const [a, b] = [corners[i] ?? ORIGIN, corners[i | bit] ?? ORIGIN]
      const [low, high] = [dot(a, way) - height, dot(b, way) - height]
      if (Math.abs(low) < 1e-4) put(a)
      if (Math.abs(high) < 1e-4) put(b)
      if (low * high < 0 && Math.abs(low) >= 1e-4 && Math.abs(high) >= 1e-4)
        put(add(scaled(a, high / (high - low)), b, -low / (high - low)))
    }
  const middle = scaled(
    found.reduce((sum, place) => add(sum, place), ORIGIN),
    1 / Math.max(1, found.length),
  )
  const right = unit(add(found[0] ?? ORIGIN, middle, -1))
  const up = cross(way, right)
  const angle = (place: Vec) => Math.atan2(dot(add(place, middle, -1), up), dot(add(place, middle, -1), right))
  return found.sort((a, b) => angle(a) - angle(b))
}

function areaOf(ring: readonly Vec[], way: Vec): number {
  const sum = ring.reduce<Vec>((total, a, i) => add(total, cross(a, ring[(i + 1) % ring.length] ?? a)), ORIGIN)
  return Math.abs(dot(sum, way)) / 2
}

/** Outlines of boxes at the heights of their corners, each with the way to the next. */
const crossSections: Execute = (context) => {
  const way = unit(vec(context, 'SliceDirection'))
  return context.input('In').flatMap((item) => {
    const { data } = item
    if ((data.kind !== 'Primitive' && data.kind !== 'Volume') || dot(way, way) === 0) return []
    const corners = cornersOf(data.solid)
    if (corners.length > num(context, 'MaxMeshVertexCount')) return []
    const heights = corners.map((corner) => dot(corner, way)).sort((a, b) => a - b)
    const together = flag(context, 'bEnableTierMerging') ? Math.max(0.01, num(context, 'TierMergingThreshold')) : 0.01
    const tiers: { height: number; count: number }[] = []
    for (const height of heights) {
      const last = tiers.at(-1)
      if (last && height - last.height < together) last.count += 1
      else tiers.push({ height, count: 1 })
    }
    const least = num(context, 'MinimumCoplanarVertices')
    const rings = tiers
      .filter((tier) => tier.count >= least)
      .map((tier) => ({ height: tier.height, ring: slice(corners, way, tier.height) }))
    const redundant = (ring: readonly Vec[], before: readonly Vec[], reach: number) =>
      ring.length === before.length &&
      ring.every((place) => before.some((other) => Math.hypot(...add(add(other, way, reach), place, -1)) < 1e-3))
    // Of tiers with one outline the first and the last say it all.
    const kept = flag(context, 'bRemoveRedundantSections')
      ? rings.filter((tier, i) => {
          const [before, after] = [rings[i - 1], rings[i + 1]]
          if (!before || !after) return true
          return (
            !redundant(tier.ring, before.ring, tier.height - before.height) ||
            !redundant(after.ring, tier.ring, after.height - tier.height)
          )
        })
      : rings
    const small = flag(context, 'bEnableMinAreaCulling') ? num(context, 'MinAreaCullingThreshold') : -1
    const name = str(context, 'ExtrusionVectorAttribute')
    const label = name === '' || name.startsWith('@') ? 'ExtrusionVector' : name
    return kept.slice(0, -1).flatMap(({ height, ring }, i) => {
      if (ring.length < 3 || areaOf(ring, way) < small) return []
      const reach = scaled(way, (kept[i + 1]?.height ?? height) - height)
      const made: Data = { kind: 'Spline', curve: createCurve(ring, true, { linear: true }) }
      return [out(made, [...item.tags, `${label}:${reach.map((value) => Number(value.toFixed(6)) + 0).join(' ')}`])]
    })
  })
}

export const paths: NodeTable = {
  PCGSplitSplinesSettings: splitSplines,
  PCGSplineIntersectionSettings: intersections,
  PCGPrimitiveCrossSectionSettings: crossSections,
}
