// Triangle meshes as data. The embedded editor has no mesh files: every path stands for a cube of one metre.
import { isRecord } from '../../../editor/settings.ts'
import {
  type Execute,
  flag,
  type NodeContext,
  type NodeTable,
  num,
  out,
  params,
  perPoints,
  points,
  pointsOn,
  str,
  vecOf,
} from '../context.ts'
import { add, cross, dot, outlineOf, scaled, unit } from '../curve.ts'
import { type Data, type Tagged, tableOf } from '../data.ts'
import {
  boxMesh,
  combinedMesh,
  joinedMeshes,
  type Mesh,
  moved,
  NO_MESH,
  type Triangle,
  trianglesOf,
  verticesOf,
} from '../mesh.ts'
import { type Column, each, type Points, pointsOf, type Table, withAttribute } from '../points.ts'
import { type Stream, seedFromPosition, stream } from '../random.ts'
import { fromRotator, quatAt, rotate, setQuat, upTo, type Vec } from '../rotation.ts'
import { numbers, readSelector, textAt } from '../selector.ts'
import { dataOfActor } from '../spatial.ts'
import { chosen } from './actors.ts'
import { triangulated } from './triangulate.ts'

const HALF: Vec = [50, 50, 50]
const CUBE = boxMesh(HALF)

const mesh = (made: Mesh, tags: readonly string[] = []): Tagged => out({ kind: 'DynamicMesh', mesh: made }, tags)
const meshesOn = (context: NodeContext, pin: string) =>
  context
    .input(pin)
    .flatMap((item) => (item.data.kind === 'DynamicMesh' ? [{ mesh: item.data.mesh, tags: item.tags }] : []))
const named = (path: string): boolean => path !== '' && path !== 'None'

function warned(context: NodeContext): void {
  context.warn('The embedded editor has no meshes: each is a cube of one metre')
}

const fromStatic: Execute = (context) => {
  if (!named(str(context, 'StaticMesh'))) {
    context.warn('There is no mesh: set StaticMesh')
    return []
  }
  warned(context)
  return [mesh(CUBE)]
}

/** Moves of the points: place, turn and size. */
function movesOf(given: Points): ((place: Vec) => Vec)[] {
  const at = (field: Points['position']) => numbers({ type: 'Vector', width: 3, ...field }, given.count, 3)
  const [position, scale] = [at(given.position), at(given.scale)]
  const rotation = numbers({ type: 'Quaternion', width: 4, ...given.rotation }, given.count, 4)
  const vecAt = (list: Float64Array, row: number): Vec => [
    list[row * 3] ?? 0,
    list[row * 3 + 1] ?? 0,
    list[row * 3 + 2] ?? 0,
  ]
  return Array.from({ length: given.count }, (_, row) => {
    const [origin, size, turn] = [vecAt(position, row), vecAt(scale, row), quatAt(rotation, row * 4)]
    return ([x, y, z]: Vec) => add(origin, rotate(turn, [x * size[0], y * size[1], z * size[2]]))
  })
}

const append: Execute = (context) => {
  const mode = str(context, 'Mode')
  const sources = pointsOn(context, 'Points').map((item) => item.points)
  const added = sources.flatMap((given) => {
    const column = mode === 'StaticMeshFromAttribute' ? readSelector(given, str(context, 'MeshAttribute')) : undefined
    const wanted = (row: number) =>
      mode === 'SingleStaticMesh'
        ? named(str(context, 'StaticMesh'))
        : column !== undefined && named(textAt(column, row))
    return movesOf(given).filter((_, row) => wanted(row))
  })
  if (mode === 'DynamicMesh') context.warn('Mode DynamicMesh: set a static mesh instead')
  context.budget.take(added.length * 8)
  if (added.length > 0) warned(context)
  return meshesOn(context, 'Dynamic Mesh').map((item) =>
    mesh(joinedMeshes([item.mesh, ...added.map((move) => moved(CUBE, move))]), item.tags),
  )
}

const transform: Execute = (context) => {
  const set = context.settings['Transform']
  const record = isRecord(set) ? set : {}
  const [pitch, yaw, roll] = vecOf(record['rotation'])
  const [turn, origin] = [fromRotator(pitch, yaw, roll), vecOf(record['location'])]
  const size: Vec = record['scale'] === undefined ? [1, 1, 1] : vecOf(record['scale'])
  return meshesOn(context, 'In').map((item) =>
    mesh(
      moved(item.mesh, ([x, y, z]) => add(origin, rotate(turn, [x * size[0], y * size[1], z * size[2]]))),
      item.tags,
    ),
  )
}

const merge: Execute = (context) => {
  const all = meshesOn(context, 'In')
  return all.length === 0
    ? []
    : [mesh(joinedMeshes(all.map((item) => item.mesh)), [...new Set(all.flatMap((item) => item.tags))])]
}

const OPERATIONS: Readonly<Record<string, string>> = {
  Union: 'Union',
  Intersection: 'Intersection',
  Subtract: 'Difference',
}
const MOST_TRIANGLES = 5000

const combine: Execute = (context) => {
  const operation = OPERATIONS[str(context, 'BooleanOperation')]
  const [first, second] = [meshesOn(context, 'A'), meshesOn(context, 'B')]
  if (operation === undefined) {
    context.fail(`${str(context, 'BooleanOperation')} is not computed by the built-in editor`)
    return []
  }
  const triangles = [...first, ...second].reduce((sum, item) => sum + item.mesh.triangles.length / 3, 0)
  if (triangles > MOST_TRIANGLES) {
    context.fail(`Meshes of ${triangles} triangles are too many: at most ${MOST_TRIANGLES}`)
    return []
  }
  const inherit = str(context, 'TagInheritanceMode')
  const tags = (a: readonly string[], b: readonly string[]) => [
    ...new Set([...(inherit === 'B' ? [] : a), ...(inherit === 'A' ? [] : b)]),
  ]
  const mode = str(context, 'Mode')
  if (mode === 'EachAWithEveryB')
    return first.flatMap((a) => second.map((b) => mesh(combinedMesh(a.mesh, b.mesh, operation), tags(a.tags, b.tags))))
  if (mode === 'EachAWithEachBSequentially')
    return first.map((a) =>
      mesh(
        second.reduce((made, b) => combinedMesh(made, b.mesh, operation), a.mesh),
        tags(
          a.tags,
          second.flatMap((b) => b.tags),
        ),
      ),
    )
  return first.flatMap((a, i) => {
    const b = second[second.length === 1 ? 0 : i]
    return b ? [mesh(combinedMesh(a.mesh, b.mesh, operation), tags(a.tags, b.tags))] : []
  })
}

const spawn: Execute = (context) => {
  const all = meshesOn(context, 'In')
  if (all.length > 0) context.spawn('DynamicMeshComponent', 'DynamicMesh', all.length)
  return []
}

/** The boxes of actors that hold a dynamic mesh. */
const ofActors: Execute = (context) => {
  const found = chosen(context).filter((actor) => actor.class.includes('DynamicMesh') && actor.halfSize !== null)
  if (found.length === 0) context.warn('No actor of the level with a dynamic mesh matches: see ActorSelector')
  return found.flatMap((actor) => {
    const data = dataOfActor(actor)
    if (data.kind !== 'Primitive') return []
    const { center, half, rotation } = data.solid
    return [
      mesh(
        moved(boxMesh(half), (place) => add(center, rotate(rotation, place))),
        actor.tags,
      ),
    ]
  })
}

/** The inside of a closed curve as a sheet, or as a body as thick as asked. */
const fromSpline: Execute = (context) =>
  context.input('In').flatMap((item) => {
    if (item.data.kind !== 'Spline') return []
    const { curve } = item.data
    if (!curve.closed && str(context, 'OpenCurves') !== 'TreatAsClosed') return []
    const straight = curve.points.every((own, i) => {
      const next = curve.points[(i + 1) % curve.points.length] ?? own
      return Math.hypot(...add(add(next, own, -1), curve.leave[i] ?? own, -1)) < 1e-6
    })
    const made = triangulated(straight || !curve.closed ? curve.points : outlineOf(curve), num(context, 'Thickness'))
    const flipped = { ...made, triangles: made.triangles.map((_, i, all) => all[i - (i % 3) + (2 - (i % 3))] ?? 0) }
    return [mesh(flag(context, 'bFlipResult') ? flipped : made, item.tags)]
  })

type Sample = { readonly place: Vec; readonly normal: Vec; readonly triangle: number }
function normalOf([a, b, c]: Triangle): Vec {
  return unit(cross(add(b, a, -1), add(c, a, -1)))
}

/** Places at random on the triangles, none nearer to another than the distance. */
function scattered(
  triangles: readonly Triangle[],
  apart: number,
  draw: Stream,
  take: (count: number) => void,
): Sample[] {
  const areas = triangles.map(
    ([a, b, c]) => Math.sqrt(dot(cross(add(b, a, -1), add(c, a, -1)), cross(add(b, a, -1), add(c, a, -1)))) / 2,
  )
  const whole = areas.reduce((sum, area) => sum + area, 0)
  const tries = apart > 0 ? Math.min(20_000, Math.ceil((whole / (apart * apart)) * 20)) : 0
  take(tries)
  const found: Sample[] = []
  for (let i = 0; i < tries; i++) {
    let left = draw.fraction() * whole
    const index = Math.max(
      0,
      areas.findIndex((area) => (left -= area) < 0),
    )
    const [a, b, c] = triangles[index] ?? [HALF, HALF, HALF]
    const [r, s] = [Math.sqrt(draw.fraction()), draw.fraction()]
    const place = add(add(scaled(a, 1 - r), b, r * (1 - s)), c, r * s)
    if (found.every((other) => Math.hypot(...add(other.place, place, -1)) >= apart))
      found.push({ place, normal: normalOf(triangles[index] ?? [HALF, HALF, HALF]), triangle: index })
  }
  return found
}

function samplesOf(context: NodeContext): Sample[] {
  const triangles = trianglesOf(CUBE)
  const method = str(context, 'SamplingMethod')
  if (method === 'OnePointPerVertex')
    return verticesOf(CUBE).map((place) => ({ place, normal: unit(place), triangle: -1 }))
  if (method === 'OnePointPerTriangle')
    return triangles.map((triangle, index) => ({
      place: scaled(
        triangle.reduce<Vec>((sum, corner) => add(sum, corner), [0, 0, 0]),
        1 / 3,
      ),
      normal: normalOf(triangle),
      triangle: index,
    }))
  const options = context.settings['SamplingOptions']
  const radius = isRecord(options) && typeof options['SamplingRadius'] === 'number' ? options['SamplingRadius'] : 10
  return scattered(triangles, 2 * radius, stream(context.seed), context.budget.take)
}

function sampled(context: NodeContext, tags: readonly string[]): Tagged {
  const list = samplesOf(context)
  const rotation = new Float64Array(list.length * 4)
  for (const [i, { normal }] of list.entries()) setQuat(rotation, i * 4, upTo(normal))
  const made = pointsOf(list.length, {
    position: each(Float64Array.from(list.flatMap(({ place }) => place)), 3),
    rotation: each(rotation, 4),
    seed: each(
      Int32Array.from(list, ({ place }) => seedFromPosition(...place)),
      1,
    ),
    steepness: { data: Float32Array.of(num(context, 'PointSteepness')), step: 0 },
  })
  const ids: Column = {
    type: 'Integer32',
    width: 1,
    data: Float64Array.from(list, ({ triangle }) => triangle),
    step: 1,
  }
  return points(
    flag(context, 'bOutputTriangleIds') ? withAttribute(made, str(context, 'TriangleIdAttributeName'), ids) : made,
    tags,
  )
}

const sampler: Execute = (context) => {
  if (!flag(context, 'bExtractMeshFromInput')) {
    if (!named(str(context, 'StaticMesh'))) {
      context.warn('There is no mesh: set StaticMesh')
      return []
    }
    warned(context)
    return [sampled(context, [])]
  }
  return context.input('In').flatMap((item) => {
    const table: Table | undefined = tableOf(item.data)
    const column = table && readSelector(table, str(context, 'InputSource'))
    if (!table || !column) return []
    warned(context)
    const paths = [...new Set(Array.from({ length: table.count }, (_, row) => textAt(column, row)))].filter(named)
    return paths.map(() => sampled(context, item.tags))
  })
}

const boundsFromMesh = perPoints((given, context) => {
  if (!readSelector(given, str(context, 'MeshAttribute'))) {
    if (!flag(context, 'bSilenceAttributeNotFoundErrors'))
      context.fail(`'${str(context, 'MeshAttribute')}' matches no attribute of the data`)
    return given
  }
  warned(context)
  return {
    ...given,
    boundsMin: { data: Float64Array.of(-50, -50, -50), step: 0 },
    boundsMax: { data: Float64Array.from(HALF), step: 0 },
  }
})

const MOST_SOLIDS = 10_000
/** The bodies of all meshes at their points, as one volume. */
const collision: Execute = (context) =>
  pointsOn(context, 'In').flatMap(({ points: given, tags }) => {
    const column = readSelector(given, str(context, 'CollisionAttribute'))
    if (!column) {
      if (flag(context, 'bWarnIfAttributeCouldNotBeUsed'))
        context.warn(`'${str(context, 'CollisionAttribute')}' matches no attribute of the data`)
      return []
    }
    if (given.count > MOST_SOLIDS) {
      context.fail(`${given.count} bodies are too many: at most ${MOST_SOLIDS}`)
      return []
    }
    warned(context)
    const at = (field: Points['position'], row: number): Vec => {
      const start = row * field.step
      return [field.data[start] ?? 0, field.data[start + 1] ?? 0, field.data[start + 2] ?? 0]
    }
    const parts = Array.from({ length: given.count }, (_, row): Data => {
      const size = at(given.scale, row)
      const half: Vec = [HALF[0] * Math.abs(size[0]), HALF[1] * Math.abs(size[1]), HALF[2] * Math.abs(size[2])]
      const solid = {
        center: at(given.position, row),
        half,
        rotation: quatAt(given.rotation.data, row * given.rotation.step),
      }
      return { kind: 'Volume', solid, actor: '' }
    })
    return parts.length === 0 ? [] : [out({ kind: 'Composite', op: 'Union', mode: 'Maximum', parts }, tags)]
  })

const resources: Execute = (context) => {
  const from = context.input('In').flatMap((item) => {
    const table = tableOf(item.data)
    const column = table && readSelector(table, str(context, 'MeshAttribute'))
    return table && column ? Array.from({ length: table.count }, (_, row) => textAt(column, row)) : []
  })
  const given = context.settings['StaticMeshes']
  const paths = flag(context, 'bOverrideFromInput') ? from : Array.isArray(given) ? given.map(String) : []
  const column = (path: string): Column => ({ type: 'SoftObjectPath', width: 0, texts: [path], step: 0 })
  return paths
    .filter(named)
    .map((path) => params({ count: 1, attributes: new Map([['StaticMesh', column(path)]]), last: 'StaticMesh' }))
}

export const meshes: NodeTable = {
  PCGCreateEmptyDynamicMeshSettings: () => [mesh(NO_MESH)],
  PCGStaticMeshToDynamicMeshSettings: fromStatic,
  PCGAppendMeshesFromPointsSettings: append,
  PCGDynamicMeshTransformSettings: transform,
  PCGMergeDynamicMeshesSettings: merge,
  PCGBooleanOperationSettings: combine,
  PCGSpawnDynamicMeshSettings: spawn,
  PCGGetDynamicMeshDataSettings: ofActors,
  PCGSplineToMeshSettings: fromSpline,
  PCGMeshSamplerSettings: sampler,
  PCGBoundsFromMeshSettings: boundsFromMesh,
  PCGCreateCollisionDataSettings: collision,
  PCGGetStaticMeshResourceDataSettings: resources,
}
