// Nodes of classes that the catalogue does not have: from a real editor into the built-in one and its text, and nothing lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallContext } from '../contract/index.ts'
import { diffGraphs } from '../review/diff.ts'
import { lintGraph } from '../review/lint/lint.ts'
import { parseText, printText } from '../review/text.ts'
import { fromDocument } from '../review/transfer.ts'
import { NO_PYTHON, SPLINE_TO_PATH } from '../unreal/double.fixture.ts'
import { startEditor, type TestEditor } from './editors.fixture.ts'

const WHO: CallContext = { actor: 'person', source: 'ui' }
const GRAPH = '/Game/PCG/Foreign'
const at = { pcg_graph_path: GRAPH }

describe.skipIf(NO_PYTHON !== null)(`foreign nodes${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  let unreal: TestEditor
  let embedded: TestEditor
  let plugin = ''
  beforeAll(async () => {
    unreal = await startEditor('unreal', { plugins: [SPLINE_TO_PATH] })
    embedded = await startEditor('embedded')
    const call = (name: string, args: object) => unreal.call('tools', name, args, WHO)
    const add = async (node_type: string) => String((await call('add_pcg_node', { ...at, node_type }))['node_name'])
    await call('create_pcg_graph', { name: 'Foreign' })
    const spline = await add('PCGGetSplineSettings')
    plugin = await add(SPLINE_TO_PATH.name)
    const hlsl = await add('PCGCustomHLSLSettings')
    await call('set_pcg_node_properties', {
      ...at,
      node_name: plugin,
      properties: { bWriteArriveTangent: true, ArriveTangentName: 'Tangent' },
    })
    await call('set_pcg_node_properties', { ...at, node_name: hlsl, properties: { ShaderSource: 'float a = 1;' } })
    await call('connect_pcg_nodes', { ...at, from_node: spline, to_node: plugin, to_pin: 'Splines' })
    await call('connect_pcg_nodes', { ...at, from_node: plugin, to_node: 'Output' })
  })
  afterAll(() => Promise.all([unreal?.dispose(), embedded?.dispose()]))
  const read = async ({ hosted }: TestEditor) => {
    const [document] = await hosted.exportGraph(GRAPH, WHO)
    if (!document) throw new Error('no document')
    return { document, graph: fromDocument(document).graph }
  }

  it('opens in the built-in editor with its settings and wires, and comes back the same', async () => {
    const { document } = await read(unreal)
    const report = await embedded.hosted.importGraph([document], { path: null, replace: false }, WHO)
    expect(report.lost).toEqual([])
    const info = await embedded.call('tools', 'get_pcg_graph_info', at, WHO)
    const foreign = (info['nodes'] as { settings_class: string; node_name: string; input_pins: string[] }[]).find(
      ({ settings_class }) => settings_class === SPLINE_TO_PATH.name,
    )
    expect(foreign?.input_pins).toEqual(['Splines'])
    const { graph } = await read(embedded)
    const [wanted] = [(await read(unreal)).graph]
    const differs = diffGraphs(wanted, graph).changes.filter(({ kind }) => kind !== 'node renamed')
    expect(differs).toEqual([])
  })

  it('keeps its wires when another node is edited', async () => {
    const info = await embedded.call('tools', 'get_pcg_graph_info', at, WHO)
    const before = info['edges']
    const [first] = info['nodes'] as { node_name: string }[]
    const properties = { Seed: 7 }
    await embedded.call('tools', 'set_pcg_node_properties', { ...at, node_name: first?.node_name, properties }, WHO)
    expect((await embedded.call('tools', 'get_pcg_graph_info', at, WHO))['edges']).toEqual(before)
  })

  it('has a text form without loss, differs by its settings, and is linted', async () => {
    const { graph } = await read(unreal)
    const text = printText(graph)
    expect(text).toContain(SPLINE_TO_PATH.name)
    const { graph: again } = parseText(text)
    expect(diffGraphs(graph, again).changes).toEqual([])
    expect(printText(again)).toBe(text)
    const { graph: changed } = parseText(text.replace(': Tangent', ': Other'))
    expect(diffGraphs(graph, changed).changes).toMatchObject([{ kind: 'setting' }])
    expect(lintGraph(graph).filter(({ severity }) => severity === 'error')).toEqual([])
  })
})
