// Polygons seen from above: made from points and curves, combined, grown, and cutting what passes through them.
import { type Execute, flag, type NodeContext, type NodeTable, num, out, points, str } from '../context.ts'
import { type Curve, createCurve, outlineOf, spotAtKey } from '../curve.ts'
import { type Data, type Tagged, tableOf } from '../data.ts'
import { each, pick, pointsOf } from '../points.ts'
import {
  type Area,
  areaWhere,
  cuts,
  flat,
  insideArea,
  offsetArea,
  type Ring,
  ringArea,
  type Spot2,
  separate,
  widened,
} from '../polygon.ts'
import { seedFromPosition } from '../random.ts'
import type { Vec } from '../rotation.ts'
import { numbers, readSelector } from '../selector.ts'

const MOST_PLACES = 2000
const ORIGIN: Vec = [0, 0, 0]

/** The rings of each area in one data, at one height. */
function polygons(area: Area, z: number, tags: readonly string[]): Tagged[] {
  return separate(area).map((rings) =>
    out({ kind: 'Polygon2D', rings: rings.map((ring) => ring.map(([x, y]): Vec => [x, y, z])) }, tags),
  )
}

const turned = (ring: Ring, way: number): Ring => (ringArea(ring) * way < 0 ? [...ring].reverse() : ring)

function lineOf(curve: Curve, error: number): Vec[] {
  const straight = curve.points.every((_, i) => {
    const [a, b] = [curve.leave[i] ?? ORIGIN, curve.points[(i + 1) % curve.points.length] ?? ORIGIN]
    const own = curve.points[i] ?? ORIGIN
    return Math.hypot(own[0] + a[0] - b[0], own[1] + a[1] - b[1]) < 1e-6
  })
  const last = curve.closed ? [] : [spotAtKey(curve, curve.segments).position]
  // The finest division there is stays below any error that makes sense for a level.
  return straight || error >= 1e6 ? [...curve.points] : [...outlineOf(curve), ...last]
}

type Outline = { readonly area: Area; readonly z: number }
function outlineOfData(data: Data, error: number): Outline | null {
  if (data.kind === 'Polygon2D') return { area: data.rings.map(flat), z: data.rings[0]?.[0]?.[2] ?? 0 }
  const curve = data.kind === 'Surface' ? data.outline : data.kind === 'Spline' && data.curve.closed ? data.curve : null
  if (!curve) return null
  const line = lineOf(curve, error)
  return { area: [turned(flat(line), 1)], z: line[0]?.[2] ?? 0 }
}

/** An area without its own crossings: where rings overlap, an odd number of them is inside. */
function sound(area: Area): Area {
  return areaWhere([area], (inside) => inside(area))
}

function tooMany(context: NodeContext, areas: readonly Area[]): boolean {
  const places = areas.flat().reduce((sum, ring) => sum + ring.length, 0)
  if (places > MOST_PLACES) context.fail(`Polygons of ${places} places are too many: at most ${MOST_PLACES}`)
  return places > MOST_PLACES
}

const createPolygon: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const { data } = item
    const type = str(context, 'InputType')
    const curve = data.kind === 'Spline' ? data.curve : null
    const table = tableOf(data)
    const positions =
      data.kind === 'Point'
        ? numbers({ type: 'Vector', width: 3, ...data.points.position }, data.points.count, 3)
        : null
    const line = curve
      ? lineOf(curve, num(context, 'SplineMaxDiscretizationError'))
      : Array.from(
          { length: positions ? positions.length / 3 : 0 },
          (_, i): Vec => [positions?.[i * 3] ?? 0, positions?.[i * 3 + 1] ?? 0, positions?.[i * 3 + 2] ?? 0],
        )
    if (line.length < 2 || tooMany(context, [[flat(line)]])) return []
    const z = line.reduce((sum, place) => sum + place[2], 0) / line.length
    const open = type === 'ForceOpen' || (type === 'Automatic' && curve !== null && !curve.closed)
    if (open) {
      const widths =
        flag(context, 'bUsePolygonWidthAttribute') && table
          ? readSelector(table, str(context, 'PolygonWidthAttribute'))
          : undefined
      const width = widths && table ? (numbers(widths, table.count, 1)[0] ?? 0) : num(context, 'PolygonWidth')
      return width > 0 ? polygons(widened(flat(line), width), z, item.tags) : []
    }
    const holes =
      flag(context, 'bUseHoleAttribute') && table ? readSelector(table, str(context, 'HoleIndexAttribute')) : undefined
    const index = holes && table ? numbers(holes, table.count, 1) : null
    const rings = Map.groupBy(line.keys(), (row) => (index ? (index[row] ?? -1) : -1))
    const area = [...rings].map(([hole, rows]) =>
      turned(flat(rows.map((row) => line[row] ?? ORIGIN)), hole < 0 ? 1 : -1),
    )
    return polygons(sound(area), z, item.tags)
  })

const union = (areas: readonly Area[]): Area =>
  areas.length === 0 ? [] : areaWhere(areas, (inside) => areas.some(inside))

function combined(operation: string, source: Area, clips: readonly Area[]): Area {
  const clip = (inside: (area: Area) => boolean) => clips.some(inside)
  return areaWhere([source, ...clips], (inside) =>
    operation === 'Difference'
      ? inside(source) && !clip(inside)
      : operation === 'ExclusiveOr'
        ? inside(source) !== clip(inside)
        : inside(source) && clip(inside),
  )
}

const operate: Execute = (context) => {
  const error = num(context, 'SplineMaxDiscretizationError')
  const read = (pin: string) =>
    context.input(pin).flatMap((item) => {
      const found = outlineOfData(item.data, error)
      return found ? [{ ...found, tags: item.tags }] : []
    })
  const [sources, clips] = [read('In'), read('Clip')]
  const [first] = sources
  if (
    !first ||
    tooMany(
      context,
      [...sources, ...clips].map(({ area }) => area),
    )
  )
    return []
  const operation = str(context, 'Operation')
  const areas = sources.map(({ area }) => area)
  const clipping = clips.map(({ area }) => area)
  if (operation === 'CutWithPaths') {
    if (!flag(context, 'bQuiet')) context.fail('CutWithPaths is not computed by the built-in editor')
    return []
  }
  const together = [...new Set(sources.flatMap(({ tags }) => tags))]
  if (operation === 'Union') return polygons(union(areas), first.z, together)
  if (operation === 'InnerIntersection')
    return polygons(
      areaWhere(areas, (inside) => areas.every(inside)),
      first.z,
      together,
    )
  return sources.flatMap(({ area, z, tags }) =>
    operation === 'PairwiseIntersection'
      ? clipping.flatMap((clip) => polygons(combined('Intersection', area, [clip]), z, tags))
      : polygons(combined(operation, area, clipping), z, tags),
  )
}

const offset: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const found = outlineOfData(item.data, 1)
    if (!found || tooMany(context, [found.area])) return []
    const table = context.input('Offset Values').map((one) => tableOf(one.data))[0]
    const column =
      flag(context, 'bUseOffsetFromInput') && table ? readSelector(table, str(context, 'OffsetAttribute')) : undefined
    const by = column && table ? (numbers(column, table.count, 1)[0] ?? 0) : num(context, 'Offset')
    const [operation, join] = [str(context, 'Operation'), str(context, 'JoinType')]
    const steps =
      operation === 'Offset'
        ? [by]
        : operation === 'Open'
          ? [-Math.abs(by), Math.abs(by)]
          : [Math.abs(by), -Math.abs(by)]
    const made = steps.reduce((area, step) => offsetArea(area, step, join), sound(found.area))
    return polygons(made, found.z, flag(context, 'bInheritMetadata') ? item.tags : [])
  })

/** The parts of a line that the rule keeps, each with places where it was cut. */
function parts(line: readonly Vec[], area: Area, inside: boolean): Vec[][] {
  const found: Vec[][] = []
  let part: Vec[] = []
  const end = () => {
    if (part.length > 1) found.push(part)
    part = []
  }
  for (let i = 0; i + 1 < line.length; i++) {
    const [a, b] = [line[i] ?? ORIGIN, line[i + 1] ?? ORIGIN]
    const at = (s: number): Vec => [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s]
    const [from, to]: Spot2[] = [
      [a[0], a[1]],
      [b[0], b[1]],
    ]
    const shares = [0, ...cuts(area, from ?? [0, 0], to ?? [0, 0]), 1]
    for (let k = 0; k + 1 < shares.length; k++) {
      const [s, t] = [shares[k] ?? 0, shares[k + 1] ?? 1]
      if (t - s < 1e-9) continue
      const [x, y] = at((s + t) / 2)
      if (insideArea(area, x, y) !== inside) {
        end()
        continue
      }
      if (part.length === 0) part.push(at(s))
      part.push(at(t))
    }
  }
  end()
  return found
}

const clipPaths: Execute = (context) => {
  const error = num(context, 'SplineMaxDiscretizationError')
  const clips = context.input('Clip').flatMap((item) => outlineOfData(item.data, error)?.area ?? [])
  const inside = str(context, 'Operation') === 'Intersection'
  if (tooMany(context, [clips])) return []
  const area = union(clips.map((ring) => [ring]))
  return context.input('In').flatMap((item): Tagged[] => {
    const { data } = item
    if (data.kind === 'Spline') {
      const line = lineOf(data.curve, error)
      const whole = data.curve.closed ? [...line, line[0] ?? ORIGIN] : line
      return parts(whole, area, inside).map((part) =>
        out({ kind: 'Spline', curve: createCurve(part, false, { linear: true }) }, item.tags),
      )
    }
    if (data.kind !== 'Point') return []
    const all = numbers({ type: 'Vector', width: 3, ...data.points.position }, data.points.count, 3)
    const line = Array.from(
      { length: data.points.count },
      (_, i): Vec => [all[i * 3] ?? 0, all[i * 3 + 1] ?? 0, all[i * 3 + 2] ?? 0],
    )
    return parts(line, area, inside).map((part) => {
      // A place that was on the path keeps what the point was; a cut is a new point.
      const rows = part.map((place) =>
        line.findIndex((known) => Math.hypot(known[0] - place[0], known[1] - place[1], known[2] - place[2]) < 1e-6),
      )
      if (rows.every((row) => row >= 0)) return points(pick(data.points, Int32Array.from(rows)), item.tags)
      const seed = Int32Array.from(part, (place) => seedFromPosition(...place))
      return points(
        pointsOf(part.length, { position: each(Float64Array.from(part.flat()), 3), seed: each(seed, 1) }),
        item.tags,
      )
    })
  })
}

export const polygonNodes: NodeTable = {
  PCGCreatePolygon2DSettings: createPolygon,
  PCGPolygon2DOperationSettings: operate,
  PCGOffsetPolygon2DSettings: offset,
  PCGClipPathsSettings: clipPaths,
}
