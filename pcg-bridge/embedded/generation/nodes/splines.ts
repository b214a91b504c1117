// Curves: made from points, reversed, cleaned, taken apart, spawned along.

import { isRecord } from '../../../editor/settings.ts'
import { type Execute, flag, type NodeContext, type NodeTable, num, out, points, pointsOn, str } from '../context.ts'
import { add, type Curve, createCurve, dot, scaled, unit } from '../curve.ts'
import type { Tagged } from '../data.ts'
import { type Column, each, type Points } from '../points.ts'
import type { Vec } from '../rotation.ts'
import { numbers, readSelector } from '../selector.ts'
import { optionsOf, placed } from './spline-sampler.ts'

function placesOf(given: Points): Vec[] {
  const all = numbers({ type: 'Vector', width: 3, ...given.position }, given.count, 3)
  return Array.from({ length: given.count }, (_, i) => [all[i * 3] ?? 0, all[i * 3 + 1] ?? 0, all[i * 3 + 2] ?? 0])
}

const createSpline: Execute = (context) =>
  pointsOn(context, 'In').map(({ points: given, tags }) => {
    const vectors = (name: string): Vec[] | null => {
      const column = readSelector(given, str(context, name))
      if (!column || column.texts) return null
      const all = numbers(column, given.count, 3)
      return Array.from({ length: given.count }, (_, i) => [all[i * 3] ?? 0, all[i * 3 + 1] ?? 0, all[i * 3 + 2] ?? 0])
    }
    const custom = flag(context, 'bApplyCustomTangents')
    const [arrive, leave] = custom
      ? [vectors('ArriveTangentAttribute'), vectors('LeaveTangentAttribute')]
      : [null, null]
    const shape = arrive && leave ? { arrive, leave } : { linear: flag(context, 'bLinear') }
    return out({ kind: 'Spline', curve: createCurve(placesOf(given), flag(context, 'bClosedLoop'), shape) }, tags)
  })

function perCurve(change: (curve: Curve, item: Tagged, context: NodeContext) => readonly Tagged[]): Execute {
  return (context) =>
    context.input('In').flatMap((item) => (item.data.kind === 'Spline' ? change(item.data.curve, item, context) : []))
}

const ORIGIN: Vec = [0, 0, 0]

function reversed(curve: Curve): Curve {
  const back = (list: readonly Vec[]) => [...list].reverse()
  const turned = (list: readonly Vec[]) => back(list).map((tangent) => scaled(tangent, -1))
  return createCurve(back(curve.points), curve.closed, { arrive: turned(curve.leave), leave: turned(curve.arrive) })
}

/** Above zero when it turns counter-clockwise seen from above. */
function area(curve: Curve): number {
  return curve.points.reduce((sum, a, i) => {
    const b = curve.points[(i + 1) % curve.points.length] ?? a
    return sum + (a[0] * b[1] - b[0] * a[1]) / 2
  }, 0)
}

const direction = perCurve((curve, item, context) => {
  const how = str(context, 'Operation')
  const wrong = how === 'Reverse' || (how === 'ForceClockwise' ? area(curve) > 0 : area(curve) < 0)
  return [out({ kind: 'Spline', curve: wrong ? reversed(curve) : curve }, item.tags)]
})

const controlPoints = perCurve((curve, item, context) => {
  const [arrive, leave] = [str(context, 'ArriveTangentAttributeName'), str(context, 'LeaveTangentAttributeName')]
  const places = curve.points.map((position, i) => ({ position, tangent: curve.leave[i] ?? ([1, 0, 0] as const) }))
  const made = placed(places, 1, optionsOf({ PointSteepness: 0.5 }))
  const attributes = new Map([
    [arrive, vectorsOf(curve.arrive)],
    [leave, vectorsOf(curve.leave)],
  ])
  return [points({ ...made, attributes, last: leave }, item.tags)]
})

const column = (type: string, values: readonly number[]): Column => ({
  type,
  width: 1,
  data: Float64Array.from(values),
  step: 1,
})
const vectorsOf = (list: readonly Vec[]): Column => ({
  type: 'Vector',
  width: 3,
  data: Float64Array.from(list.flat()),
  step: 3,
})
/** In degrees; two directions of which one has no length have no angle. */
function angleBetween(a: Vec, b: Vec): number {
  if (Math.hypot(...a) === 0 || Math.hypot(...b) === 0) return 0
  return (Math.acos(Math.min(1, Math.max(-1, dot(unit(a), unit(b))))) * 180) / Math.PI
}

/** What a segment says of its neighbours; the ends of an open curve have none. */
function segmentAttributes(curve: Curve, along: readonly Vec[], context: NodeContext): Map<string, Column> {
  const count = along.length
  const index = (i: number): number => (curve.closed ? (i + count) % count : i < 0 || i >= count ? -1 : i)
  const tangents = (by: number) => along.map((_, i) => along[index(i + by)] ?? ORIGIN)
  const angles = (by: number) => tangents(by).map((tangent, i) => angleBetween(along[i] ?? ORIGIN, tangent))
  const found = new Map<string, Column>()
  for (const [name, by] of [
    ['Previous', -1],
    ['Next', 1],
  ] as const) {
    if (flag(context, 'bExtractTangents')) found.set(`${name}Tangent`, vectorsOf(tangents(by)))
    if (flag(context, 'bExtractAngles')) found.set(`${name}Angle`, column('Double', angles(by)))
    if (flag(context, 'bExtractConnectivityInfo'))
      found.set(
        `${name}Index`,
        column(
          'Integer32',
          along.map((_, i) => index(i + by)),
        ),
      )
  }
  if (curve.closed && flag(context, 'bExtractClockwiseInfo'))
    found.set('Clockwise', { ...column('Boolean', [Number(area(curve) < 0)]), step: 0 })
  return found.set('SegmentIndex', column('Integer32', [...along.keys()]))
}

/** One point per segment, in its middle, as long as the segment. */
const toSegments = perCurve((curve, item, context) => {
  const places = Array.from({ length: curve.segments }, (_, i) => {
    const [a, b] = [curve.points[i] ?? ORIGIN, curve.points[(i + 1) % curve.points.length] ?? ORIGIN]
    return { position: scaled(add(a, b), 0.5), tangent: add(b, a, -1) }
  })
  const made = placed(places, 1, optionsOf({ PointSteepness: 1 }))
  const halves = places.map((place) => Math.hypot(...place.tangent) / 2)
  const along = places.map((place) => place.tangent)
  return [
    points(
      {
        ...made,
        boundsMin: each(Float64Array.from(halves.flatMap((half) => [-half, -1, -1])), 3),
        boundsMax: each(Float64Array.from(halves.flatMap((half) => [half, 1, 1])), 3),
        attributes: segmentAttributes(curve, along, context),
        last: 'SegmentIndex',
      },
      item.tags,
    ),
  ]
})

/** Places that stay: of those on one spot one, by the fuse mode; the ends of an open curve always stay. */
function fused(curve: Curve, near: number, second: boolean): number[] {
  const last = curve.points.length - 1
  const close = (a: number, b: number) =>
    Math.hypot(...add(curve.points[a] ?? ORIGIN, curve.points[b] ?? ORIGIN, -1)) <= near
  const kept: number[] = []
  for (let i = 0; i <= last; i++) {
    const before = kept.at(-1)
    if (before === undefined || !close(before, i)) kept.push(i)
    else if (second && before !== 0) kept[kept.length - 1] = i
  }
  const [first, end] = [kept[0], kept.at(-1)]
  if (curve.closed && kept.length > 2 && first !== undefined && end !== undefined && close(first, end)) kept.pop()
  return kept
}

/** Without the points at which the polygon turns by less than the angle. */
function turning(curve: Curve, kept: readonly number[], degrees: number): number[] {
  const result = [...kept]
  for (let i = 0; i < result.length && result.length > 2; ) {
    const inside = curve.closed || (i > 0 && i < result.length - 1)
    const at = (k: number) => curve.points[result[(k + result.length) % result.length] ?? 0] ?? ORIGIN
    const [come, go] = [unit(add(at(i), at(i - 1), -1)), unit(add(at(i + 1), at(i), -1))]
    const angle = (Math.acos(Math.min(1, Math.max(-1, dot(come, go)))) * 180) / Math.PI
    if (inside && angle < degrees) result.splice(i, 1)
    else i += 1
  }
  return result
}

/** Control points that stand on each other are one, and those that do not turn the curve are left out. */
const clean = perCurve((curve, item, context) => {
  const second = str(context, 'FuseMode') === 'KeepSecond'
  const all = [...curve.points.keys()]
  const joined = flag(context, 'bFuseColocatedControlPoints')
    ? fused(curve, num(context, 'ColocationDistanceThreshold'), second)
    : all
  const angle = num(context, 'CollinearAngleThreshold') * (flag(context, 'bUseRadians') ? 180 / Math.PI : 1)
  const kept = flag(context, 'bRemoveCollinearControlPoints') ? turning(curve, joined, angle) : joined
  const at = (list: readonly Vec[]) => kept.map((i) => list[i] ?? ORIGIN)
  return [
    out(
      {
        kind: 'Spline',
        curve: createCurve(at(curve.points), curve.closed, { arrive: at(curve.arrive), leave: at(curve.leave) }),
      },
      item.tags,
    ),
  ]
})

const surface = perCurve((curve, item, context) => {
  if (!curve.closed) context.warn('The curve is open: it is closed by a straight line')
  return [out({ kind: 'Surface', outline: curve }, item.tags)]
})

/** Instances along the curve, one per segment. */
const spawnMesh = perCurve((curve, item, context) => {
  const descriptor = context.settings['SplineMeshDescriptor']
  const mesh = isRecord(descriptor) ? String(descriptor['StaticMesh'] ?? descriptor['static_mesh'] ?? '') : ''
  context.spawn('SplineMeshComponent', mesh === '' ? 'None' : mesh, curve.segments)
  return [out(item.data, item.tags)]
})
const spawnSpline = perCurve((_, item, context) => {
  context.spawn('SplineComponent', str(context, 'SplineComponent'), 1)
  return [out(item.data, item.tags)]
})

export const splines: NodeTable = {
  PCGCreateSplineSettings: createSpline,
  PCGReverseSplineSettings: direction,
  PCGGetSplineControlPointsSettings: controlPoints,
  PCGSplineToSegmentSettings: toSegments,
  PCGCleanSplineSettings: clean,
  PCGCreateSurfaceFromSplineSettings: surface,
  PCGSpawnSplineMeshSettings: spawnMesh,
  PCGSpawnSplineSettings: spawnSpline,
}
