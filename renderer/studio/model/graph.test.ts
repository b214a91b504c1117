import { describe, expect, it } from 'vitest'
import { graphView } from './graph.ts'

const DECLARATION = 'PCGNamedRerouteDeclarationSettings'
const USAGE = 'PCGNamedRerouteUsageSettings'
const node = (node_name: string, settings_class: string, title: string) => ({
  node_name,
  title,
  settings_class,
  input_pins: settings_class === USAGE ? ['InvisiblePin'] : ['In'],
  output_pins: settings_class === USAGE ? ['Out'] : ['Out', 'InvisiblePin'],
})
const hidden = (from_node: string, to_node: string) => ({
  from_node,
  from_pin: 'InvisiblePin',
  to_node,
  to_pin: 'InvisiblePin',
})

describe('a named reroute', () => {
  it('has its name at both ends, if the editor reports one', () => {
    const view = graphView({
      graph_name: 'Named',
      asset_path: '/Game/PCG/Named',
      node_count: 5,
      nodes: [
        node('trees', DECLARATION, 'Trees'),
        node('used', USAGE, 'Named Reroute (usage)'),
        node('own', USAGE, 'Trees, again'),
        node('nameless', DECLARATION, 'Named Reroute (declaration)'),
        node('other', USAGE, 'Named Reroute (usage)'),
      ],
      has_input_node: false,
      has_output_node: false,
      input_node_name: '',
      output_node_name: '',
      edges: [hidden('trees', 'used'), hidden('trees', 'own'), hidden('nameless', 'other')],
      edge_count: 3,
    })
    expect([...view.nodes.values()].map(({ title }) => title)).toEqual([
      'Trees',
      'Trees',
      'Trees, again',
      'Named Reroute (declaration)',
      'Named Reroute (usage)',
    ])
  })
})
