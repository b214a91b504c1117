// Takes changes of a real editor back: the steps that lead back, in one transaction of the editor, and never over what others changed since.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { COMMON_PROPERTIES } from '../catalog/node-types.ts'
import type { CallContext, Change, NamedCall, UndoResult, UndoSelection } from '../contract/index.ts'
import { COMPONENT_PROPERTIES } from '../editor/component.ts'
import { PcgError } from '../editor/editor.ts'
import type { Settings } from '../editor/settings.ts'
import type { Json } from './bounded-json.ts'
import { catalogType, type EditorSession, type GraphShown, readGraph } from './session.ts'
import { Shapes, viewOf } from './shapes.ts'

type Edge = GraphShown['edges'][number]
/** One step back, as the program in the editor does it and as a tool call for a reader. */
export type Step = { readonly args: Json; readonly call: NamedCall } & (
  | { readonly op: 'set_edge'; readonly graph: string; readonly edge: Edge; readonly connect: boolean }
  | { readonly op: 'remove_node' | 'restore_node'; readonly graph: string; readonly node: string }
  | { readonly op: 'write_node'; readonly graph: string; readonly node: string; readonly values: Values }
  | { readonly op: 'write_parameter'; readonly graph: string; readonly name: string; readonly values: Values }
  | { readonly op: 'write_component'; readonly actor: string; readonly values: Values }
  | { readonly op: 'destroy_actor'; readonly actor: string }
)
/** What the change wrote, and what was there before. */
type Values = { readonly wrote: Settings; readonly before: Settings }

export function changedValues(before: Settings, after: Settings): Values {
  const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]))
  const pick = (from: Settings) => Object.fromEntries(names.map((name) => [name, from[name] ?? null]))
  return { wrote: pick(after), before: pick(before) }
}

export function edgeStep(graph: string, edge: Edge, connect: boolean): Step {
  const [from, from_pin, to, to_pin] = edge
  return {
    op: 'set_edge',
    graph,
    edge,
    connect,
    args: { graph, from, from_pin, to, to_pin, connect },
    call: {
      tool: connect ? 'connect_pcg_nodes' : 'disconnect_pcg_nodes',
      args: { pcg_graph_path: graph, from_node: from, from_pin, to_node: to, to_pin },
    },
  }
}

export function removalStep(graph: string, node: string): Step {
  const call = { tool: 'remove_pcg_node', args: { pcg_graph_path: graph, node_name: node } }
  return { op: 'remove_node', graph, node, args: { graph, node }, call }
}

const Reverted = z.object({ applied: z.number(), failure: z.string().nullable(), save_error: z.string().nullable() })
const NodeNow = z.object({ class: z.string(), properties: Shapes })
const ActorNow = z.object({ component: z.object({ graph: z.string().nullable(), properties: Shapes }).nullable() })
const ParametersNow = z.object({ parameters: z.array(z.object({ name: z.string(), value: z.unknown() })) })

type Model = { readonly nodes: Set<string>; edges: Edge[] }
const sameEdge = (a: Edge, b: Edge) => a.every((part, at) => part === b[at])
const shown = ([from, fromPin, to, toPin]: Edge) => `${from}.${fromPin} → ${to}.${toPin}`

/** Walks the steps over the state the editor shows now; returns the reason against the first step that is not possible any more. */
function createCheck(session: EditorSession) {
  const graphs = new Map<string, Model>()
  const values = new Map<string, Record<string, unknown>>()

  async function modelOf(path: string): Promise<Model> {
    const known = graphs.get(path)
    if (known) return known
    const read = await readGraph(session, path)
    const names = [read.input, read.output, ...read.nodes].flatMap((node) => (node ? [node.name] : []))
    const model = { nodes: new Set(names), edges: [...read.edges] }
    graphs.set(path, model)
    return model
  }

  async function readValues(step: Extract<Step, { values: Values }>): Promise<Settings> {
    if (step.op === 'write_node') {
      const read = await session.ask('read_node', { graph: step.graph, node: step.node }, NodeNow)
      return viewOf(read.properties, { ...catalogType(read.class)?.properties, ...COMMON_PROPERTIES }).values
    }
    if (step.op === 'write_parameter') {
      const { parameters } = await session.ask('read_parameters', { graph: step.graph }, ParametersNow)
      return Object.fromEntries(parameters.map(({ name, value }) => [name, value]))
    }
    const { component } = await session.ask('read_actor', { actor: step.actor }, ActorNow)
    return component ? { ...viewOf(component.properties, COMPONENT_PROPERTIES).values, Graph: component.graph } : {}
  }

  async function checkValues(step: Extract<Step, { values: Values }>): Promise<string | null> {
    const where = step.op === 'write_component' ? step.actor : step.op === 'write_node' ? step.node : step.graph
    const key = `${step.op}\n${'graph' in step ? step.graph : ''}\n${where}`
    const now = values.get(key) ?? { ...(await readValues(step)) }
    values.set(key, now)
    const other = Object.keys(step.values.wrote).find((name) => !isDeepStrictEqual(now[name], step.values.wrote[name]))
    Object.assign(now, step.values.before)
    return other === undefined ? null : `${other} of ${where} was changed since`
  }

  async function checkGraph(step: Extract<Step, { graph: string }>): Promise<string | null> {
    const model = await modelOf(step.graph)
    if (step.op === 'set_edge') {
      const exists = model.edges.some((edge) => sameEdge(edge, step.edge))
      if (exists === step.connect) return `the edge ${shown(step.edge)} was changed since`
      if (!step.connect) {
        model.edges = model.edges.filter((edge) => !sameEdge(edge, step.edge))
        return null
      }
      const [from, , to] = step.edge
      const gone = [from, to].find((name) => !model.nodes.has(name))
      model.edges.push(step.edge)
      return gone === undefined ? null : `${gone} is gone`
    }
    if (step.op === 'restore_node') {
      model.nodes.add(step.node)
      return null
    }
    if (step.op === 'write_parameter') return null
    if (!model.nodes.has(step.node)) return `${step.node} is gone`
    if (step.op === 'write_node') return null
    const edge = model.edges.find(([from, , to]) => from === step.node || to === step.node)
    model.nodes.delete(step.node)
    return edge ? `the edge ${shown(edge)} was made since` : null
  }

  return async (step: Step): Promise<string | null> =>
    ('graph' in step ? await checkGraph(step) : null) ?? ('values' in step ? await checkValues(step) : null)
}

export async function undo(
  session: EditorSession,
  selection: UndoSelection,
  context: CallContext,
  dryRun: boolean,
): Promise<UndoResult> {
  const standing = session.changes().filter(({ undone }) => !undone)
  const last = 'author' in selection && standing.findLast((one) => one.actor === selection.author && one.undoable)
  const chosen =
    'author' in selection
      ? last
        ? [last]
        : []
      : standing.filter((one: Change) =>
          'batchId' in selection ? one.batchId === selection.batchId : one.id === selection.changeId,
        )
  const [first] = chosen
  if (!first) throw new PcgError('INVALID_ARGUMENT', 'There is no such change to undo')
  const undoable = chosen.filter((one) => one.undoable).reverse()
  if (undoable.length === 0) throw new PcgError('INVALID_ARGUMENT', `${first.tool} cannot be undone`)
  const steps = undoable.flatMap((one) => session.stepsBack(one.id))
  const calls = steps.map(({ call }) => call)
  const check = createCheck(session)
  for (const [index, step] of steps.entries()) {
    const reason = await check(step)
    if (reason !== null) return { calls, applied: 0, failed: { index, message: `Nothing was undone: ${reason}` } }
  }
  if (dryRun) return { calls, applied: 0, failed: null }
  const title = first.label ?? (chosen.length > 1 ? `undo ${chosen.length} edits` : `undo ${first.tool}`)
  const asked = { title, steps: steps.map(({ op, args }) => ({ op, args })) }
  const { applied, failure, save_error } = await session.ask('revert', asked, Reverted)
  if (failure === null) session.undone(undoable.map(({ id }) => id))
  const graphs = new Set(undoable.map(({ graph }) => graph))
  for (const graph of graphs) session.record('undo', { ...selection }, context, graph === null ? 'level' : { graph })
  if (failure === null && save_error === null) return { calls, applied, failed: null }
  const message =
    failure === null
      ? `Everything was undone but not saved: ${save_error}`
      : `${applied} of ${steps.length} steps were undone, then: ${failure}. Ctrl+Z in the editor takes them back as one`
  return { calls, applied, failed: { index: Math.min(applied, steps.length - 1), message } }
}
