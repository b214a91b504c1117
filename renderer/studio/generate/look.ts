// Reads the state of a component with several tools: the flag `generated` alone proves nothing.

import { plural, t } from '../../language/language.ts'
import { callTool, look as inspect } from '../editor/calls.ts'
import type { Look } from './machine.ts'

/** `reports`: whether the editor reports its generations. */
export async function lookAt(editor: string, actor: string, reports: boolean): Promise<Look> {
  const args = { actor_name: actor }
  const component = await callTool(editor, 'get_pcg_component_info', args)
  const report = reports ? await inspect(editor, 'get_pcg_generation_report', args) : null
  const generating = component.is_generating || report?.state === 'generating'
  const seen = {
    generating,
    generated: component.generated,
    state: report?.state ?? null,
    stale: report?.stale ?? false,
  }
  if (generating || !component.generated)
    return {
      ...seen,
      amount: 0,
      error: report?.error ?? null,
      note: component.has_component ? '' : t('No PCG component'),
    }
  const [output, { actors }] = await Promise.all([
    callTool(editor, 'get_pcg_generated_data', args),
    inspect(editor, 'list_pcg_actors', {}),
  ])
  const spawned = actors.find(({ actor_name }) => actor_name === component.actor_name)?.spawned ?? []
  const instances = spawned.reduce((sum, item) => sum + item.instances, 0)
  // Without a report, only the count of data is known.
  const points =
    report && component.graph_path !== null && report.nodes.length > 0
      ? await pointsAtOutput(editor, component.graph_path, report.nodes)
      : null
  const amount = points ?? output.output_data_count
  return {
    ...seen,
    amount: amount + instances,
    error: report?.error ?? null,
    note: forPeople(output.note) ?? summary(amount, points === null ? 'data' : 'points', instances),
  }
}

/** The note of a tool names tools, for agents; a person has buttons for them. */
export const forPeople = (note: string | undefined): string | undefined =>
  note
    ?.replace(/: explain_pcg_component says why\.?/g, `. ${t('“Why is there nothing?” in Problems finds the cause.')}`)
    .replace(/^Scheduled\. Poll get_pcg_component_info until is_generating is false\.?/, t('Generating…'))

type NodeReports = readonly { readonly graph: string; readonly node_name: string; readonly points: number }[]

async function pointsAtOutput(editor: string, graph: string, nodes: NodeReports): Promise<number> {
  const { edges, output_node_name, asset_path } = await callTool(editor, 'get_pcg_graph_info', {
    pcg_graph_path: graph,
  })
  const ends = new Set(edges.flatMap(({ from_node, to_node }) => (to_node === output_node_name ? [from_node] : [])))
  return nodes
    .filter((node) => node.graph === asset_path && ends.has(node.node_name))
    .reduce((sum, node) => sum + node.points, 0)
}

function summary(amount: number, of: 'points' | 'data', instances: number): string {
  return [
    amount > 0 &&
      (of === 'points' ? plural(amount, '{count} point', '{count} points') : t('{count} data', { count: amount })),
    instances > 0 && plural(instances, '{count} instance', '{count} instances'),
  ]
    .filter(Boolean)
    .join(', ')
}
