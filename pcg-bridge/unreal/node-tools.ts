// Nodes and their settings in a real editor: the editor shows what a node has, the catalogue gives names and ranges.
import { z } from 'zod'
import type { Input } from '../catalog/index.ts'
import { COMMON_PROPERTIES } from '../catalog/node-types.ts'
import type { CallContext } from '../contract/index.ts'
import { type NodeToolName, PcgError, type SettingsToolName, type Tools } from '../editor/editor.ts'
import { classesByName, embedsItself, findProperty, merge, nodeType, unknownClass } from '../editor/settings.ts'
import { graphPath } from './asset-path.ts'
import { TypesShown } from './graph-tools.ts'
import {
  catalogType,
  type EditorSession,
  GraphShown,
  NodeShown,
  nodeNamed,
  readGraph,
  SaveShown,
  titleOf,
} from './session.ts'
import { Shapes, viewOf } from './shapes.ts'
import { changedValues, edgeStep, removalStep, type Step } from './undo.ts'

const Added = z.object({ node: NodeShown, count: z.number(), ...SaveShown })
const SubgraphAdded = Added.extend({ set: z.boolean() })
const Removed = z.object({
  name: z.string(),
  removed: z.boolean(),
  count: z.number(),
  /** Under which the editor holds the removed node. */
  held: z.number().nullable(),
  ...SaveShown,
})
const NodeRead = z.object({
  name: z.string(),
  class: z.string(),
  graph: z.string(),
  path: z.string(),
  properties: Shapes,
})
const NodeWritten = NodeRead.extend(SaveShown)

type ClassShown = z.output<typeof TypesShown>[number]

const IMPLICIT = ['input', 'output', 'defaultinputnode', 'defaultoutputnode']

function view(node: z.output<typeof NodeRead>) {
  return viewOf(node.properties, { ...catalogType(node.class)?.properties, ...COMMON_PROPERTIES })
}

/** Finds a class as the running editor lists them. */
function classLookup(session: EditorSession): (given: string, signal?: AbortSignal) => Promise<string> {
  let listed: { readonly of: number | undefined; readonly find: (given: string) => ClassShown | undefined } | null =
    null
  const nameOf = (given: string) => {
    const found = listed?.find(given)
    return found?.path.startsWith('/Script/') ? found.name : found?.path
  }
  return async (given, signal) => {
    const { identity } = session.connection.state()
    const known = listed?.of === identity?.pid ? nameOf(given) : undefined
    if (known !== undefined) return known
    // Native classes come with a start of the editor, Blueprints at any time.
    listed = { of: identity?.pid, find: classesByName(await session.ask('list_types', {}, TypesShown, signal)) }
    // A renamed class is not listed; the editor still makes it under its old name.
    const found = nameOf(given) ?? nodeType(given)?.name
    if (found === undefined) throw unknownClass(given)
    return found
  }
}

async function refuseRecursion(
  session: EditorSession,
  host: GraphShown,
  inner: string,
  signal?: AbortSignal,
): Promise<void> {
  const seen = new Set<string>()
  const open = [graphPath(inner)]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path.toLowerCase() === host.path.toLowerCase()) throw embedsItself(host.path, inner)
    if (seen.has(path.toLowerCase())) continue
    seen.add(path.toLowerCase())
    const { nodes } = await session.ask('read_graph', { graph: path }, GraphShown, signal)
    open.push(...nodes.flatMap((node) => (node.subgraph === null ? [] : [node.subgraph])))
  }
}

async function read(
  session: EditorSession,
  given: { pcg_graph_path: string; node_name: string },
  signal?: AbortSignal,
) {
  const graph = await readGraph(session, given.pcg_graph_path, signal)
  const node = nodeNamed(graph, given.node_name)?.name ?? given.node_name
  return { graph, node: await session.ask('read_node', { graph: graph.path, node }, NodeRead, signal) }
}

/** The node first, then the edges it had. */
function restoreSteps(graph: GraphShown, { name, held }: z.output<typeof Removed>): Step[] {
  const node = graph.nodes.find((item) => item.name === name)
  const edges = graph.edges.filter(([from, , to]) => from === name || to === name)
  const step: Step = {
    op: 'restore_node',
    graph: graph.path,
    node: name,
    args: { graph: graph.path, node: name, held },
    call: { tool: 'add_pcg_node', args: { pcg_graph_path: graph.path, node_type: node?.class ?? '' } },
  }
  return [step, ...edges.map((edge) => edgeStep(graph.path, edge, true))]
}

type NodeShape = z.output<typeof NodeRead>
function writeStep(before: NodeShape, after: NodeShape): Step[] {
  const [had, has] = [view(before), view(after)]
  const values = changedValues(had.values, has.values)
  const { path: graph, name: node } = after
  return [
    {
      op: 'write_node',
      graph,
      node,
      values,
      args: { graph, node, values: has.changes(values.before) },
      call: {
        tool: 'set_pcg_node_properties',
        args: { pcg_graph_path: graph, node_name: node, properties: values.before },
      },
    },
  ]
}

export function nodeTools(session: EditorSession): Pick<Tools, NodeToolName> {
  const classNamed = classLookup(session)
  return {
    async add_pcg_node(input, context) {
      const graph = graphPath(input.pcg_graph_path)
      // The graph first: a wrong path is reported before a wrong class.
      const { path, name } = await readGraph(session, graph, context.signal)
      const added = await session.ask(
        'add_node',
        { graph: path, class: await classNamed(input.node_type, context.signal) },
        Added,
      )
      session.record('add_pcg_node', input, context, { graph: path }, [removalStep(path, added.node.name)])
      return {
        graph_name: name,
        asset_path: path,
        node_title: titleOf(added.node),
        node_name: added.node.name,
        settings_class: added.node.class,
        node_count: added.count,
        saved: added.saved,
        save_error: added.save_error,
      }
    },

    async remove_pcg_node(input, context) {
      const graph = await readGraph(session, input.pcg_graph_path, context.signal)
      const wanted = input.node_name.trim().toLowerCase()
      const ends = [graph.input?.name.toLowerCase(), graph.output?.name.toLowerCase()]
      if (IMPLICIT.includes(wanted) || ends.includes(wanted))
        throw new PcgError('IMPLICIT_NODE', 'Input/Output nodes cannot be removed')
      const gone = await session.ask('remove_node', { graph: graph.path, node: input.node_name }, Removed)
      if (gone.removed)
        session.record('remove_pcg_node', input, context, { graph: graph.path }, restoreSteps(graph, gone))
      return {
        graph_name: graph.name,
        asset_path: graph.path,
        node_name: gone.name,
        removed: gone.removed,
        already_removed: !gone.removed,
        node_count: gone.count,
        saved: gone.saved,
        save_error: gone.save_error,
      }
    },

    async add_pcg_subgraph_node(input, context) {
      const graph = await readGraph(session, input.pcg_graph_path, context.signal)
      const inner = await readGraph(session, input.subgraph_path, context.signal)
      await refuseRecursion(session, graph, inner.path, context.signal)
      const added = await session.ask('add_subgraph', { graph: graph.path, subgraph: inner.path }, SubgraphAdded)
      session.record('add_pcg_subgraph_node', input, context, { graph: graph.path }, [
        removalStep(graph.path, added.node.name),
      ])
      return {
        graph_name: graph.name,
        asset_path: graph.path,
        node_name: added.node.name,
        node_title: titleOf(added.node),
        subgraph_path: inner.path,
        subgraph_set: added.set,
        node_count: added.count,
        saved: added.saved,
      }
    },
  }
}

type Read = Awaited<ReturnType<typeof read>>

/** A class is written first: the fields that are given beside it are those of the object it makes. */
async function withClasses(
  session: EditorSession,
  given: Read,
  input: Input<'set_pcg_node_properties'>,
  context: CallContext,
): Promise<Read> {
  const shown = view(given.node)
  const chosen = Object.entries(input.properties).filter(([name]) => {
    const found = findProperty(shown.rules, name)
    return found !== undefined && shown.classes.has(found)
  })
  if (chosen.length === 0 || chosen.length === Object.keys(input.properties).length) return given
  const { stored } = merge(shown.rules, given.node.class, shown.values, Object.fromEntries(chosen))
  const values = shown.changes(stored)
  if (Object.keys(values).length === 0) return given
  const { path, name } = given.node
  const node = await session.ask('write_node', { graph: path, node: name, values }, NodeWritten)
  session.record('set_pcg_node_properties', input, context, { graph: path }, writeStep(given.node, node))
  return { graph: given.graph, node }
}

export function settingsTools(session: EditorSession): Pick<Tools, SettingsToolName> {
  return {
    async get_pcg_node_properties(input, context) {
      const { node } = await read(session, input, context.signal)
      return {
        graph_name: node.graph,
        asset_path: node.path,
        node_name: node.name,
        settings_class: node.class,
        properties: { ...view(node).values },
      }
    },

    async set_pcg_node_properties(input, context) {
      const first = await read(session, input, context.signal)
      const { graph, node } = await withClasses(session, first, input, context)
      const shown = view(node)
      const { stored, applied } = merge(shown.rules, node.class, shown.values, input.properties)
      const values = shown.changes(stored)
      const inner = stored['SubgraphOverride']
      if ('subgraph_override' in values && typeof inner === 'string')
        await refuseRecursion(session, graph, graphPath(inner), context.signal)
      const identity = {
        graph_name: node.graph,
        asset_path: node.path,
        node_name: node.name,
        settings_class: node.class,
        applied_keys: [...applied],
      }
      if (Object.keys(values).length === 0)
        return { ...identity, properties: { ...shown.values }, saved: false, save_error: null }
      const written = await session.ask('write_node', { graph: node.path, node: node.name, values }, NodeWritten)
      session.record('set_pcg_node_properties', input, context, { graph: node.path }, writeStep(node, written))
      return {
        ...identity,
        properties: { ...view(written).values },
        saved: written.saved,
        save_error: written.save_error,
      }
    },
  }
}
