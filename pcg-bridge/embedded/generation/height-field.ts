// The ground: four octaves of value noise over an integer lattice, the same on every machine; or a grid of read heights.
import type { HeightFieldDoc, HeightGridDoc } from '../../editor/document.ts'
import { seed3 } from './random.ts'
import type { Vec } from './rotation.ts'

/** 0 ≤ value < 1 of a lattice corner. */
export function lattice(x: number, y: number, seed: number): number {
  let hash = seed3(x, y, seed)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 8) / 16777216
}

/** Smooth noise in -1..1 with lattice distance 1. */
export function valueNoise(x: number, y: number, seed: number): number {
  const [ix, iy] = [Math.floor(x), Math.floor(y)]
  const [fx, fy] = [x - ix, y - iy]
  const [u, v] = [fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)]
  const low = lattice(ix, iy, seed) * (1 - u) + lattice(ix + 1, iy, seed) * u
  const high = lattice(ix, iy + 1, seed) * (1 - u) + lattice(ix + 1, iy + 1, seed) * u
  return (low * (1 - v) + high * v) * 2 - 1
}

/** Octaves added with half the height and half the length each; within -1..1. */
export function octaves(x: number, y: number, seed: number, count: number): number {
  let [sum, weight, total, size] = [0, 1, 0, 1]
  for (let octave = 0; octave < count; octave++) {
    sum += valueNoise(x * size, y * size, seed + octave) * weight
    total += weight
    weight *= 0.5
    size *= 2
  }
  return total === 0 ? 0 : sum / total
}

const decoded = new WeakMap<HeightGridDoc, Float32Array>()
function heightsOf(grid: HeightGridDoc): Float32Array {
  const known = decoded.get(grid)
  if (known) return known
  const bytes = Buffer.from(grid.heights, 'base64')
  const heights = new Float32Array(grid.columns * grid.rows).fill(Number.NaN)
  for (let i = 0; i < Math.min(heights.length, bytes.length >> 2); i++) heights[i] = bytes.readFloatLE(i * 4)
  decoded.set(grid, heights)
  return heights
}

/** The world height between the four samples around a place; not a number beside a hole. */
export function gridHeightAt(grid: HeightGridDoc, x: number, y: number): number {
  const heights = heightsOf(grid)
  const along = (value: number, low: number, high: number, count: number) =>
    Math.min(count - 1, Math.max(0, ((value - low) / (high - low)) * (count - 1)))
  const [u, v] = [along(x, grid.min[0], grid.max[0], grid.columns), along(y, grid.min[1], grid.max[1], grid.rows)]
  const [column, row] = [Math.min(grid.columns - 2, Math.floor(u)), Math.min(grid.rows - 2, Math.floor(v))]
  const [fu, fv] = [u - column, v - row]
  const at = row * grid.columns + column
  const read = (index: number, weight: number) => (weight === 0 ? 0 : weight * (heights[index] ?? Number.NaN))
  return (
    read(at, (1 - fu) * (1 - fv)) +
    read(at + 1, fu * (1 - fv)) +
    read(at + grid.columns, (1 - fu) * fv) +
    read(at + grid.columns + 1, fu * fv)
  )
}

/** Heights of a ground at world places. */
export type Height = (x: number, y: number) => number

export function heightAt(field: HeightFieldDoc, x: number, y: number): number {
  return field.base + field.amplitude * octaves(x / field.wavelength, y / field.wavelength, field.seed, 4)
}

const REACH = 10
export function normalAt(height: Height, x: number, y: number): Vec {
  const slope = (a: number, b: number) => {
    // Beside a hole the one side that is there is level.
    const found = a - b
    return Number.isNaN(found) ? 0 : found
  }
  const [dx, dy] = [
    slope(height(x - REACH, y), height(x + REACH, y)),
    slope(height(x, y - REACH), height(x, y + REACH)),
  ]
  const length = Math.sqrt(dx * dx + dy * dy + 4 * REACH * REACH)
  return [dx / length, dy / length, (2 * REACH) / length]
}
