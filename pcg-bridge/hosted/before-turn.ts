// A graph as it was before an agent's turn: read by the call that begins the turn, in its own place in the queue.
import { AUTHORING, CATALOG } from '../catalog/index.ts'
import type { CallContext } from '../contract/index.ts'
import type { Captured, Editor } from '../editor/editor.ts'
import { createTurns } from '../editor/turns.ts'
import { describeGraph, type GraphState } from './snapshot.ts'

/** A turn waits at most this long: a real editor with a large graph goes on without a version. */
const MOST_MS = 3000
const MOST_TURNS = 50

export type BeforeTurn = { readonly actor: string; readonly graph: string; readonly state: GraphState }
export type TurnStart = Pick<BeforeTurn, 'graph' | 'state'> & {
  /** The newest change before it. */
  readonly since: number
  /** Of each actor, where the editor cannot simulate the graph of that time later. */
  readonly instances: ReadonlyMap<string, number>
  /** Of the level, from the camera of the viewport. */
  readonly captured: Captured
}
/** Tools that may edit: a call of any other starts no turn. */
const EDITS = new Set(
  Object.entries({ ...CATALOG, ...AUTHORING }).flatMap(([name, { effect }]) => (effect === 'read' ? [] : [name])),
)
type Caller = Pick<CallContext, 'actor' | 'program'>
export type WatchedTurns = {
  /** Before a call that may edit. */
  enter(tool: string, args: unknown, context: CallContext): Promise<void>
  /** The caller's turn on this graph; without one, on the graph edited last. */
  startOf(caller: Caller, graph: string | undefined): TurnStart | undefined
}

/** Not per session: an agent edits at `/mcp/pcg` and reviews at `/mcp/pcg-author`, which are two sessions. */
const callerKey = ({ actor, program }: Caller): string => `${[actor, program].join('\n')}\n`
/** One spelling of a path: without the asset suffix. */
const bare = (graph: string): string => graph.replace(/\.[^./]*$/, '').toLowerCase()

export async function instancesOf({ inspection }: Editor): Promise<ReadonlyMap<string, number>> {
  const { actors } = (await inspection.list_pcg_actors?.({})) ?? { actors: [] }
  return new Map(
    actors.map(({ actor_name, spawned }) => [actor_name, spawned.reduce((sum, item) => sum + item.instances, 0)]),
  )
}

/** Why there is no picture, where a call fails. */
export async function capturedOf(editor: Editor, ...[view, signal]: Parameters<NonNullable<Editor['capture']>>) {
  const none = (error: unknown): Captured => ({ reason: error instanceof Error ? error.message : String(error) })
  return (await editor.capture?.(view, signal).catch(none)) ?? none('this editor draws none')
}

async function startOf(editor: Editor, given: string): Promise<TurnStart> {
  const signal = AbortSignal.timeout(MOST_MS)
  const since = editor.history({ limit: 1 })[0]?.id ?? 0
  const described = await describeGraph(editor, given, signal)
  if (editor.simulate)
    return { ...described, since, instances: new Map(), captured: { reason: 'both versions are run' } }
  const instances = await instancesOf(editor).catch(() => new Map())
  return { ...described, since, instances, captured: await capturedOf(editor, null, signal) }
}

export function watchTurns(editor: Editor, listener: (before: BeforeTurn) => void): WatchedTurns {
  const turns = createTurns(() => performance.now())
  const starts = new Map<string, TurnStart>()
  let last = 0

  return {
    async enter(tool, args, context) {
      if (!EDITS.has(tool)) return
      const given =
        typeof args === 'object' && args !== null && 'pcg_graph_path' in args ? args.pcg_graph_path : undefined
      if (typeof given !== 'string') return
      last += 1
      const id = String(last)
      const key = callerKey(context) + bare(given)
      const begins = turns.enter(key, id) === id
      const before = starts.get(key)
      // The first in the map is always the one that has been silent longest.
      starts.delete(key)
      if (!begins && before) {
        starts.set(key, before)
        return
      }
      try {
        const start = await startOf(editor, given)
        starts.set(key, start)
        const [oldest] = starts.keys()
        if (starts.size > MOST_TURNS && oldest !== undefined) starts.delete(oldest)
        const { graph, state } = start
        // A graph that was just created has no earlier version.
        if (begins && Object.keys(state.nodes).length > 0)
          listener({ actor: context.program ?? context.actor, graph, state })
      } catch {
        // The edit itself reports what is wrong; a version is optional.
      }
    },
    startOf(caller, graph) {
      const own = callerKey(caller)
      if (graph !== undefined) return starts.get(own + bare(graph))
      return [...starts].findLast(([key]) => key.startsWith(own))?.[1]
    },
  }
}
