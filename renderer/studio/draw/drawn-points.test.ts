import { describe, expect, it } from 'vitest'
import { addedAt, groundHeight, movedTo, placesIn, removedAt } from './drawn-points.ts'

const LIST = [{ Transform: { location: [1, 2, 3], scale: [2, 2, 2] }, Density: 0.5 }, {}]

describe('points that are drawn', () => {
  it('are read with their places, where a list has them', () => {
    expect(placesIn(LIST)).toEqual([
      [1, 2, 3],
      [0, 0, 0],
    ])
    expect(placesIn('none')).toEqual([])
  })

  it('move without losing their other fields, and are added and removed in place', () => {
    expect(movedTo(LIST, 0, [9, 8, 7])).toEqual([
      { Transform: { location: [9, 8, 7], scale: [2, 2, 2] }, Density: 0.5 },
      {},
    ])
    expect(placesIn(addedAt(LIST, 1, [5, 5, 5]))).toEqual([
      [1, 2, 3],
      [5, 5, 5],
      [0, 0, 0],
    ])
    expect(removedAt(LIST, 0)).toEqual([{}])
  })

  it('lie on the ground, between its samples', () => {
    const heights = btoa(String.fromCharCode(...new Uint8Array(Float32Array.from([0, 100, 0, 100]).buffer)))
    const ground = { actor_name: 'Land', min: [0, 0], max: [10, 10], columns: 2, rows: 2, heights }
    expect(groundHeight([ground], 5, 3)).toBe(50)
    expect(groundHeight([ground], 11, 3)).toBeUndefined()
  })
})
