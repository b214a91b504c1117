// The built-in ground: four octaves of value noise over an integer lattice, the same on every machine.
import type { HeightFieldDoc } from '../document.ts'
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

export function heightAt(field: HeightFieldDoc, x: number, y: number): number {
  return field.base + field.amplitude * octaves(x / field.wavelength, y / field.wavelength, field.seed, 4)
}

const REACH = 10
export function normalAt(field: HeightFieldDoc, x: number, y: number): Vec {
  const [dx, dy] = [
    heightAt(field, x - REACH, y) - heightAt(field, x + REACH, y),
    heightAt(field, x, y - REACH) - heightAt(field, x, y + REACH),
  ]
  const length = Math.sqrt(dx * dx + dy * dy + 4 * REACH * REACH)
  return [dx / length, dy / length, (2 * REACH) / length]
}
