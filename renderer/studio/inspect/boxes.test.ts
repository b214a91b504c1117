import { expect, it } from 'vitest'
import { boxesOf } from './boxes.ts'
import { positionsOf } from './points.ts'
import { sheetOf } from './sheet.fixture.ts'

const PLACED = { '$Position.X': [1, 4], '$Position.Y': [2, 5], '$Position.Z': [3, 6] }
const boxes = (columns: Readonly<Record<string, readonly number[]>>) => {
  const sheet = sheetOf({ ...PLACED, ...columns })
  return boxesOf(sheet, positionsOf(sheet) ?? new Float32Array())
}
const rounded = (numbers: ArrayLike<number>) => Array.from(numbers, (each) => Math.round(each * 10) / 10 + 0)

it('boxes have the scaled bounds of their points, or a small default', () => {
  const { halves, middles } = boxes({ '$BoundsMin.X': [-50, -50], '$BoundsMax.X': [50, 50], '$Scale.X': [1, 2] })
  expect([halves[0], halves[3], halves[1]]).toEqual([50, 100, 10])
  expect(middles).toEqual(new Float32Array([1, -2, 3, 4, -5, 6]))
})

it('a box has the mirrored rotation of its point', () => {
  const half = Math.SQRT1_2
  const turned = {
    '$Rotation.X': [0, half],
    '$Rotation.Y': [0, 0],
    '$Rotation.Z': [half, 0],
    '$Rotation.W': [half, half],
  }
  expect(rounded(boxes(turned).turns)).toEqual([0, 0, -0.7, 0.7, -0.7, 0, 0, 0.7])
  expect(rounded(boxes({}).turns)).toEqual([0, 0, 0, 1, 0, 0, 0, 1])
})

it('a box with off-centre bounds rotates around its point', () => {
  const half = Math.SQRT1_2
  const beside = {
    '$BoundsMin.X': [0, 0],
    '$BoundsMax.X': [100, 100],
    '$BoundsMin.Y': [-10, -10],
    '$BoundsMax.Y': [10, 10],
    '$BoundsMin.Z': [-10, -10],
    '$BoundsMax.Z': [10, 10],
    '$Rotation.X': [0, 0],
    '$Rotation.Y': [0, 0],
    '$Rotation.Z': [0, half],
    '$Rotation.W': [1, half],
  }
  // A quarter turn about Z maps Unreal's X to Y, which the mirror inverts.
  expect(rounded(boxes(beside).middles)).toEqual([51, -2, 3, 4, -55, 6])
})
