import { describe, expect, it } from 'vitest'
import { guided, within } from './guides.ts'

const box = (x: number, y: number, w = 200, h = 100) => ({ x, y, w, h })

describe('alignment guides', () => {
  it.each([
    ['left', box(4, 300, 120), box(0, 0), { dx: -4, lines: [{ fixed: 'x', at: 0, from: 0, to: 400 }] }],
    ['centre', box(43, 300, 120), box(0, 0), { dx: -3, lines: [{ fixed: 'x', at: 100, from: 0, to: 400 }] }],
    ['right', box(75, 300, 120), box(0, 0), { dx: 5, lines: [{ fixed: 'x', at: 200, from: 0, to: 400 }] }],
    ['top', box(500, -6, 200, 60), box(0, 0), { dy: 6, lines: [{ fixed: 'y', at: 0, from: 0, to: 700 }] }],
    ['middle', box(500, 22, 200, 60), box(0, 0), { dy: -2, lines: [{ fixed: 'y', at: 50, from: 0, to: 700 }] }],
    ['bottom', box(500, 39, 200, 60), box(0, 0), { dy: 1, lines: [{ fixed: 'y', at: 100, from: 0, to: 700 }] }],
  ])('lead to the %s of another box', (_name, dragged, other, expected) => {
    expect(guided([dragged], [other], 6)).toEqual({ dx: 0, dy: 0, ...expected })
  })

  it('snap within reach, to the nearest guide, on both axes', () => {
    expect(guided([box(7, 300, 120)], [box(0, 0)], 6)).toEqual({ dx: 0, dy: 0, lines: [] })
    expect(guided([box(4, 300)], [box(0, 0), box(6, 600)], 6)).toMatchObject({ dx: 2 })
    const { dx, dy, lines } = guided([box(3, 303)], [box(0, 0), box(900, 300)], 6)
    expect([dx, dy]).toEqual([-3, -3])
    // Boxes of equal size align at all three positions.
    expect(lines.map(({ fixed, at }) => [fixed, at])).toEqual([
      ['x', 0],
      ['x', 100],
      ['x', 200],
      ['y', 300],
      ['y', 350],
      ['y', 400],
    ])
  })

  it('treat the dragged nodes as one box', () => {
    expect(guided([box(104, 300), box(504, 300)], [box(300, 0)], 6)).toMatchObject({ dx: -4, dy: 0 })
    expect(guided([], [box(0, 0)], 6)).toEqual({ dx: 0, dy: 0, lines: [] })
  })

  it('use visible nodes only', () => {
    const near = box(-150, 0)
    expect(within([near, box(-201, 0), box(0, 900)], { x: 0, y: 0, w: 800, h: 600 })).toEqual([near])
  })
})
