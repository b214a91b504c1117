import { describe, expect, it } from 'vitest'
import { diffGraphs, emptyLayout, type ReviewGraph } from '#pcg-review'
import { edgeId } from '../model/graph.ts'
import { marksOf, nodeOf, placesOf, viewOfReview } from './graph-view.ts'

const node = (type: string, settings = {}) => ({ class: `PCG${type}Settings`, name: null, title: null, settings })
const graph = (more: Partial<ReviewGraph>): ReviewGraph => ({
  path: '/Game/PCG/Wood',
  nodes: new Map(),
  edges: [],
  parameters: new Map(),
  pins: { Input: [], Output: [] },
  layout: emptyLayout(),
  ...more,
})
const wire = (from: string, fromPin: string, to: string, toPin: string) => ({ from, fromPin, to, toPin })
const before = graph({
  nodes: new Map([
    ['Filter', node('DensityFilter', { LowerBound: 0.25 })],
    ['Old', node('SelfPruning')],
  ]),
  edges: [wire('Input', 'In', 'Filter', 'In'), wire('Filter', 'Out', 'Old', 'In')],
})
const after = graph({
  nodes: new Map([
    ['Filter', node('DensityFilter', { LowerBound: 0.75 })],
    ['Odd', node('ExtraOfAPlugin')],
  ]),
  edges: [wire('Input', 'In', 'Filter', 'In'), wire('Filter', 'Out', 'Odd', 'Special')],
  layout: { ...emptyLayout(), nodes: new Map([['DefaultInputNode', { x: -300, y: 7 }]]) },
})

describe('a graph under review on a canvas', () => {
  it('has titles and pins of the catalogue, and those that only its edges name', () => {
    const { nodes, edges } = viewOfReview(after)
    expect(nodes.get('Filter')).toMatchObject({ title: 'Density Filter', inputs: [{ label: 'In' }] })
    expect(nodes.get('Odd')).toMatchObject({ title: 'PCGExtraOfAPluginSettings', inputs: [{ label: 'Special' }] })
    expect([...nodes.keys()].slice(-2)).toEqual(['Input', 'Output'])
    expect(edges).toHaveLength(2)
  })

  it('takes places that it lacks from the other graph, also of its ends', () => {
    expect(placesOf(before, after).nodes).toEqual({ Input: { x: -300, y: 7 } })
  })

  it('marks additions, removals and changes, and finds the node of a change', () => {
    const { changes } = diffGraphs(before, after)
    const { nodes, edges } = marksOf(changes)
    expect(Object.fromEntries(nodes)).toEqual({ Filter: 'changed', Old: 'removed', Odd: 'added' })
    expect(edges.get(edgeId('Filter', 'Out', 'Old', 'In'))).toBe('removed')
    expect(edges.get(edgeId('Filter', 'Out', 'Odd', 'Special'))).toBe('added')
    expect(changes.map(nodeOf)).toContain('Filter')
  })
})
