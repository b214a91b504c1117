// A graph as it was before an agent's turn: read by the call that begins the turn, in its own place in the queue.
import { AUTHORING, CATALOG } from '../catalog/index.ts'
import type { CallContext } from '../contract/index.ts'
import type { Editor } from '../editor/editor.ts'
import { createTurns } from '../editor/turns.ts'
import { describeGraph, type GraphState } from './snapshot.ts'

/** A turn waits at most this long: a real editor with a large graph goes on without a version. */
const MOST_MS = 3000

export type BeforeTurn = { readonly actor: string; readonly graph: string; readonly state: GraphState }

export function watchTurns(
  editor: Editor,
  listener: (before: BeforeTurn) => void,
): (tool: string, args: unknown, context: CallContext) => Promise<void> {
  const turns = createTurns(Date.now)
  let last = 0
  return async (tool, args, { actor, program, session }) => {
    const known = Object.entries({ ...CATALOG, ...AUTHORING }).find(([name]) => name === tool)?.[1]
    if (!known || known.effect === 'read') return
    const given =
      typeof args === 'object' && args !== null && 'pcg_graph_path' in args ? args.pcg_graph_path : undefined
    if (typeof given !== 'string') return
    last += 1
    const id = String(last)
    if (turns.enter([actor, program, session, given.toLowerCase()].join('\n'), id) !== id) return
    try {
      const { graph, state } = await describeGraph(editor, given, AbortSignal.timeout(MOST_MS))
      // A graph that was just created has no earlier version.
      if (Object.keys(state.nodes).length > 0) listener({ actor: program ?? actor, graph, state })
    } catch {
      // The edit itself reports what is wrong; a version is optional.
    }
  }
}
