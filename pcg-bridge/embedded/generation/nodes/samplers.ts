// Samplers: points out of surfaces, volumes, and out of other points.
import { type Execute, flag, type NodeContext, type NodeTable, num, perPoints, points, str, vec } from '../context.ts'
import type { Data, Tagged } from '../data.ts'
import { each, f32, NO_POINTS, type Points, pick, pointsOf, rowsWhere } from '../points.ts'
import { fractionOf, next, seed2, seed3 } from '../random.ts'
import { upTo } from '../rotation.ts'
import { boxOfData, densityOf, groundOf, intersect, type WorldBox } from '../spatial.ts'
import { latticePoints } from '../to-points.ts'

/** The wired bounding shape, else the actor's bounds, else everywhere. */
function limitOf(context: NodeContext): { box: WorldBox | null; shape: Data | null } {
  const shape = context.input('Bounding Shape')[0]?.data ?? null
  if (shape) return { box: boxOfData(shape), shape }
  return { box: flag(context, 'bUnbounded') ? null : context.bounds, shape: null }
}

type Grid = {
  readonly cell: readonly [number, number]
  readonly inner: readonly [number, number]
  readonly offset: readonly [number, number]
  readonly ratio: number
}

function gridOf(context: NodeContext, box: WorldBox): Grid | null {
  const perMeter = num(context, 'PointsPerSquaredMeter')
  const [ex, ey, ez] = vec(context, 'PointExtents')
  const looseness = num(context, 'Looseness')
  if (!(perMeter > 0) || [ex, ey, ez].some((extent) => !(extent > 0))) return null
  if (flag(context, 'bUseLegacyGridCreationMethod')) {
    const cell = [2 * ex * (1 + looseness), 2 * ey * (1 + looseness)] as const
    const area = (box.max[0] - box.min[0]) * (box.max[1] - box.min[1])
    const cells = Math.max(1, area / (cell[0] * cell[1]))
    return {
      cell,
      inner: [2 * ex * looseness, 2 * ey * looseness],
      offset: [0, 0],
      ratio: Math.min(1, Math.max(0, (area * perMeter) / 10_000 / cells)),
    }
  }
  const least = Math.min(ex, ey)
  const base = Math.sqrt(10_000 / perMeter / (Math.max(ex, ey) / least))
  const loose = Math.min(1, Math.max(0, looseness))
  const cell = [Math.max(2 * ex, base * (ex / least)), Math.max(2 * ey, base * (ey / least))] as const
  const free = [cell[0] - 2 * ex, cell[1] - 2 * ey] as const
  return {
    cell,
    inner: [free[0] * loose, free[1] * loose],
    offset: [free[0] * 0.5 * (1 - loose), free[1] * 0.5 * (1 - loose)],
    ratio: 1,
  }
}

/** The grid is anchored in the world: moving the volume does not reshuffle the points. */
function surfacePoints(context: NodeContext, surface: Data): Points {
  const limit = limitOf(context)
  const own = boxOfData(surface)
  const box = limit.box && own ? intersect(limit.box, own) : (own ?? limit.box)
  const grid = box && gridOf(context, box)
  if (!box || !grid) return NO_POINTS
  const { cell, inner, offset, ratio } = grid
  const [x0, x1] = [Math.ceil(box.min[0] / cell[0]), Math.floor(box.max[0] / cell[0])]
  const [y0, y1] = [Math.ceil(box.min[1] / cell[1]), Math.floor(box.max[1] / cell[1])]
  const most = Math.max(0, x1 - x0 + 1) * Math.max(0, y1 - y0 + 1)
  context.budget.take(most)
  const ground = groundOf(surface)
  const bounding = limit.shape ? densityOf(limit.shape) : null
  const [applied, keepZero] = [flag(context, 'bApplyDensityToPoints'), flag(context, 'bKeepZeroDensityPoints')]
  const turned = surface.kind === 'Landscape'
  const position = new Float64Array(most * 3)
  const rotation = turned ? new Float64Array(most * 4) : null
  const density = new Float32Array(most)
  const seeds = new Int32Array(most)
  let n = 0
  for (let iy = y0; iy <= y1; iy++)
    for (let ix = x0; ix <= x1; ix++) {
      let state = next(seed3(context.seed, ix, iy))
      const chance = fractionOf(state)
      if (chance >= ratio) continue
      state = next(state)
      const x = ix * cell[0] + offset[0] + fractionOf(state) * inner[0]
      state = next(state)
      const y = iy * cell[1] + offset[1] + fractionOf(state) * inner[1]
      if (x < box.min[0] || x > box.max[0] || y < box.min[1] || y > box.max[1]) continue
      const found = ground(x, y)
      if (!found) continue
      if (limit.box && (found.z < limit.box.min[2] || found.z > limit.box.max[2])) continue
      let d = bounding ? bounding(x, y, found.z) : 1
      if (applied && ratio < 1) d *= (ratio - chance) / ratio
      if (!(d > 0) && !keepZero) continue
      position[n * 3] = x
      position[n * 3 + 1] = y
      position[n * 3 + 2] = found.z
      rotation?.set(upTo(found.normal), n * 4)
      density[n] = applied ? d : 1
      seeds[n] = state
      n += 1
    }
  const extents = vec(context, 'PointExtents')
  return pointsOf(n, {
    position: each(position.subarray(0, n * 3), 3),
    density: each(density.subarray(0, n), 1),
    seed: each(seeds.subarray(0, n), 1),
    steepness: f32(num(context, 'PointSteepness')),
    boundsMin: { data: Float64Array.from(extents, (size) => -size), step: 0 },
    boundsMax: { data: Float64Array.from(extents), step: 0 },
    ...(rotation ? { rotation: each(rotation.subarray(0, n * 4), 4) } : {}),
  })
}

const surfaceSampler: Execute = (context) =>
  context.input('Surface').map((item): Tagged => points(surfacePoints(context, item.data), item.tags))

const volumeSampler: Execute = (context) => {
  const limit = limitOf(context)
  return context.input('Volume').map((item): Tagged => {
    const own = boxOfData(item.data)
    const box = limit.box && own ? intersect(limit.box, own) : own
    const made = latticePoints(
      item.data,
      box,
      vec(context, 'VoxelSize'),
      num(context, 'PointSteepness'),
      context.budget,
    )
    return points(made, item.tags)
  })
}

const selectPoints = perPoints((given, context) => {
  const ratio = num(context, 'Ratio')
  const { data, step } = given.seed
  const { data: densities, step: densityStep } = given.density
  const keepZero = flag(context, 'bKeepZeroDensityPoints')
  return pick(
    given,
    rowsWhere(
      given.count,
      (row) =>
        (keepZero || (densities[row * densityStep] ?? 0) > 0) &&
        fractionOf(next(seed2(context.seed, data[row * step] ?? 0))) < ratio,
    ),
  )
})

const pointFromMesh: Execute = (context) => {
  const mesh = str(context, 'StaticMesh')
  context.warn('The embedded editor has no meshes: the bounds are a cube of one metre')
  const column = { type: 'SoftObjectPath', width: 0, texts: [mesh], step: 0 } as const
  const name = str(context, 'MeshPathAttributeName')
  return [
    points(
      pointsOf(1, {
        position: { data: new Float64Array(3), step: 0 },
        boundsMin: { data: Float64Array.of(-50, -50, -50), step: 0 },
        boundsMax: { data: Float64Array.of(50, 50, 50), step: 0 },
        ...(name === '' || name === 'None' ? {} : { attributes: new Map([[name, column]]), last: name }),
      }),
    ),
  ]
}

export const samplers: NodeTable = {
  PCGSurfaceSamplerSettings: surfaceSampler,
  PCGVolumeSamplerSettings: volumeSampler,
  PCGSelectPointsSettings: selectPoints,
  PCGPointSamplerSettings: selectPoints,
  PCGPointFromMeshSettings: pointFromMesh,
}
