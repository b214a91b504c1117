// Why is nothing generated? Checks that need no run, then the first empty node of the last run.
import type { InspectionOutput } from '../catalog/index.ts'
import type { ActorDoc, GraphDoc } from '../editor/document.ts'
import { INPUT_NODE, OUTPUT_NODE, pinsOf, reaches, subgraphPath } from '../editor/pins.ts'
import { effective, isRecord, nodeType } from '../editor/settings.ts'
import { boundsOf } from './bounds.ts'
import { graphOf, obstacleOf } from './component-tools.ts'
import { type FirstEmpty, firstEmpty, SPAWNERS } from './first-empty.ts'
import { executorOf } from './generation/nodes/index.ts'
import type { NodeReport } from './generation/plan.ts'
import type { Generations } from './generations.ts'
import type { EditorSession } from './session.ts'

type Finding = InspectionOutput<'explain_pcg_component'>['findings'][number]
type Severity = Finding['severity']

function finding(severity: Severity, code: string, message: string, node: string | null = null): Finding {
  return { severity, code, message, node_name: node }
}

function hasMeshes(properties: Readonly<Record<string, unknown>>): boolean {
  const parameters = properties['MeshSelectorParameters']
  if (!isRecord(parameters)) return false
  const entries = parameters['MeshEntries'] ?? parameters['mesh_entries']
  return (Array.isArray(entries) && entries.length > 0) || typeof parameters['AttributeName'] === 'string'
}

export function explainGraph(session: EditorSession, graph: GraphDoc): Finding[] {
  const found: Finding[] = []
  if (graph.nodes.length === 0) found.push(finding('error', 'EMPTY_GRAPH', 'The graph has no nodes.'))
  const spawns = graph.nodes.some((node) => SPAWNERS.includes(node.class))
  if (!spawns && !graph.edges.some((edge) => edge.to === OUTPUT_NODE))
    found.push(finding('error', 'NO_RESULT', 'Nothing is wired to Output and no node spawns: there is nothing to see.'))
  for (const node of graph.nodes) {
    const type = nodeType(node.class)
    const settings = effective(type, node.properties)
    const unwired = (pinsOf(graph, node.name, session.findGraph)?.inputs ?? []).filter(
      (pin) => pin.required && !graph.edges.some((edge) => edge.to === node.name && edge.toPin === pin.label),
    )
    for (const pin of unwired)
      found.push(
        finding('error', 'PIN_NOT_WIRED', `${node.name} needs ${pin.label}: nothing is wired there.`, node.name),
      )
    if (settings['bEnabled'] === false)
      found.push(finding('info', 'NODE_DISABLED', `${node.name} is disabled: data passes through it.`, node.name))
    if (!executorOf(node.class))
      found.push(
        finding(
          'warning',
          'NOT_EXECUTED',
          `${node.class} is not executed by this editor: data passes through.`,
          node.name,
        ),
      )
    if (node.class === 'PCGStaticMeshSpawnerSettings' && !hasMeshes(node.properties))
      found.push(
        finding(
          'warning',
          'NO_MESHES',
          `${node.name} has no mesh entries: set MeshSelectorParameters.MeshEntries.`,
          node.name,
        ),
      )
    const inner = subgraphPath(node)
    const embeddedGraph = inner === undefined ? undefined : session.findGraph(inner)
    const wired = graph.edges.some((edge) => edge.to === node.name)
    if (embeddedGraph && wired && !embeddedGraph.edges.some((edge) => edge.from === INPUT_NODE))
      found.push(
        finding(
          'warning',
          'INPUT_UNUSED',
          `${inner} does not use its input: what is wired into ${node.name} is ignored.`,
          node.name,
        ),
      )
    const useful =
      reaches(graph, node.name, OUTPUT_NODE) ||
      graph.nodes.some((other) => SPAWNERS.includes(other.class) && reaches(graph, node.name, other.name))
    if (!useful)
      found.push(finding('info', 'DEAD_END', `${node.name} leads neither to Output nor to a spawner.`, node.name))
  }
  return found
}

function sentenceOf({ node, inner, reason }: FirstEmpty): string {
  const where = inner === null ? node : `Inside ${node}, ${inner.node} of ${inner.graph}`
  return `${where} is the first node without output. ${reason}`
}

/** The name of a node that stands in the graph itself; one of an embedded graph cannot be shown there. */
const inRoot = (graph: { readonly path: string } | undefined, { graph: path, node }: NodeReport): string | null =>
  graph && path.toLowerCase() === graph.path.toLowerCase() ? node : null

export function explain(session: EditorSession, generations: Generations, actor: ActorDoc): Finding[] {
  const { component } = actor
  if (!component) return [finding('error', 'NO_COMPONENT', `${actor.name} has no PCG component: add one.`)]
  const found: Finding[] = []
  const reason = obstacleOf(session, component)
  if (reason !== null) found.push(finding('error', 'CANNOT_START', reason))
  if (boundsOf(actor).extent.some((size) => size <= 0))
    found.push(
      finding('error', 'NO_EXTENT', `${actor.name} has no extent: nothing can be inside. Spawn a volume with extent.`),
    )
  const graph = graphOf(session, component)
  if (graph) found.push(...explainGraph(session, graph.doc))
  const last = generations.last(actor.name)
  if (last.state === 'failed') found.push(finding('error', 'FAILED', last.error ?? 'The last generation failed.'))
  for (const report of last.reports)
    for (const error of report.errors)
      found.push(finding('error', 'NODE_ERROR', `${report.node}: ${error}`, inRoot(graph, report)))
  const empty =
    graph && generations.generated(actor.name).generated
      ? firstEmpty(session.findGraph, graph.path, last.reports)
      : null
  if (empty) found.push(finding('warning', 'FIRST_EMPTY_NODE', sentenceOf(empty), empty.node))
  if (generations.stale(actor))
    found.push(
      finding(
        'warning',
        'STALE',
        'The graph or the component changed since: clean up with remove_components, then generate.',
      ),
    )
  if (!generations.generated(actor.name).generated && last.state === 'never')
    found.push(finding('info', 'NOT_GENERATED', 'It has not been generated yet.'))
  return found
}
