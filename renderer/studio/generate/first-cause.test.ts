import { expect, it } from 'vitest'
import { firstCause } from './first-cause.ts'

const finding = (code: string, node_name: string | null, severity: 'error' | 'warning' | 'info' = 'error') => ({
  severity,
  node_name,
  code,
  message: `${code} of ${node_name}`,
})
const node = (node_name: string, points: number) => ({
  graph: '/Game/A',
  node_name,
  ms: 1,
  points,
  data: 1,
  executed: true,
  warnings: [],
})

it('names first what stops every run, then the node where data ends, then what is missing', () => {
  // A landscape has no points: only the editor can tell where data ends.
  const ran = { state: 'generated' as const, nodes: [node('Ground', 0), node('A', 5), node('B', 0)] }
  const never = { state: 'never' as const, nodes: [] }
  const wired = finding('PIN_NOT_WIRED', 'C')
  const empty = finding('FIRST_EMPTY_NODE', 'B', 'warning')
  expect(firstCause([wired, finding('NO_EXTENT', null)], ran)).toMatchObject({
    node: null,
    causes: ['NO_EXTENT of null'],
  })
  expect(
    firstCause([wired, empty, finding('NO_MESHES', 'B', 'warning'), finding('DEAD_END', 'B', 'info')], ran),
  ).toEqual({
    title: 'Data ends here',
    causes: ['FIRST_EMPTY_NODE of B', 'NO_MESHES of B'],
    node: 'B',
  })
  expect(firstCause([wired, empty], { ...ran, state: 'cleaned' })).toMatchObject({
    title: 'The graph cannot produce anything',
    node: 'C',
  })
  expect(firstCause([], never).title).toBe('Nothing has been generated yet')
  expect(firstCause([], ran).title).toBe('Every spawner and output received data')
})
