// Lines of equal height on the ground.
import { type Execute, flag, type NodeContext, type NodeTable, num, out, points } from '../context.ts'
import { createCurve } from '../curve.ts'
import type { Data } from '../data.ts'
import { each, pointsOf } from '../points.ts'
import { seedFromPosition } from '../random.ts'
import { setQuat, upTo, type Vec } from '../rotation.ts'
import { boxOfData, groundOf, intersect } from '../spatial.ts'

const ORIGIN: Vec = [0, 0, 0]
type Grid = {
  readonly nx: number
  readonly ny: number
  readonly heights: Float64Array
  place(i: number, j: number): readonly [number, number]
}

function gridOf(data: Data, cell: number, context: NodeContext): Grid | null {
  const box = intersect(boxOfData(data), {
    min: [context.bounds.min[0], context.bounds.min[1], -1e12],
    max: [context.bounds.max[0], context.bounds.max[1], 1e12],
  })
  if (!box || !(cell > 0)) return null
  const [x, y] = [Math.ceil(box.min[0] / cell - 1e-9), Math.ceil(box.min[1] / cell - 1e-9)]
  const nx = Math.max(0, Math.floor(box.max[0] / cell + 1e-9) - x + 1)
  const ny = Math.max(0, Math.floor(box.max[1] / cell + 1e-9) - y + 1)
  context.budget.take(nx * ny)
  const ground = groundOf(data)
  const place = (i: number, j: number) => [(x + i) * cell, (y + j) * cell] as const
  const heights = Float64Array.from(
    { length: nx * ny },
    (_, at) => ground(...place(at % nx, Math.floor(at / nx)))?.z ?? Number.NaN,
  )
  return { nx, ny, heights, place }
}

/** Where the line of a height crosses the sides of the cells: each crossing with those it goes on to. */
function crossings({ nx, ny, heights, place }: Grid, level: number) {
  const places = new Map<number, Vec>()
  const next = new Map<number, number[]>()
  // A corner exactly at the height counts as above it, so that every line passes between corners.
  const above = (at: number) => (heights[at] ?? 0) >= level
  const cross = (a: number, b: number, side: number): number => {
    const key = a * 2 + side
    if (!places.has(key)) {
      const [za, zb] = [heights[a] ?? 0, heights[b] ?? 0]
      const t = (level - za) / (zb - za)
      const [[xa, ya], [xb, yb]] = [place(a % nx, Math.floor(a / nx)), place(b % nx, Math.floor(b / nx))]
      places.set(key, [xa + (xb - xa) * t, ya + (yb - ya) * t, level])
    }
    return key
  }
  const link = (a: number, b: number) => {
    next.set(a, [...(next.get(a) ?? []), b])
    next.set(b, [...(next.get(b) ?? []), a])
  }
  for (let j = 0; j + 1 < ny; j++)
    for (let i = 0; i + 1 < nx; i++) {
      const [a, b, c, d] = [j * nx + i, j * nx + i + 1, (j + 1) * nx + i + 1, (j + 1) * nx + i]
      if ([a, b, c, d].some((at) => Number.isNaN(heights[at]))) continue
      const sides: number[] = []
      if (above(a) !== above(b)) sides.push(cross(a, b, 0))
      if (above(b) !== above(c)) sides.push(cross(b, c, 1))
      if (above(d) !== above(c)) sides.push(cross(d, c, 0))
      if (above(a) !== above(d)) sides.push(cross(a, d, 1))
      const [p, q, r, s] = sides
      if (p === undefined || q === undefined) continue
      if (r === undefined || s === undefined) link(p, q)
      else {
        // A saddle: the height of its middle decides which corners stay together.
        const middle = [a, b, c, d].reduce((sum, at) => sum + (heights[at] ?? 0), 0) / 4 >= level
        link(p, middle === above(a) ? q : s)
        link(r, middle === above(a) ? s : q)
      }
    }
  return { places, next }
}

/** Crossings as lines: the open ones from end to end first, then the closed ones. */
function linesOf(grid: Grid, level: number): { line: Vec[]; closed: boolean }[] {
  const { places, next } = crossings(grid, level)
  const used = new Set<number>()
  const walk = (start: number): number[] => {
    const line: number[] = []
    for (let at: number | undefined = start; at !== undefined; at = next.get(at)?.find((one) => !used.has(one))) {
      used.add(at)
      line.push(at)
    }
    return line
  }
  const found: { line: Vec[]; closed: boolean }[] = []
  const keep = (start: number, closed: boolean) => {
    if (used.has(start)) return
    found.push({ line: walk(start).map((key) => places.get(key) ?? ORIGIN), closed })
  }
  for (const [key, ways] of next) if (ways.length === 1) keep(key, false)
  for (const key of next.keys()) keep(key, true)
  return found
}

const isolines: Execute = (context) => {
  const [from, to, by] = [
    num(context, 'ElevationStart'),
    num(context, 'ElevationEnd'),
    num(context, 'ElevationIncrement'),
  ]
  const count = by > 0 && to >= from ? Math.floor((to - from) / by + 1e-9) + 1 : 0
  context.budget.take(count)
  return context.input('In').flatMap((item) => {
    const grid = gridOf(item.data, num(context, 'Resolution'), context)
    if (!grid) return []
    const ground = groundOf(item.data)
    return Array.from({ length: count }, (_, level) => level).flatMap((level) =>
      linesOf(grid, from + level * by).map(({ line, closed }) => {
        const tags = flag(context, 'bAddTagOnOutputForSameElevation') ? [...item.tags, String(level)] : item.tags
        if (flag(context, 'bOutputAsSpline'))
          return out(
            { kind: 'Spline', curve: createCurve(line, closed, { linear: flag(context, 'bLinearSpline') }) },
            tags,
          )
        const rotation = new Float64Array(line.length * 4)
        for (const [i, [x, y]] of line.entries())
          setQuat(
            rotation,
            i * 4,
            flag(context, 'bProjectSurfaceNormal') ? upTo(ground(x, y)?.normal ?? [0, 0, 1]) : [0, 0, 0, 1],
          )
        return points(
          pointsOf(line.length, {
            position: each(Float64Array.from(line.flat()), 3),
            rotation: each(rotation, 4),
            seed: each(
              Int32Array.from(line, (place) => seedFromPosition(...place)),
              1,
            ),
          }),
          tags,
        )
      }),
    )
  })
}

export const isolineNodes: NodeTable = { PCGElevationIsolinesSettings: isolines }
