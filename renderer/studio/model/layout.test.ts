import { expect, it } from 'vitest'
import { aroundMiddle, elkGraph, sizesOf } from './layout.ts'

const box = (name: string, x: number, y: number) => ({ name, x, y, w: 200, h: 80 })
const edge = (from: string, fromPin: string, to: string, toPin: string) => ({
  id: `${from} ${to}`,
  from,
  fromPin,
  to,
  toPin,
})
const GIVEN = {
  boxes: [box('A', 0, 0), box('B', 10, 10)],
  edges: [edge('A', 'Out', 'B', 'Source'), edge('B', 'Out', 'Gone', 'In')],
  portsOf: () => ({
    inputs: [
      { label: 'In', y: 43 },
      { label: 'Source', y: 65 },
    ],
    outputs: [{ label: 'Out', y: 43 }],
  }),
}

it('ignores edges to nodes outside the layout, and ends edges at pins', () => {
  expect(sizesOf(GIVEN)).toEqual({
    boxes: [
      { w: 200, h: 80 },
      { w: 200, h: 80 },
    ],
    wires: [{ from: 0, to: 1, fromY: 43, toY: 65 }],
  })
  const { children, edges } = elkGraph(GIVEN)
  expect(edges).toEqual([{ id: 'A B', sources: ['A\nout\nOut'], targets: ['B\nin\nSource'] }])
  expect(children?.[1]?.ports?.[1]).toMatchObject({ id: 'B\nin\nSource', x: 0, y: 65 })
})

it('keeps the centre of the laid-out nodes, and rounds positions', () => {
  const laid = new Map([
    ['A', { x: 1000, y: 500 }],
    ['B', { x: 1272, y: 500.5 }],
  ])
  expect([...aroundMiddle(laid, GIVEN.boxes)]).toEqual([
    ['A', { x: -131, y: 5 }],
    ['B', { x: 141, y: 5 }],
  ])
})
