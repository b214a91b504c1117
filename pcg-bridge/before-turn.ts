// A graph as it stood before an agent's turn: read by the call that begins the turn, in its own place in the queue.
import type { PcgBridge } from './bridge.ts'
import { CATALOG } from './catalog/index.ts'
import { describeGraph, type GraphState } from './snapshot.ts'
import { createTurns } from './turns.ts'

/** What a turn may wait for it. A real editor with a large graph is not held up: then there is no such version. */
const MOST_MS = 3000

export type BeforeTurn = { readonly actor: string; readonly graph: string; readonly state: GraphState }
type Call = {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly actor: string
  readonly session: string | null
}

export function watchTurns(tell: (before: BeforeTurn) => void): (bridge: PcgBridge, call: Call) => Promise<void> {
  const turns = createTurns(Date.now)
  let last = 0
  return async (bridge, { tool, args, actor, session }) => {
    const graph = args['pcg_graph_path']
    const known = Object.entries(CATALOG).find(([name]) => name === tool)?.[1]
    if (typeof graph !== 'string' || !known || known.effect === 'read') return
    last += 1
    const id = String(last)
    if (turns.enter([actor, session, graph.toLowerCase()].join('\n'), id) !== id) return
    try {
      const { graph: path, state } = await describeGraph(bridge.editor, graph, AbortSignal.timeout(MOST_MS))
      // There is nothing to come back to in a graph that was just made.
      if (Object.keys(state.nodes).length > 0) tell({ actor, graph: path, state })
    } catch {
      // A version is a favour: the edit itself says what is wrong.
    }
  }
}
