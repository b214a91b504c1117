// The ground of a level as triangles: heights at their places, holes left open; lines and boxes mirrored.
import { expect, it } from 'vitest'
import { groundOf, levelOf } from './level.ts'

const packed = (...heights: readonly number[]): string =>
  btoa(String.fromCharCode(...new Uint8Array(Float32Array.from(heights).buffer)))
const landscape = (...heights: readonly number[]) => ({
  actor_name: 'Land',
  min: [0, 0],
  max: [200, 100],
  columns: 3,
  rows: 2,
  heights: packed(...heights),
})

it('has a height at each place, mirrored, and two triangles for each cell', () => {
  const { positions, triangles } = groundOf(landscape(1, 2, 3, 4, 5, 6))
  expect(Array.from(positions.subarray(0, 3))).toEqual([0, -0, 1])
  expect(Array.from(positions.subarray(-3))).toEqual([200, -100, 6])
  expect(triangles).toHaveLength(4 * 3)
})

it('leaves holes open', () => {
  const { triangles, positions } = groundOf(landscape(1, 2, Number.NaN, 4, 5, 6))
  expect([...triangles]).not.toContain(2)
  expect(triangles).toHaveLength(2 * 3)
  expect(positions.every((value) => !Number.isNaN(value))).toBe(true)
})

it('is brighter where it faces the light', () => {
  const west = groundOf(landscape(0, 100, 200, 0, 100, 200)).colours[0] ?? 0
  const east = groundOf(landscape(200, 100, 0, 200, 100, 0)).colours[0] ?? 0
  expect(west).toBeGreaterThan(east)
})

it('draws each spline as a line, and each other actor with a size as a box', () => {
  const actor = (actor_name: string, size: number) => ({
    actor_name,
    bounds_origin: [0, 10, 0],
    bounds_extent: [size, size, size],
  })
  const shapes = {
    level: '/Game/Maps/Main',
    landscapes: [],
    splines: [
      {
        actor_name: 'Road',
        points: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      },
    ],
    actors: [],
  }
  const { lines, boxes } = levelOf(
    shapes,
    [actor('Road', 5), actor('Shown', 5), actor('Rock', 2), actor('Spot', 0)],
    'Shown',
  )
  expect(lines.map((line) => [...line])).toEqual([[1, -2, 3, 4, -5, 6]])
  expect(boxes).toEqual([{ min: [-2, -12, -2], max: [2, -8, 2] }])
})
