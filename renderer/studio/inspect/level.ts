// The level around the points: the ground as shaded triangles, splines as lines, actors as boxes. Y is mirrored. Pure.
import type { InspectionOutput } from '#pcg-catalog'
import { type Actor, type Box, volumeOf } from './points.ts'

type Shapes = InspectionOutput<'get_pcg_level_shapes'>
type Landscape = Shapes['landscapes'][number]

export type Ground = {
  readonly positions: Float32Array<ArrayBuffer>
  readonly colours: Uint8Array<ArrayBuffer>
  readonly triangles: Uint32Array<ArrayBuffer>
}
export type Level = {
  readonly grounds: readonly Ground[]
  readonly lines: readonly Float32Array<ArrayBuffer>[]
  readonly boxes: readonly Box[]
}

/** Muted, so that points stand out in both themes. */
const EARTH = [126, 134, 122] as const
const LIGHT = [-0.36, 0.48, 0.8] as const

export function groundOf({ min, max, columns, rows, heights }: Landscape): Ground {
  const bytes = Uint8Array.from(atob(heights), (letter) => letter.charCodeAt(0))
  const height = new Float32Array(bytes.buffer, 0, columns * rows)
  const step = [0, 1].map((axis) => ((max[axis] ?? 0) - (min[axis] ?? 0)) / ((axis === 0 ? columns : rows) - 1))
  const [dx = 1, dy = 1] = step
  const at = (column: number, row: number): number =>
    height[Math.min(rows - 1, Math.max(0, row)) * columns + Math.min(columns - 1, Math.max(0, column))] ?? Number.NaN
  const positions = new Float32Array(columns * rows * 3)
  const colours = new Uint8Array(columns * rows * 3)
  const triangles: number[] = []
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const here = row * columns + column
      const z = at(column, row)
      positions.set([(min[0] ?? 0) + column * dx, -((min[1] ?? 0) + row * dy), Number.isNaN(z) ? 0 : z], here * 3)
      const slope = [at(column + 1, row) - at(column - 1, row), at(column, row + 1) - at(column, row - 1)]
      const light = shade(...slope.map((rise, axis) => (Number.isNaN(rise) ? 0 : rise / (2 * (axis === 0 ? dx : dy)))))
      for (let channel = 0; channel < 3; channel += 1) colours[here * 3 + channel] = (EARTH[channel] ?? 0) * light
      if (column + 1 === columns || row + 1 === rows) continue
      const [east, south, both] = [here + 1, here + columns, here + columns + 1]
      for (const corners of [
        [here, east, south],
        [east, both, south],
      ])
        if (corners.every((corner) => !Number.isNaN(height[corner]))) triangles.push(...corners)
    }
  return { positions, colours, triangles: Uint32Array.from(triangles) }
}

/** The brightness of a slope. */
function shade(alongX = 0, alongY = 0): number {
  const length = Math.hypot(alongX, alongY, 1)
  const facing = (-alongX * LIGHT[0] + alongY * LIGHT[1] + LIGHT[2]) / length
  return Math.min(1.25, Math.max(0.45, 0.35 + 0.8 * facing))
}

/** Without the actor whose points are shown: it has a frame of its own. */
export function levelOf(shapes: Shapes, actors: readonly Actor[], shown: string): Level {
  const drawn = new Set([shown, ...[...shapes.landscapes, ...shapes.splines].map(({ actor_name }) => actor_name)])
  return {
    grounds: shapes.landscapes.map(groundOf),
    lines: shapes.splines.map(({ points }) => Float32Array.from(points.flatMap(([x = 0, y = 0, z = 0]) => [x, -y, z]))),
    boxes: actors.flatMap((actor) => (drawn.has(actor.actor_name) ? [] : (volumeOf(actor) ?? []))),
  }
}
