// Points of a sheet for the viewport. Unreal is left-handed with Z up, WebGL right-handed, so Y is mirrored.
import { numbersOf, type Sheet } from './sheet.ts'

export type Actor = {
  readonly actor_name: string
  readonly bounds_origin: readonly number[]
  readonly bounds_extent: readonly number[]
}
export type Box = { readonly min: readonly number[]; readonly max: readonly number[] }

/** Three numbers per point, in centimetres; empty if the data has no points. */
export function positionsOf(sheet: Sheet): Float32Array<ArrayBuffer> | undefined {
  const [x, y, z] = ['X', 'Y', 'Z'].map((axis) => numbersOf(sheet, `$Position.${axis}`))
  if (!x || !y || !z) return undefined
  const positions = new Float32Array(sheet.loaded * 3)
  for (let row = 0; row < sheet.loaded; row += 1) {
    positions[row * 3] = x[row] ?? 0
    positions[row * 3 + 1] = -(y[row] ?? 0)
    positions[row * 3 + 2] = z[row] ?? 0
  }
  return positions
}

export function boxOf(positions: Float32Array): Box {
  const min = [Infinity, Infinity, Infinity]
  const max = [-Infinity, -Infinity, -Infinity]
  for (let at = 0; at < positions.length; at += 1) {
    const value = positions[at] ?? 0
    if (value < (min[at % 3] ?? 0)) min[at % 3] = value
    if (value > (max[at % 3] ?? 0)) max[at % 3] = value
  }
  return positions.length === 0 ? { min: [-500, -500, 0], max: [500, 500, 500] } : { min, max }
}

/** The hit radius around the pointer, in pixels. */
const UNDER_POINTER = 3

/** The point nearest to a screen position within `radius` pixels, front-most first; `matrix` is projection × view, column-major. */
export function nearest(
  positions: Float32Array,
  matrix: readonly number[],
  at: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  radius: number,
): number | null {
  const m = (index: number): number => matrix[index] ?? 0
  let best: number | null = null
  let [bestAway, bestDepth] = [radius, Infinity]
  for (let row = 0; row * 3 < positions.length; row += 1) {
    const [x = 0, y = 0, z = 0] = [positions[row * 3], positions[row * 3 + 1], positions[row * 3 + 2]]
    const w = m(3) * x + m(7) * y + m(11) * z + m(15)
    if (w <= 0) continue
    const dx = ((m(0) * x + m(4) * y + m(8) * z + m(12)) / w / 2 + 0.5) * at.width - at.x
    const dy = (0.5 - (m(1) * x + m(5) * y + m(9) * z + m(13)) / w / 2) * at.height - at.y
    const away = Math.max(UNDER_POINTER, Math.hypot(dx, dy))
    if (away > bestAway) continue
    const depth = (m(2) * x + m(6) * y + m(10) * z + m(14)) / w
    if (away === bestAway && depth >= bestDepth) continue
    best = row
    ;[bestAway, bestDepth] = [away, depth]
  }
  return best
}

/** The bounds in view coordinates; nothing if the actor has no size. */
export function volumeOf({ bounds_origin, bounds_extent }: Actor): Box | null {
  const [x = 0, y = 0, z = 0] = bounds_origin
  const [a = 0, b = 0, c = 0] = bounds_extent
  return a * b * c === 0 ? null : { min: [x - a, -y - b, z - c], max: [x + a, -y + b, z + c] }
}
