// The picture of a comparison as a PNG: boxes, curves and text of a bitmap font, drawn into pixels.
import { drawable, GLYPH_HEIGHT, GLYPH_WIDTH, isDot } from '../picture/font.ts'
import { pngOf } from '../picture/png.ts'
import type { Scene, Shape } from '../review/picture.ts'

/** Dots per unit of the scene; less for a picture that would be too large. */
const USUAL_SCALE = 2
const MOST_DOTS = 40_000_000
const BACKGROUND = '#f8fafc'

const rgb = (colour: string): readonly number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

class Dots {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
  readonly #scale: number
  constructor(width: number, height: number, scale: number) {
    this.#scale = scale
    this.width = Math.ceil(width * scale)
    this.height = Math.ceil(height * scale)
    this.pixels = new Uint8Array(this.width * this.height * 4)
  }
  /** In units of the scene. */
  fill(x: number, y: number, w: number, h: number, colour: readonly number[]): void {
    const [left, top] = [Math.round(x * this.#scale), Math.round(y * this.#scale)]
    const right = Math.max(left + 1, Math.round((x + w) * this.#scale))
    const bottom = Math.max(top + 1, Math.round((y + h) * this.#scale))
    for (let py = Math.max(0, top); py < Math.min(this.height, bottom); py++)
      for (let px = Math.max(0, left); px < Math.min(this.width, right); px++)
        this.pixels.set([colour[0] ?? 0, colour[1] ?? 0, colour[2] ?? 0, 255], (py * this.width + px) * 4)
  }
}

function curve(dots: Dots, ends: readonly number[], width: number, colour: readonly number[]): void {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0] = ends
  const steps = Math.ceil(Math.hypot(x4 - x1, y4 - y1) + Math.abs(x2 - x1) + Math.abs(x4 - x3)) * 2
  for (let step = 0; step <= steps; step++) {
    const t = step / Math.max(1, steps)
    const u = 1 - t
    const at = (a: number, b: number, c: number, d: number) =>
      u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d
    dots.fill(at(x1, x2, x3, x4) - width / 2, at(y1, y2, y3, y4) - width / 2, width, width, colour)
  }
}

function draw(dots: Dots, shape: Shape): void {
  switch (shape.kind) {
    case 'box': {
      const { x, y, w, h, width } = shape
      dots.fill(x - width / 2, y - width / 2, w + width, h + width, rgb(shape.stroke))
      dots.fill(x + width / 2, y + width / 2, w - width, h - width, rgb(shape.fill))
      return
    }
    case 'curve':
      curve(dots, shape.ends, shape.width, rgb(shape.stroke))
      return
    case 'text': {
      const dot = shape.size / (GLYPH_HEIGHT + 1)
      const colour = rgb(shape.fill)
      for (const [at, letter] of Array.from(drawable(shape.text)).entries())
        for (let column = 0; column < GLYPH_WIDTH; column++)
          for (let row = 0; row < GLYPH_HEIGHT; row++)
            if (isDot(letter, column, row))
              dots.fill(
                shape.x + (at * (GLYPH_WIDTH + 1) + column) * dot,
                shape.y + (row - GLYPH_HEIGHT + 1) * dot,
                shape.bold ? dot * 1.4 : dot,
                dot,
                colour,
              )
    }
  }
}

export function pngDiff({ width, height, shapes }: Scene, mostDots = MOST_DOTS): Buffer {
  const scale = Math.min(USUAL_SCALE, Math.sqrt(mostDots / (width * height)))
  const dots = new Dots(width, height, scale)
  dots.fill(0, 0, width, height, rgb(BACKGROUND))
  for (const shape of shapes) draw(dots, shape)
  return pngOf(dots.pixels, dots.width, dots.height)
}
