import { expect, it } from 'vitest'
import { edgeEnds } from './graph.ts'
import { aroundMiddle, elkGraph, sizesOf, withLoose } from './layout.ts'

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

it('packs loose nodes into rows below the connected ones', async () => {
  const boxes = Array.from({ length: 60 }, (_none, at) => ({ name: `n${at}`, x: 0, y: 0, w: 200, h: 60 }))
  const edges = [edgeEnds('n0\nOut\nn1\nIn')]
  const portsOf = () => ({ inputs: [], outputs: [] })
  const spots = await withLoose({ boxes, edges, portsOf }, ({ boxes: wired }) =>
    Promise.resolve(new Map(wired.map(({ name }, at) => [name, { x: at * 272, y: 0 }]))),
  )
  const loose = [...spots].filter(([name]) => name !== 'n0' && name !== 'n1').map(([, spot]) => spot)
  expect(loose).toHaveLength(58)
  expect(Math.min(...loose.map(({ y }) => y))).toBeGreaterThan(60)
  const [width, height] = [
    Math.max(...loose.map(({ x }) => x)) + 200,
    Math.max(...loose.map(({ y }) => y)) + 60 - Math.min(...loose.map(({ y }) => y)),
  ]
  expect(width / height).toBeGreaterThan(1)
  expect(width / height).toBeLessThan(3)
  expect(new Set(loose.map(({ x, y }) => `${x} ${y}`)).size).toBe(58)
})
