// Commands that collapse the selection to a subgraph and expand a subgraph.
import { ApiError } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { notifyError } from '../../ui/notify.ts'
import { callTool } from '../editor/calls.ts'
import { graphView } from '../model/graph.ts'
import { collapsing, expanding } from '../model/subgraph.ts'
import { type Bench, graphNodeOf } from './bench.ts'
import { choosing } from './chosen.ts'
import { chosenClip, clipFor } from './edit-commands.ts'
import { flowNodes } from './flow.ts'

export function toSubgraph(bench: Bench): void {
  const choose = choosing()
  let made: readonly string[] = []
  const done = bench.perform(async (at, chosen) => {
    const clip = await chosenClip(bench.editor, at, chosen)
    if (clip.nodes.length === 0) return undefined
    return collapsing(at.view, clip, (names) => {
      made = names
    })
  })
  void done.then((is) => is && choose(made))
}

export function fromSubgraph(bench: Bench): void {
  const choose = choosing()
  let made: readonly string[] = []
  const done = bench.perform(async (at, { nodes }) => {
    const [name = ''] = nodes
    const node = at.view.nodes.get(name)
    if (!node) return undefined
    const { editor } = bench
    const args = { pcg_graph_path: at.view.path, node_name: name }
    const { properties } = await callTool(editor, 'get_pcg_node_properties', args)
    const path = properties['SubgraphOverride']
    if (typeof path !== 'string' || path === '') return refused(t('The selected node is not a subgraph.'))
    const of = { pcg_graph_path: path }
    const { parameters } = await callTool(editor, 'get_pcg_graph_parameters', of)
    if (parameters.length > 0) return refused(t('A subgraph with parameters cannot be expanded: its nodes read them.'))
    const view = graphView(await callTool(editor, 'get_pcg_graph_info', of))
    const layout = await api.pcg.layout({ params: { name: editor }, query: { graph: path } })
    const inner = { view, layout, nodes: flowNodes(view, layout, []) }
    const clip = await clipFor(editor, inner, view.nodes.keys(), [])
    const place = graphNodeOf(at, name)?.position ?? { x: 0, y: 0 }
    return expanding(at.view, name, { view, clip }, place, (names) => {
      made = names
    })
  })
  void done.then((is) => is && choose(made))
}

function refused(message: string): undefined {
  notifyError(new ApiError(409, { code: 'INVALID_ARGUMENT', message, request_id: '' }))
}
