// Set operations on things in space: union, difference, intersection, projection, merging, evaluation.

import { isRecord } from '../../../editor/settings.ts'
import { type Execute, flag, type NodeContext, type NodeTable, out, params, points, pointsOn, str } from '../context.ts'
import type { Data, Tagged } from '../data.ts'
import { type Column, each, join, own, type Points, pick, rowsWhere } from '../points.ts'
import { multiply, type Quat, upTo } from '../rotation.ts'
import { boxOfData, densityOf, difference, groundOf, intersection, union as joinDensity } from '../spatial.ts'
import { toPoints } from '../to-points.ts'

function tagsOf(items: readonly Tagged[]): string[] {
  return [...new Set(items.flatMap((item) => item.tags))]
}

/** Each point's density changed by what is at its place; points that fall to nothing are dropped. */
function reweighted(
  given: Points,
  keepZero: boolean,
  of: (density: number, x: number, y: number, z: number) => number,
): Points {
  const density = own(given.density, given.count, 1)
  const { data, step } = given.position
  for (let row = 0; row < given.count; row++) {
    const p = row * step
    density[row] = of(density[row] ?? 0, data[p] ?? 0, data[p + 1] ?? 0, data[p + 2] ?? 0)
  }
  const changed = { ...given, density: each(density, 1) }
  if (keepZero) return changed
  const rows = rowsWhere(given.count, (row) => (density[row] ?? 0) > 0)
  return rows.length === given.count ? changed : pick(changed, rows)
}

const union: Execute = (context) => {
  const items = context.input('In')
  const order = str(context, 'Type')
  const ordered = order === 'RightToLeftPriority' ? [...items].reverse() : items
  if (items.some((item) => item.data.kind !== 'Point')) {
    const composite: Data = {
      kind: 'Composite',
      op: 'Union',
      mode: str(context, 'DensityFunction'),
      parts: ordered.map((item) => item.data),
    }
    return [out(items.length === 1 ? (items[0]?.data ?? composite) : composite, tagsOf(items))]
  }
  const lists = ordered.map((item) => toPoints(item.data, context))
  if (order === 'KeepAll') return [points(join(lists, context.budget), tagsOf(items))]
  // A place that an earlier list holds is taken: a point there is not listed twice.
  const taken = new Set<string>()
  const mode = str(context, 'DensityFunction')
  const densities = lists.map((list) => densityOf({ kind: 'Point', points: list }))
  const kept = lists.map((list, at) => {
    const { data, step } = list.position
    const others = densities.filter((_, other) => other !== at)
    const alone = pick(
      list,
      rowsWhere(list.count, (row) => {
        const key = `${data[row * step]} ${data[row * step + 1]} ${data[row * step + 2]}`
        if (taken.has(key)) return false
        taken.add(key)
        return true
      }),
    )
    // What the other lists have at the place of a point adds to its density.
    return reweighted(alone, true, (d, x, y, z) =>
      others.reduce((sum, density) => joinDensity(mode, sum, density(x, y, z)), joinDensity(mode, d, 0)),
    )
  })
  return [points(join(kept, context.budget), tagsOf(items))]
}

const differenceNode: Execute = (context) => {
  const taken = context.input('Differences').map((item) => item.data)
  const mode = str(context, 'DensityFunction')
  const shape = str(context, 'Mode')
  const lists = taken.map(densityOf)
  const most = (x: number, y: number, z: number) => lists.reduce((d, density) => Math.max(d, density(x, y, z)), 0)
  return context.input('Source').map((item) => {
    const discrete = shape === 'Discrete' || (shape === 'Inferred' && item.data.kind === 'Point')
    if (taken.length === 0) return out(item.data, item.tags)
    if (!discrete) return out({ kind: 'Composite', op: 'Difference', mode, parts: [item.data, ...taken] }, item.tags)
    const given = toPoints(item.data, context)
    const changed = reweighted(given, flag(context, 'bKeepZeroDensityPoints'), (d, x, y, z) =>
      difference(mode, d, most(x, y, z)),
    )
    return points(changed, item.tags)
  })
}

function intersected(context: NodeContext, first: Tagged, others: readonly Data[]): Tagged {
  const mode = str(context, 'DensityFunction')
  if (first.data.kind !== 'Point')
    return out({ kind: 'Composite', op: 'Intersection', mode, parts: [first.data, ...others] }, first.tags)
  const lists = others.map(densityOf)
  const changed = reweighted(first.data.points, flag(context, 'bKeepZeroDensityPoints'), (d, x, y, z) =>
    lists.reduce((value, density) => intersection(mode, value, density(x, y, z)), d),
  )
  return points(changed, first.tags)
}

const innerIntersection: Execute = (context) => {
  const items = context.input('In')
  // Points lead, so that the result is points when there are any.
  const first = items.find((item) => item.data.kind === 'Point') ?? items[0]
  if (!first) return []
  return [
    intersected(
      context,
      first,
      items.filter((item) => item !== first).map((item) => item.data),
    ),
  ]
}

/** Each primary data with the union of each other pin. */
const outerIntersection: Execute = (context) => {
  const [primary = '', ...secondary] = context.pins.inputs
  const ignore = flag(context, 'bIgnorePinsWithNoInput') || flag(context, 'bIgnoreEmptySecondaryInput')
  const used = secondary.filter((pin) => context.wired(pin))
  const unions = used.map((pin) => context.input(pin).map((item) => item.data))
  if (!ignore && unions.some((parts) => parts.length === 0)) return []
  const others = unions
    .filter((parts) => parts.length > 0)
    .map((parts): Data => ({ kind: 'Composite', op: 'Union', mode: 'Maximum', parts }))
  return context
    .input(primary)
    .map((item) => (others.length === 0 ? out(item.data, item.tags) : intersected(context, item, others)))
}

const merge: Execute = (context) => {
  const lists = pointsOn(context, 'In')
  if (lists.length === 0) return []
  const kept = str(context, 'Mode') === 'KeepLastPointOnConflict' ? [...lists].reverse() : lists
  return [
    points(
      join(
        kept.map((item) => item.points),
        context.budget,
      ),
      [...new Set(lists.flatMap((item) => item.tags))],
    ),
  ]
}

const toPointNode: Execute = (context) => pointsOn(context, 'In').map((item) => points(item.points, item.tags))

const makeConcrete: Execute = (context) =>
  context
    .input('In')
    .map((item) =>
      item.data.kind === 'Composite' ? points(toPoints(item.data, context), item.tags) : out(item.data, item.tags),
    )

const getBounds: Execute = (context) =>
  context.input('In').flatMap((item) => {
    const box = boxOfData(item.data)
    if (!box) return []
    const column = (of: readonly number[]): Column => ({
      type: 'Vector',
      width: 3,
      data: Float64Array.from(of),
      step: 0,
    })
    return [
      params(
        {
          count: 1,
          attributes: new Map([
            ['BoundsMin', column(box.min)],
            ['BoundsMax', column(box.max)],
          ]),
          last: 'BoundsMax',
        },
        item.tags,
      ),
    ]
  })

/** Straight down (or up) onto the target: place, and when asked the turn of its normal. */
function projected(context: NodeContext, given: Points, target: Data): Points {
  const settings = context.settings['ProjectionParams']
  const record = isRecord(settings) ? settings : {}
  const [places, turns] = [record['bProjectPositions'] !== false, record['bProjectRotations'] !== false]
  const ground = groundOf(target)
  const position = own(given.position, given.count, 3)
  const rotation = turns ? own(given.rotation, given.count, 4) : null
  const hit = new Uint8Array(given.count)
  for (let row = 0; row < given.count; row++) {
    const found = ground(position[row * 3] ?? 0, position[row * 3 + 1] ?? 0)
    if (!found) continue
    hit[row] = 1
    if (places) position[row * 3 + 2] = found.z
    if (!rotation) continue
    const r = row * 4
    const old: Quat = [rotation[r] ?? 0, rotation[r + 1] ?? 0, rotation[r + 2] ?? 0, rotation[r + 3] ?? 1]
    rotation.set(multiply(upTo(found.normal), old), r)
  }
  const moved = { ...given, position: each(position, 3), ...(rotation ? { rotation: each(rotation, 4) } : {}) }
  if (!flag(context, 'bKeepZeroDensityPoints'))
    return pick(
      moved,
      rowsWhere(given.count, (row) => hit[row] === 1),
    )
  const density = own(given.density, given.count, 1).map((value, row) => value * (hit[row] ?? 0))
  return { ...moved, density: each(density, 1) }
}

const projection: Execute = (context) => {
  const target = context.input('Projection Target')[0]
  if (!target) return []
  return context
    .input('In')
    .map((item) =>
      points(projected(context, toPoints(item.data, context), target.data), [
        ...new Set([...item.tags, ...target.tags]),
      ]),
    )
}

export const sets: NodeTable = {
  PCGUnionSettings: union,
  PCGDifferenceSettings: differenceNode,
  PCGInnerIntersectionSettings: innerIntersection,
  PCGIntersectionSettings: innerIntersection,
  PCGOuterIntersectionSettings: outerIntersection,
  PCGMergeSettings: merge,
  PCGCollapseSettings: toPointNode,
  PCGMakeConcreteSettings: makeConcrete,
  PCGGetBoundsSettings: getBounds,
  PCGProjectionSettings: projection,
}
