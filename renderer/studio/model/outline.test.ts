import { describe, expect, it } from 'vitest'
import { edgeEnds, edgeId, type GraphView, type NodeView } from './graph.ts'
import { connectionsOf, inFlow, spokenNode } from './outline.ts'

const pin = (label: string) => ({ label, types: ['Any'], single: false, required: false })
const node = (name: string, end: NodeView['end'] = null): [string, NodeView] => [
  name,
  {
    name,
    title: `The ${name}`,
    settingsClass: 'PCGMergeSettings',
    category: 'Other',
    inputs: [pin('In')],
    outputs: [pin('Out')],
    end,
    known: true,
  },
]
const wire = (from: string, to: string) => edgeEnds(edgeId(from, 'Out', to, 'In'))
const view: GraphView = {
  path: '/Game/PCG/Text',
  nodes: new Map([
    node('end', 'output'),
    node('late'),
    node('first', 'input'),
    node('alone'),
    node('round'),
    node('trip'),
    node('middle'),
  ]),
  edges: [
    wire('first', 'middle'),
    wire('middle', 'late'),
    wire('first', 'late'),
    wire('round', 'trip'),
    wire('trip', 'round'),
  ],
}

describe('a graph as text', () => {
  it('has every node once, after those that it reads; cycles and Output come last', () => {
    expect(inFlow(view).map(({ name }) => name)).toEqual(['first', 'alone', 'middle', 'late', 'round', 'trip', 'end'])
  })

  it('names what a node reads and feeds, or that it is not connected', () => {
    const joined = connectionsOf(view)
    const spoken = inFlow(view).map((each) => spokenNode(each, joined(each.name)))
    expect(spoken.slice(0, 4)).toEqual([
      'The first of the graph. Feeds Out to The middle In, Out to The late In',
      'The alone. Not connected',
      'The middle. Reads In from The first Out. Feeds Out to The late In',
      'The late. Reads In from The middle Out, In from The first Out',
    ])
  })
})
