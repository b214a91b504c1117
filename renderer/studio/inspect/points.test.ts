import { expect, it } from 'vitest'
import { boxOf, nearest, positionsOf } from './points.ts'
import { coloursOf } from './ramp.ts'
import { sheetOf } from './sheet.fixture.ts'

const PLACED = { '$Position.X': [1, 4], '$Position.Y': [2, 5], '$Position.Z': [3, 6] }

it('mirrors Y of positions; data without positions has no points', () => {
  expect(positionsOf(sheetOf(PLACED))).toEqual(new Float32Array([1, -2, 3, 4, -5, 6]))
  expect(positionsOf(sheetOf({ Height: [1, 2] }))).toBeUndefined()
  expect(boxOf(new Float32Array([1, -2, 3, 4, -5, 6]))).toEqual({ min: [1, -5, 3], max: [4, -2, 6] })
})

it('selects the front-most point under the pointer, and none far from it', () => {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
  const at = { x: 50, y: 50, width: 100, height: 100 }
  const positions = new Float32Array([0, 0, 0.9, 0, 0, 0.1, 0.9, 0.9, 0])
  expect(nearest(positions, identity, at, 6)).toBe(1)
  expect(nearest(positions, identity, { ...at, x: 10 }, 6)).toBeNull()
  const apart = new Float32Array([0.12, 0, 0, 0, 0, 0.9])
  expect(nearest(apart, identity, at, 8)).toBe(1)
})

it('low values are dark, high ones bright, missing ones neutral', () => {
  const colours = coloursOf([0, 1], 2, { min: 0, max: 1 })
  expect([...colours]).toEqual([68, 1, 84, 253, 231, 37])
  const plain = coloursOf(undefined, 2, { min: 0, max: 1 })
  expect(plain.slice(0, 3)).toEqual(plain.slice(3))
})
