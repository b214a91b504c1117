// What the tools of a real editor share: checked answers, graph snapshots, the journal of edits, events.
import { z } from 'zod'
import { titleOfClass } from '../catalog/node-type.ts'
import { NODE_TYPES, type NodeType } from '../catalog/node-types.ts'
import type { CallContext, Change, EditorEvent, HostedEditor } from '../contract/index.ts'
import { changeOf, newest } from '../editor/changes.ts'
import { PcgError } from '../editor/editor.ts'
import { createTurns } from '../editor/turns.ts'
import { graphPath } from './asset-path.ts'
import type { Json } from './bounded-json.ts'
import type { Connection } from './connection.ts'
import type { TurnOf } from './program.ts'
import type { Toolset } from './toolset.ts'
import type { Step } from './undo.ts'

const KEPT_CHANGES = 1000
/** While a transaction is open a person cannot undo in the editor: a pause ends it, and what follows is another. */
const AGENT_IDLE_S = 20
const BATCH_IDLE_S = 2

export const NodeShown = z.object({
  name: z.string(),
  title: z.string(),
  class: z.string(),
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  position: z.array(z.number()),
  subgraph: z.string().nullable(),
})
export type NodeShown = z.output<typeof NodeShown>
export const GraphShown = z.object({
  name: z.string(),
  path: z.string(),
  input: NodeShown.nullable(),
  output: NodeShown.nullable(),
  nodes: z.array(NodeShown),
  /** From node, from pin, to node, to pin. */
  edges: z.array(z.tuple([z.string(), z.string(), z.string(), z.string()])),
})
export type GraphShown = z.output<typeof GraphShown>
export const SaveShown = { saved: z.boolean(), save_error: z.string().nullable() }

export type EditorSession = {
  readonly connection: Connection
  /** Unreal's own tools, for what Python cannot do. */
  readonly toolset: Toolset
  /** Actors whose nodes were looked at: the editor records their data in the runs of its own tool. */
  readonly inspected: Set<string>
  /** One operation of the program in the editor, its answer checked. */
  ask<T>(op: string, args: Json, answer: z.ZodType<T>, signal?: AbortSignal): Promise<T>
  emit(event: EditorEvent): void
  /** The edits of this work are those of the caller: in the editor they are one transaction with the rest of its turn. */
  as<T>(context: CallContext, work: () => Promise<T>): Promise<T>
  readonly history: HostedEditor['history']
  /** Records an edit that took effect, with the steps that lead back, and emits its event. */
  record(
    tool: string,
    args: Json,
    context: CallContext,
    target: { readonly graph: string } | 'level',
    back?: readonly Step[],
  ): void
  changes(): readonly Change[]
  stepsBack(changeId: number): readonly Step[]
  undone(ids: readonly number[]): void
}

export function createSession(
  connection: Connection,
  toolset: Toolset,
  emit: (event: EditorEvent) => void,
): EditorSession {
  const changes: Change[] = []
  const steps = new Map<number, readonly Step[]>()
  const turns = createTurns(() => performance.now())
  let serial = 0
  let turn: TurnOf | null = null
  return {
    connection,
    toolset,
    inspected: new Set(),
    emit,
    history: ({ graph, ...rest }) => newest(changes, graph === undefined ? rest : { ...rest, graph: graphPath(graph) }),
    async ask(op, args, answer, signal) {
      const given = await connection.call(op, args, signal, turn)
      const checked = answer.safeParse(given)
      if (checked.success) return checked.data
      const issue = checked.error.issues[0]
      throw new PcgError(
        'EDITOR_ERROR',
        `The editor answered ${op} in a form that is not known (${issue?.path.join('.')}: ${issue?.message})`,
      )
    },
    async as(context, work) {
      const id = turns.batchOf(context, serial + 1)
      const title = context.label ?? `edits of ${context.program ?? context.actor}`
      const idle = context.source === 'mcp' ? AGENT_IDLE_S : BATCH_IDLE_S
      const before = turn
      turn = id === null ? null : { id, title: title.slice(0, 120), idle }
      try {
        return await work()
      } finally {
        turn = before
      }
    },
    changes: () => changes,
    stepsBack: (id) => steps.get(id) ?? [],
    undone(ids) {
      for (const [at, change] of changes.entries())
        if (ids.includes(change.id)) changes[at] = { ...change, undone: true }
    },
    record(tool, args, context, target, back = []) {
      serial += 1
      const graph = target === 'level' ? null : target.graph
      const change = changeOf({ id: serial, tool, args, graph, undoable: back.length > 0 }, context, turns, Date.now())
      changes.push(change)
      if (back.length > 0) steps.set(serial, back)
      const dropped = changes.length > KEPT_CHANGES ? changes.shift() : undefined
      if (dropped) steps.delete(dropped.id)
      context.onChange?.(change)
      emit(graph === null ? { type: 'level.changed' } : { type: 'graph.changed', graph, change })
    },
  }
}

export function readGraph(session: EditorSession, given: string, signal?: AbortSignal): Promise<GraphShown> {
  return session.ask('read_graph', { graph: graphPath(given) }, GraphShown, signal)
}

const BY_NAME = new Map(NODE_TYPES.map((type) => [type.name, type]))
export function catalogType(className: string): NodeType | undefined {
  return BY_NAME.get(className)
}

export function titleOf(node: NodeShown): string {
  return node.title || (catalogType(node.class)?.title ?? titleOfClass(node.class))
}

/** A node by its token or name; null if the graph has none. */
export function nodeNamed(graph: GraphShown, given: string): NodeShown | null {
  const wanted = given.toLowerCase()
  if (wanted === 'input') return graph.input
  if (wanted === 'output') return graph.output
  const all = [graph.input, graph.output, ...graph.nodes]
  return all.find((node) => node?.name.toLowerCase() === wanted) ?? null
}
