// Points out of nothing: grids, literal points, spheres.

import { isRecord } from '../../../editor/settings.ts'
import { type Execute, flag, type NodeContext, type NodeTable, num, points, str, vec, vecOf } from '../context.ts'
import type { Tagged } from '../data.ts'
import { each, f32, type Points, pick, pointsOf, rowsWhere } from '../points.ts'
import { secondOf, seed1, seedFromPosition, stream, thirdOf } from '../random.ts'
import { facing, fromRotator, multiply, rotate, type Vec } from '../rotation.ts'

/** World, or the frame of the actor. */
function inSpace(context: NodeContext, given: Points): Points {
  if (str(context, 'CoordinateSpace') === 'World') return given
  const { location, scale } = context.actor
  const turn = fromRotator(...context.actor.rotation)
  const position = new Float64Array(given.count * 3)
  const rotation = new Float64Array(given.count * 4)
  const [P, R] = [given.position, given.rotation]
  for (let row = 0; row < given.count; row++) {
    const [p, r] = [row * P.step, row * R.step]
    const moved = rotate(turn, [
      (P.data[p] ?? 0) * scale[0],
      (P.data[p + 1] ?? 0) * scale[1],
      (P.data[p + 2] ?? 0) * scale[2],
    ])
    for (let k = 0; k < 3; k++) position[row * 3 + k] = (moved[k] ?? 0) + (location[k] ?? 0)
    rotation.set(multiply(turn, [R.data[r] ?? 0, R.data[r + 1] ?? 0, R.data[r + 2] ?? 0, R.data[r + 3] ?? 1]), row * 4)
  }
  return { ...given, position: each(position, 3), rotation: each(rotation, 4) }
}

function finished(context: NodeContext, given: Points): Tagged[] {
  const placed = inSpace(context, given)
  if (!flag(context, 'bCullPointsOutsideVolume')) return [points(placed)]
  const { data, step } = placed.position
  const { min, max } = context.bounds
  const inside = (row: number) =>
    [0, 1, 2].every((k) => (data[row * step + k] ?? 0) >= (min[k] ?? 0) && (data[row * step + k] ?? 0) <= (max[k] ?? 0))
  return [points(pick(placed, rowsWhere(placed.count, inside)))]
}

/** A loop of its own over typed arrays: a million places take as long as by hand. */
function fillGrid(position: Float64Array, seed: Int32Array, xs: Float64Array, ys: Float64Array, zs: Float64Array) {
  let n = 0
  for (let k = 0; k < zs.length; k++) {
    const z = zs[k] ?? 0
    const third = thirdOf(Math.trunc(z) | 0)
    for (let j = 0; j < ys.length; j++) {
      const y = ys[j] ?? 0
      const rest = secondOf(Math.trunc(y) | 0) ^ third
      for (let i = 0; i < xs.length; i++) {
        const x = xs[i] ?? 0
        position[n * 3] = x
        position[n * 3 + 1] = y
        position[n * 3 + 2] = z
        seed[n++] = seed1(Math.trunc(x) | 0) ^ rest
      }
    }
  }
}

/** X fastest, then Y, then Z. */
const grid: Execute = (context) => {
  const [extents, cell] = [vec(context, 'GridExtents'), vec(context, 'CellSize')]
  if (cell.some((size) => !(size > 0))) {
    context.warn('CellSize must be above zero on each axis')
    return []
  }
  const corners = str(context, 'PointPosition') === 'CellCorners'
  const cells = extents.map((extent, k) => Math.trunc((2 * extent) / (cell[k] ?? 1) + 1e-9))
  const [nx = 0, ny = 0, nz = 0] = cells.map((n) => (corners ? n + 1 : Math.max(1, n)))
  context.budget.take(nx * ny * nz)
  const start = extents.map((extent, k) => (corners ? -extent : -((cells[k] ?? 0) * (cell[k] ?? 0)) / 2))
  const shift = corners ? 0 : 0.5
  const at = (k: number, i: number) =>
    (cells[k] ?? 0) === 0 && !corners ? 0 : (start[k] ?? 0) + (cell[k] ?? 0) * (i + shift)
  const [xs, ys, zs] = [nx, ny, nz].map((n, k) => Float64Array.from({ length: n }, (_, i) => at(k, i)))
  const position = new Float64Array(nx * ny * nz * 3)
  const seed = new Int32Array(nx * ny * nz)
  if (xs && ys && zs) fillGrid(position, seed, xs, ys, zs)
  const half = flag(context, 'bSetPointsBounds') ? cell.map((size) => size / 2) : [1, 1, 1]
  return finished(
    context,
    pointsOf(seed.length, {
      position: each(position, 3),
      seed: each(seed, 1),
      steepness: f32(num(context, 'PointSteepness')),
      boundsMin: { data: Float64Array.from(half, (size) => -size), step: 0 },
      boundsMax: { data: Float64Array.from(half), step: 0 },
    }),
  )
}

/** `{ R, G, B, A }` in either case, or four numbers. White where a channel is missing. */
function colorOf(value: unknown): readonly number[] {
  const channel = (name: string, index: number): unknown => {
    if (Array.isArray(value)) return value[index]
    return isRecord(value) ? (value[name] ?? value[name.toLowerCase()]) : undefined
  }
  return ['R', 'G', 'B', 'A'].map((name, index) => {
    const found = channel(name, index)
    return typeof found === 'number' ? found : 1
  })
}

/** Literal points: `{ Transform: { location }, Density, Color, BoundsMin, BoundsMax, Seed }` each. */
const literal: Execute = (context) => {
  const list: unknown = context.settings['PointsToCreate']
  const given = Array.isArray(list) ? list.filter(isRecord) : []
  context.budget.take(given.length)
  const transforms = given.map((point) => (isRecord(point['Transform']) ? point['Transform'] : {}))
  const number = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback)
  const triple = (value: unknown, fallback: Vec) => (value === undefined ? fallback : vecOf(value))
  const places = transforms.map((transform) => vecOf(transform['location']))
  return finished(
    context,
    pointsOf(given.length, {
      position: each(Float64Array.from(places.flat()), 3),
      rotation: each(
        Float64Array.from(transforms.flatMap((transform) => [...fromRotator(...vecOf(transform['rotation']))])),
        4,
      ),
      scale: each(Float64Array.from(transforms.flatMap((transform) => [...triple(transform['scale'], [1, 1, 1])])), 3),
      density: each(
        Float32Array.from(given, (point) => number(point['Density'], 1)),
        1,
      ),
      color: each(Float32Array.from(given.flatMap((point) => [...colorOf(point['Color'])])), 4),
      steepness: each(
        Float32Array.from(given, (point) => number(point['Steepness'], 0.5)),
        1,
      ),
      boundsMin: each(Float64Array.from(given.flatMap((point) => [...triple(point['BoundsMin'], [-1, -1, -1])])), 3),
      boundsMax: each(Float64Array.from(given.flatMap((point) => [...triple(point['BoundsMax'], [1, 1, 1])])), 3),
      seed: each(
        Int32Array.from(given, (point, i) => number(point['Seed'], seedFromPosition(...(places[i] ?? [0, 0, 0])))),
        1,
      ),
    }),
  )
}

const MOST_APART = 4096
/** What one node may compare: a second or two, far above what the most points with the default attempts need. */
const MOST_COMPARED = 100_000_000
/** What making a candidate costs, in comparisons. */
const CANDIDATE = 16

/** Directions that keep their distance, until as many candidates in a row found no place. */
function apart(candidate: () => Vec, { distance, attempts }: { distance: number; attempts: number }): Vec[] {
  const found: Vec[] = []
  const least = distance * distance
  let compared = 0
  for (let misses = 0; misses < attempts && found.length < MOST_APART; ) {
    const [x, y, z] = candidate()
    const near = found.findIndex(([a, b, c]) => (a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2 < least)
    compared += CANDIDATE + (near < 0 ? found.length : near)
    if (compared > MOST_COMPARED)
      throw new RangeError(
        `Candidates are compared with too many points: lower PoissonMaxAttempts (${attempts}) or raise PoissonDistance`,
      )
    if (near < 0) found.push([x, y, z])
    misses = near < 0 ? 0 : misses + 1
  }
  return found
}

type Face = readonly [number, number, number]
/** The corners of an icosahedron whose edges are halved as often as asked, all on the unit sphere. */
function geodesic(turns: number): Vec[] {
  const golden = (1 + Math.sqrt(5)) / 2
  const unit = ([x, y, z]: Vec): Vec => {
    const length = Math.hypot(x, y, z)
    return [x / length, y / length, z / length]
  }
  const signs = [-1, 1].flatMap((a) => [-1, 1].map((b) => [a, b * golden] as const))
  const corners = signs.flatMap(([a, b]): Vec[] => [unit([0, a, b]), unit([a, b, 0]), unit([b, 0, a])])
  const edge = 2.1 / Math.hypot(1, golden)
  const near = (a: number, b: number) => {
    const [[x, y, z], [u, v, w]] = [corners[a] ?? [0, 0, 0], corners[b] ?? [0, 0, 0]]
    return Math.hypot(x - u, y - v, z - w) < edge
  }
  let faces: Face[] = []
  for (let a = 0; a < 12; a++)
    for (let b = a + 1; b < 12; b++)
      for (let c = b + 1; c < 12; c++) if (near(a, b) && near(b, c) && near(a, c)) faces.push([a, b, c])
  for (let turn = 0; turn < turns; turn++) {
    const halves = new Map<number, number>()
    const size = corners.length
    const half = (a: number, b: number): number => {
      const key = Math.min(a, b) * size + Math.max(a, b)
      const known = halves.get(key)
      if (known !== undefined) return known
      const [[x, y, z], [u, v, w]] = [corners[a] ?? [0, 0, 0], corners[b] ?? [0, 0, 0]]
      halves.set(key, corners.push(unit([x + u, y + v, z + w])) - 1)
      return corners.length - 1
    }
    faces = faces.flatMap(([a, b, c]): Face[] => {
      const [ab, bc, ca] = [half(a, b), half(b, c), half(c, a)]
      return [
        [a, ab, ca],
        [b, bc, ab],
        [c, ca, bc],
        [ab, bc, ca],
      ]
    })
  }
  return corners
}

const RADIANS = Math.PI / 180
function directions(context: NodeContext): Vec[] {
  const random = stream(context.seed)
  const even = (count: number, from: number, to: number, ends: boolean) =>
    Array.from({ length: count }, (_, i) => from + ((to - from) * i) / Math.max(1, ends ? count - 1 : count))
  const turned = (latitude: number, longitude: number): Vec => [
    Math.cos(latitude * RADIANS) * Math.cos(longitude * RADIANS),
    Math.cos(latitude * RADIANS) * Math.sin(longitude * RADIANS),
    Math.sin(latitude * RADIANS),
  ]
  const lattice = (rows: number, columns: number): Vec[] => {
    context.budget.take(rows * columns)
    const latitudes = even(rows, num(context, 'LatitudinalStartAngle'), num(context, 'LatitudinalEndAngle'), true)
    const longitudes = even(
      columns,
      num(context, 'LongitudinalStartAngle'),
      num(context, 'LongitudinalEndAngle'),
      false,
    )
    return latitudes.flatMap((latitude) => longitudes.map((longitude) => turned(latitude, longitude)))
  }
  const anywhere = (): Vec => {
    const [z, around] = [random.range(-1, 1), random.range(0, 2 * Math.PI)]
    const side = Math.sqrt(1 - z * z)
    return [side * Math.cos(around), side * Math.sin(around), z]
  }
  switch (str(context, 'SphereGeneration')) {
    case 'Segments':
      return lattice(
        Math.max(2, num(context, 'LatitudinalSegments') + 1),
        Math.max(1, num(context, 'LongitudinalSegments')),
      )
    case 'Angle':
      return lattice(
        Math.floor(180 / Math.max(0.001, num(context, 'Theta'))) + 1,
        Math.max(1, Math.floor(360 / Math.max(0.001, num(context, 'Phi')))),
      )
    case 'Random':
      context.budget.take(num(context, 'SampleCount'))
      return Array.from({ length: num(context, 'SampleCount') }, anywhere)
    case 'Poisson':
      return apart(anywhere, {
        distance: num(context, 'PoissonDistance') / Math.max(1e-6, num(context, 'Radius')),
        attempts: num(context, 'PoissonMaxAttempts'),
      })
    default: {
      const turns = Math.min(8, Math.max(0, num(context, 'GeodesicSubdivisions')))
      context.budget.take(10 * 4 ** turns + 2)
      return geodesic(turns)
    }
  }
}

const sphere: Execute = (context) => {
  const [origin, radius] = [vec(context, 'Origin'), num(context, 'Radius')]
  const [jitter, random] = [num(context, 'Jitter'), stream(context.seed ^ 0x5bd1e995)]
  const all = directions(context)
  const orientation = str(context, 'PointOrientation')
  const position = new Float64Array(all.length * 3)
  const rotation = new Float64Array(all.length * 4)
  const seed = new Int32Array(all.length)
  all.forEach((way, row) => {
    const place = way.map(
      (value, k) => (origin[k] ?? 0) + value * radius + (jitter > 0 ? random.range(-jitter, jitter) : 0),
    )
    position.set(place, row * 3)
    const facingWay: Vec =
      orientation === 'Centric' ? [-way[0], -way[1], -way[2]] : orientation === 'Radial' ? way : [1, 0, 0]
    rotation.set(facing(facingWay), row * 4)
    seed[row] = seedFromPosition(...vecOf(place))
  })
  const made = pointsOf(all.length, {
    position: each(position, 3),
    rotation: each(rotation, 4),
    seed: each(seed, 1),
    steepness: f32(num(context, 'PointSteepness')),
  })
  return finished(context, made)
}

export const grids: NodeTable = {
  PCGCreatePointsGridSettings: grid,
  PCGCreatePointsSettings: literal,
  PCGCreatePointsSphereSettings: sphere,
}
