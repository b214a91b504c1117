// A picture laid over the level: its colour and its density at a place.
import type { PictureSource } from './sources.ts'

/** From the level to the picture: where the middle of its lower left corner is 0, 0 and of its upper right 1, 1. */
export type Laid = {
  readonly picture: PictureSource
  readonly center: readonly [number, number, number]
  readonly half: readonly [number, number]
  /** In radians, about the vertical. */
  readonly turn: number
  readonly channel: 0 | 1 | 2 | 3
  readonly nearest: boolean
  readonly densityFromChannel: boolean
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value))

export function pixelAt({ width, height, pixels }: PictureSource, u: number, v: number, nearest: boolean): number[] {
  const at = (x: number, y: number, c: number) =>
    (pixels[(clamp(y, height - 1) * width + clamp(x, width - 1)) * 4 + c] ?? 0) / 255
  if (nearest) return [0, 1, 2, 3].map((c) => at(Math.floor(clamp(u, 1) * width), Math.floor(clamp(v, 1) * height), c))
  const [x, y] = [clamp(u, 1) * width - 0.5, clamp(v, 1) * height - 0.5]
  const [i, j] = [Math.floor(x), Math.floor(y)]
  const [s, t] = [x - i, y - j]
  return [0, 1, 2, 3].map(
    (c) =>
      (at(i, j, c) * (1 - s) + at(i + 1, j, c) * s) * (1 - t) +
      (at(i, j + 1, c) * (1 - s) + at(i + 1, j + 1, c) * s) * t,
  )
}

/** The place in the picture above a place of the level: inside it both are from 0 to 1. */
export function placeIn({ center, half, turn }: Laid, x: number, y: number): readonly [number, number] {
  const [dx, dy] = [x - center[0], y - center[1]]
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  return [((dx * cos + dy * sin) / half[0] + 1) / 2, ((dy * cos - dx * sin) / half[1] + 1) / 2]
}

export function densityIn(laid: Laid, x: number, y: number): number {
  const [u, v] = placeIn(laid, x, y)
  if (!(u >= 0 && u <= 1 && v >= 0 && v <= 1)) return 0
  return laid.densityFromChannel ? (pixelAt(laid.picture, u, v, laid.nearest)[laid.channel] ?? 0) : 1
}
