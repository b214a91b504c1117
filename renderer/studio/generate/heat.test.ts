import { expect, it } from 'vitest'
import { heatLayer } from './heat.ts'

const node = (node_name: string, ms: number, points: number, executed = true, graph = '/Game/A') => ({
  graph,
  node_name,
  ms,
  points,
  data: 1,
  executed,
  warnings: executed ? [] : ['passes through'],
})
const report = {
  nodes: [node('A', 2, 100), node('A', 2, 100), node('B', 16, 0, false), node('C', 99, 9, true, '/Game/B')],
}

it('sums repeated runs, marks pass-through nodes, and names nodes that did not run', () => {
  const time = heatLayer(report, '/Game/A', ['A', 'B', 'C'], 'time')?.nodes
  expect(time?.get('A')).toEqual({ tint: 0.25, heat: '4.0 ms' })
  expect(time?.get('B')).toMatchObject({ tint: 1, heat: '16 ms', badge: { text: 'passed', title: 'passes through' } })
  expect(time?.get('C')).toEqual({ heat: 'did not run' })
  const points = heatLayer(report, '/Game/A', ['A', 'B'], 'points')?.nodes
  expect(points?.get('A')).toEqual({ tint: 1, heat: '200 points' })
  expect(points?.get('B')).toMatchObject({ tint: 0, heat: '0 points' })
  expect(heatLayer(report, '/Game/A', ['A'], 'off')).toBeNull()
  expect(heatLayer({ nodes: [] }, '/Game/A', ['A'], 'time')?.nodes?.get('A')).toEqual({ heat: 'did not run' })
})
