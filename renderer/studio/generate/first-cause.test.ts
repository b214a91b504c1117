import { expect, it } from 'vitest'
import { firstCause } from './first-cause.ts'

const finding = (code: string, node_name: string | null, severity: 'error' | 'warning' | 'info' = 'error') => ({
  severity,
  node_name,
  code,
  message: `${code} of ${node_name}`,
})
const node = (node_name: string, points: number, warnings: readonly string[] = []) => ({
  graph: '/Game/A',
  node_name,
  ms: 1,
  points,
  data: 1,
  executed: true,
  warnings: [...warnings],
})

it('the first cause of nothing is what keeps all from running, then the first empty node, then what is missing', () => {
  const ran = { state: 'generated' as const, nodes: [node('A', 5), node('B', 0, ['kept none']), node('C', 0)] }
  const never = { state: 'never' as const, nodes: [] }
  const wired = finding('PIN_NOT_WIRED', 'C')
  expect(firstCause([wired, finding('NO_EXTENT', null)], ran)).toMatchObject({
    node: null,
    causes: ['NO_EXTENT of null'],
  })
  expect(firstCause([wired], ran)).toEqual({
    title: 'B is the first node without output',
    causes: ['kept none'],
    node: 'B',
  })
  expect(firstCause([finding('DEAD_END', 'B', 'info')], ran)).toMatchObject({ node: 'C' })
  expect(firstCause([wired], { ...ran, state: 'cleaned' })).toMatchObject({
    title: 'Nothing would come out',
    node: 'C',
  })
  expect(firstCause([], never).title).toBe('Nothing has been generated yet')
  expect(firstCause([], { ...ran, nodes: [node('A', 5)] }).title).toBe('Every node had output')
})
