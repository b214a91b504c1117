// Any spatial data as points: how a node that works on points reads a volume, a curve or a composite.
import type { Budget } from './budget.ts'
import { spotAt } from './curve.ts'
import type { Data } from './data.ts'
import { verticesOf } from './mesh.ts'
import { each, NO_POINTS, type Points, pointsOf } from './points.ts'
import { seedFromPosition } from './random.ts'
import { facing, type Vec } from './rotation.ts'
import { boxOfData, densityOf, intersect, type WorldBox } from './spatial.ts'

const VOXEL = 100
const ALONG = 100

type Room = { readonly budget: Budget; readonly bounds: WorldBox }

/** One point per cell of an integer lattice in the world whose density is above zero. */
export function latticePoints(
  data: Data,
  box: WorldBox | null,
  cell: readonly [number, number, number],
  steepness: number,
  budget: Budget,
): Points {
  if (!box || cell.some((size) => !(size > 0))) return NO_POINTS
  const first = cell.map((size, k) => Math.ceil((box.min[k] ?? 0) / size - 1e-9))
  const last = cell.map((size, k) => Math.floor((box.max[k] ?? 0) / size + 1e-9))
  const [nx = 0, ny = 0, nz = 0] = last.map((end, k) => Math.max(0, end - (first[k] ?? 0) + 1))
  budget.take(nx * ny * nz)
  const density = densityOf(data)
  const position = new Float64Array(nx * ny * nz * 3)
  const densities = new Float32Array(nx * ny * nz)
  const seeds = new Int32Array(nx * ny * nz)
  let kept = 0
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++) {
        const [x, y, z] = [
          ((first[0] ?? 0) + i) * cell[0],
          ((first[1] ?? 0) + j) * cell[1],
          ((first[2] ?? 0) + k) * cell[2],
        ]
        const d = density(x, y, z)
        if (!(d > 0)) continue
        position[kept * 3] = x
        position[kept * 3 + 1] = y
        position[kept * 3 + 2] = z
        densities[kept] = d
        seeds[kept] = seedFromPosition(x, y, z)
        kept += 1
      }
  const half = cell.map((size) => size / 2)
  return pointsOf(kept, {
    position: each(position.slice(0, kept * 3), 3),
    density: each(densities.slice(0, kept), 1),
    seed: each(seeds.slice(0, kept), 1),
    boundsMin: { data: Float64Array.from(half, (size) => -size), step: 0 },
    boundsMax: { data: Float64Array.from(half), step: 0 },
    steepness: { data: Float32Array.of(steepness), step: 0 },
  })
}

function meshPoints(places: readonly Vec[]): Points {
  return pointsOf(places.length, {
    position: each(Float64Array.from(places.flat()), 3),
    seed: each(
      Int32Array.from(places, (place) => seedFromPosition(...place)),
      1,
    ),
  })
}

export function toPoints(data: Data, room: Room): Points {
  switch (data.kind) {
    case 'Point':
      return data.points
    case 'Param':
      return pointsOf(data.table.count, {
        position: { data: new Float64Array(3), step: 0 },
        attributes: data.table.attributes,
        last: data.table.last,
      })
    case 'Spline': {
      const { curve } = data
      const count = Math.max(1, Math.floor(curve.length / ALONG) + 1)
      room.budget.take(count)
      const position = new Float64Array(count * 3)
      const rotation = new Float64Array(count * 4)
      const seed = new Int32Array(count)
      for (let i = 0; i < count; i++) {
        const spot = spotAt(curve, i * ALONG)
        position.set(spot.position, i * 3)
        rotation.set(facing(spot.tangent), i * 4)
        seed[i] = seedFromPosition(...spot.position)
      }
      return pointsOf(count, { position: each(position, 3), rotation: each(rotation, 4), seed: each(seed, 1) })
    }
    case 'Landscape':
    case 'Polygon2D':
    case 'Texture':
    case 'Surface': {
      const box = intersect(boxOfData(data), { min: [...room.bounds.min], max: [...room.bounds.max] })
      const flat = box && { min: [box.min[0], box.min[1], 0] as const, max: [box.max[0], box.max[1], 0] as const }
      return latticePoints(data, flat, [VOXEL, VOXEL, VOXEL], 0.5, room.budget)
    }
    case 'DynamicMesh':
      return meshPoints(verticesOf(data.mesh))
    case 'Volume':
    case 'Primitive':
    case 'Composite':
      return latticePoints(data, boxOfData(data), [VOXEL, VOXEL, VOXEL], 0.5, room.budget)
  }
}
