import { describe, expect, it } from 'vitest'
import { aligned, distributed, onGrid, straightened } from './align.ts'
import { editorDouble } from './editor.fixture.ts'
import { neighbour } from './walk.ts'

const BOXES = [
  { name: 'a', x: 0, y: 3, w: 100, h: 50 },
  { name: 'b', x: 130, y: 90, w: 100, h: 70 },
  { name: 'c', x: 500, y: 40, w: 100, h: 50 },
]

describe('alignment', () => {
  it('aligns edges and centres, and distributes gaps', () => {
    expect([...aligned(BOXES, 'top').values()].map(({ y }) => y)).toEqual([3, 3, 3])
    expect([...aligned(BOXES, 'right').values()].map(({ x }) => x)).toEqual([500, 500, 500])
    expect([...aligned(BOXES, 'middle').values()].map(({ y }) => y)).toEqual([56.5, 46.5, 56.5])
    expect([...distributed(BOXES, 'across').values()].map(({ x }) => x)).toEqual([0, 250, 500])
    expect([...onGrid(BOXES).values()][0]).toEqual({ x: 0, y: 0 })
    expect(distributed(BOXES.slice(1), 'down').size).toBe(0)
  })

  it('straightens edges', () => {
    const edge = { id: 'e', from: 'a', fromPin: 'Out', to: 'b', toPin: 'Other' }
    const spots = straightened(BOXES, [edge], (_edge, end) => (end === 'from' ? 10 : 30))
    expect(spots.get('b')).toEqual({ x: 130, y: 3 + 10 - 30 })
    expect(spots.get('c')).toEqual({ x: 500, y: 40 })
  })
})

describe('keyboard navigation', () => {
  it('follows edges sideways, and positions up and down', () => {
    const view = { ...editorDouble().view(), edges: [{ id: 'e', from: 'a', fromPin: 'Out', to: 'b', toPin: 'In' }] }
    expect(neighbour(view, BOXES, 'a', 'right')).toBe('b')
    expect(neighbour(view, BOXES, 'b', 'left')).toBe('a')
    expect(neighbour(view, BOXES, 'a', 'down')).toBe('b')
    expect(neighbour(view, BOXES, 'a', 'up')).toBeUndefined()
    expect(neighbour(view, BOXES, 'c', 'left')).toBeUndefined()
  })
})
