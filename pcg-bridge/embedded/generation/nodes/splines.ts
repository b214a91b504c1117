// Curves: made from points, reversed, cleaned, taken apart, spawned along.

import { isRecord } from '../../../editor/settings.ts'
import { type Execute, flag, type NodeContext, type NodeTable, num, out, points, pointsOn, str } from '../context.ts'
import { add, type Curve, createCurve, scaled } from '../curve.ts'
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
  const vectors = (list: readonly Vec[]): Column => ({
    type: 'Vector',
    width: 3,
    data: Float64Array.from(list.flat()),
    step: 3,
  })
  const [arrive, leave] = [str(context, 'ArriveTangentAttributeName'), str(context, 'LeaveTangentAttributeName')]
  const places = curve.points.map((position, i) => ({ position, tangent: curve.leave[i] ?? ([1, 0, 0] as const) }))
  const made = placed(places, 1, optionsOf({ PointSteepness: 0.5 }))
  const attributes = new Map([
    [arrive, vectors(curve.arrive)],
    [leave, vectors(curve.leave)],
  ])
  return [points({ ...made, attributes, last: leave }, item.tags)]
})

/** One point per segment, in its middle, as long as the segment. */
const toSegments = perCurve((curve, item) => {
  const places = Array.from({ length: curve.segments }, (_, i) => {
    const [a, b] = [
      curve.points[i] ?? ([0, 0, 0] as const),
      curve.points[(i + 1) % curve.points.length] ?? ([0, 0, 0] as const),
    ]
    return { position: scaled(add(a, b), 0.5), tangent: add(b, a, -1) }
  })
  const made = placed(places, 1, optionsOf({ PointSteepness: 1 }))
  const halves = places.map((place) => Math.hypot(...place.tangent) / 2)
  return [
    points(
      {
        ...made,
        boundsMin: each(Float64Array.from(halves.flatMap((half) => [-half, -1, -1])), 3),
        boundsMax: each(Float64Array.from(halves.flatMap((half) => [half, 1, 1])), 3),
        attributes: new Map([
          ['SegmentIndex', { type: 'Integer32', width: 1, data: Float64Array.from(places.keys()), step: 1 }],
        ]),
        last: 'SegmentIndex',
      },
      item.tags,
    ),
  ]
})

/** Control points that stand on each other are one. */
const clean = perCurve((curve, item, context) => {
  if (!flag(context, 'bFuseColocatedControlPoints')) return [out(item.data, item.tags)]
  const near = num(context, 'ColocationDistanceThreshold')
  const kept = curve.points.flatMap((place, i) => {
    const before = i === 0 ? undefined : curve.points[i - 1]
    return before && Math.hypot(...add(place, before, -1)) <= near ? [] : [i]
  })
  const at = (list: readonly Vec[]) => kept.map((i) => list[i] ?? ([0, 0, 0] as const))
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
