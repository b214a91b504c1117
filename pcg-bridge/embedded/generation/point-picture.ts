// Points as a picture: a small software rasteriser with one camera above the south-east corner, a depth buffer and a ground.
import type { Bounds } from '../../contract/index.ts'
import { pngOf } from '../../picture/png.ts'
import type { Points } from './points.ts'
import { next, seed1 } from './random.ts'

export type Drawn = { readonly name: string; readonly points: Points }

const [YAW, PITCH] = [Math.PI / 4, Math.PI / 5]
const BACKGROUND = [238, 242, 247] as const
const GROUND = [221, 228, 236] as const
const LINE = [199, 209, 220] as const
const MOST_DRAWN = 200_000
const PALETTE = [
  [46, 125, 50],
  [21, 101, 192],
  [230, 126, 34],
  [142, 68, 173],
  [0, 137, 123],
  [192, 57, 43],
  [109, 76, 65],
  [69, 90, 100],
] as const

type Pixel = { readonly x: number; readonly y: number; readonly depth: number }
type Camera = { readonly project: (x: number, y: number, z: number) => Pixel; readonly scale: number }

/** An orthographic view of a box, as large as it fits: equal boxes are equal views. */
function cameraOf({ min, max }: Bounds, size: number): Camera {
  const [cx, cy, cz] = min.map((low, axis) => (low + (max[axis] ?? low)) / 2)
  const radius = Math.max(50, Math.hypot(...min.map((low, axis) => ((max[axis] ?? low) - low) / 2)))
  const scale = (size * 0.46) / radius
  const [sy, ky, sp, kp] = [Math.sin(YAW), Math.cos(YAW), Math.sin(PITCH), Math.cos(PITCH)]
  return {
    scale,
    project(x, y, z) {
      const [dx, dy, dz] = [x - (cx ?? 0), y - (cy ?? 0), z - (cz ?? 0)]
      const [right, into] = [dx * ky + dy * sy, -dx * sy + dy * ky]
      return { x: size / 2 + right * scale, y: size / 2 - (dz * kp + into * sp) * scale, depth: into * kp - dz * sp }
    },
  }
}

class Canvas {
  readonly pixels: Uint8Array
  readonly #depth: Float32Array
  readonly #size: number
  constructor(size: number) {
    this.#size = size
    this.pixels = new Uint8Array(size * size * 4)
    this.#depth = new Float32Array(size * size).fill(Infinity)
    for (let at = 0; at < size * size; at++) this.pixels.set([...BACKGROUND, 255], at * 4)
  }
  put(px: number, py: number, depth: number, colour: readonly number[], light: number): void {
    if (px < 0 || py < 0 || px >= this.#size || py >= this.#size) return
    const at = py * this.#size + px
    if (depth >= (this.#depth[at] ?? 0)) return
    this.#depth[at] = depth
    for (let c = 0; c < 3; c++) this.pixels[at * 4 + c] = Math.min(255, (colour[c] ?? 0) * light)
  }
  /** A shaded ball. */
  ball({ x, y, depth }: Pixel, radius: number, colour: readonly number[]): void {
    const [r, near] = [Math.max(0.7, radius), Math.max(1, radius)]
    for (let py = Math.floor(y - r); py <= Math.ceil(y + r); py++)
      for (let px = Math.floor(x - r); px <= Math.ceil(x + r); px++) {
        const [dx, dy] = [(px - x) / r, (py - y) / r]
        const rest = 1 - dx * dx - dy * dy
        if (rest < 0 && r > 0.7) continue
        const out = Math.sqrt(Math.max(0, rest))
        this.put(px, py, depth - out * near, colour, Math.max(0.35, 0.55 + 0.55 * (out * 0.6 - dx * 0.35 - dy * 0.55)))
      }
  }
}

const [CELLS, STEPS] = [10, 400]
/** The floor of the box, with ten cells a side. */
function ground(canvas: Canvas, camera: Camera, { min, max }: Bounds): void {
  const at = (axis: number, part: number): number => (min[axis] ?? 0) + ((max[axis] ?? 0) - (min[axis] ?? 0)) * part
  for (let i = 0; i <= STEPS; i++)
    for (let j = 0; j <= STEPS; j++) {
      const { x, y, depth } = camera.project(at(0, i / STEPS), at(1, j / STEPS), min[2] ?? 0)
      const onLine = i % (STEPS / CELLS) === 0 || j % (STEPS / CELLS) === 0
      canvas.put(Math.round(x), Math.round(y), depth + (onLine ? 1e5 : 1.1e5), onLine ? LINE : GROUND, 1)
    }
}

const colourOf = (name: string): readonly number[] => {
  let hash = 7
  for (const letter of name) hash = next(seed1(hash ^ letter.charCodeAt(0)))
  return PALETTE[Math.abs(hash) % PALETTE.length] ?? PALETTE[0]
}

/** PNG in base64. One colour a node; a point is as large as its bounds. */
export function drawPoints(drawn: readonly Drawn[], view: Bounds, size: number): string {
  const canvas = new Canvas(size)
  const camera = cameraOf(view, size)
  ground(canvas, camera, view)
  const total = drawn.reduce((sum, { points }) => sum + points.count, 0)
  const every = Math.max(1, Math.ceil(total / MOST_DRAWN))
  for (const { name, points } of drawn) {
    const colour = colourOf(name)
    const { position, scale, boundsMin, boundsMax } = points
    for (let row = 0; row < points.count; row += every) {
      const place = (axis: number): number => position.data[row * position.step + axis] ?? 0
      const half = [0, 1, 2].map(
        (axis) =>
          (((boundsMax.data[row * boundsMax.step + axis] ?? 0) - (boundsMin.data[row * boundsMin.step + axis] ?? 0)) /
            2) *
          Math.abs(scale.data[row * scale.step + axis] ?? 1),
      )
      const radius = Math.min(size / 8, Math.max(size / 160, Math.max(...half) * camera.scale))
      canvas.ball(camera.project(place(0), place(1), place(2)), radius, colour)
    }
  }
  return pngOf(canvas.pixels, size, size).toString('base64')
}
