// The boxes of points in the viewport: scaled, rotated, and centred on their bounds, which may be off the point.
import { numbersOf, type Sheet } from './sheet.ts'

export type Boxes = {
  /** Half extents: three numbers per box. */
  readonly halves: Float32Array<ArrayBuffer>
  /** Centres: three numbers per box. */
  readonly middles: Float32Array<ArrayBuffer>
  /** Rotations: four numbers per box, x y z w. */
  readonly turns: Float32Array<ArrayBuffer>
}

type Axis = 0 | 1 | 2
const AXES = ['X', 'Y', 'Z'] as const
/** The half extent of a point without bounds, in centimetres. */
const SMALL = 10

export function boxesOf(sheet: Sheet, positions: Float32Array): Boxes {
  const column = (name: string) => numbersOf(sheet, name)
  const sides = AXES.map((axis) => ({
    low: column(`$BoundsMin.${axis}`),
    high: column(`$BoundsMax.${axis}`),
    scale: column(`$Scale.${axis}`),
  }))
  const turned = ['X', 'Y', 'Z', 'W'].map((part) => column(`$Rotation.${part}`))
  const halves = new Float32Array(sheet.loaded * 3)
  const middles = new Float32Array(sheet.loaded * 3)
  const turns = new Float32Array(sheet.loaded * 4)
  for (let row = 0; row < sheet.loaded; row += 1) {
    const beside: [number, number, number] = [0, 0, 0]
    sides.forEach(({ low, high, scale }, axis) => {
      const [from, to] = low && high ? [low[row] ?? 0, high[row] ?? 0] : [-SMALL, SMALL]
      const grown = scale?.[row] ?? 1
      halves[row * 3 + axis] = Math.max(1, ((to - from) / 2) * Math.abs(grown))
      beside[axis as Axis] = ((from + to) / 2) * grown // three sides, by their list
    })
    const [x = 0, y = 0, z = 0, w = 1] = turned.map((part) => part?.[row])
    // Mirrors the rotation like positions: the component about the mirrored axis stays, the others change sign.
    const turn = [-x, y, -z, w] as const
    turns.set(turn, row * 4)
    const [dx, dy, dz] = rotated(turn, [beside[0], -beside[1], beside[2]])
    middles[row * 3] = (positions[row * 3] ?? 0) + dx
    middles[row * 3 + 1] = (positions[row * 3 + 1] ?? 0) + dy
    middles[row * 3 + 2] = (positions[row * 3 + 2] ?? 0) + dz
  }
  return { halves, middles, turns }
}

type Triple = readonly [number, number, number]

function rotated([qx, qy, qz, qw]: readonly [number, number, number, number], [x, y, z]: Triple): Triple {
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)]
  return [x + qw * tx + qy * tz - qz * ty, y + qw * ty + qz * tx - qx * tz, z + qw * tz + qx * ty - qy * tx]
}
