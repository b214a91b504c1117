import { describe, expect, it } from 'vitest'
import { clipOf } from './clipboard.ts'
import { editorDouble } from './editor.fixture.ts'
import { adding } from './edits.ts'
import { mermaidOf, scriptOf } from './export.ts'
import { graphView } from './graph.ts'

async function twoNodes() {
  const editor = editorDouble()
  const none = () => undefined
  const place = { x: 0, y: 0 }
  await editor.perform(
    adding(editor.view(), editor.layout(), { type: 'PCGSurfaceSamplerSettings' }, place, undefined, none),
  )
  const pin = { node: 'PCGSurfaceSamplerSettings_1', side: 'out', pin: 'Out' } as const
  await editor.perform(
    adding(editor.view(), editor.layout(), { type: 'PCGDensityFilterSettings' }, place, { pin }, none),
  )
  return editor.view()
}

describe('a graph as text', () => {
  it('exports a Mermaid diagram in which titles are escaped', async () => {
    const lines = mermaidOf(await twoNodes()).split('\n')
    expect(lines[0]).toBe('flowchart LR')
    expect(lines).toContain('  n1["Surface Sampler"]')
    expect(lines).toContain('  n1 -- "Out to In" --> n2')
    const { nodes } = graphView({
      graph_name: 'G',
      asset_path: '/Game/G',
      node_count: 1,
      nodes: [
        {
          node_name: 'x',
          title: '"]; click x "javascript:1"',
          settings_class: 'PCGX',
          input_pins: [],
          output_pins: [],
        },
      ],
      has_input_node: false,
      has_output_node: false,
      input_node_name: '',
      output_node_name: '',
      edges: [],
      edge_count: 0,
    })
    expect(mermaidOf({ nodes, edges: [] })).toContain('n0["#34;#93;#59; click x #34;javascript#58;1#34;"]')
  })

  it('exports a program in which texts are only string literals', async () => {
    const view = await twoNodes()
    const places = new Map([...view.nodes.keys()].map((name) => [name, { x: 0, y: 0 }]))
    const evil = '`${process.exit()}` \'); evil("'
    const clip = clipOf(view, places, new Map([['PCGSurfaceSamplerSettings_1', { Category: evil }]]), [])
    const script = scriptOf(clip, evil, view)
    expect(script).toContain(`properties: {"Category":${JSON.stringify(evil)}}`)
    expect(script).toContain('from_node: n0, from_pin: "Out", to_node: n1, to_pin: "In"')
    expect(script.split('\n').filter((line) => line.includes('connect_pcg_nodes'))).toHaveLength(1)
  })
})
