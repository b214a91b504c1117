// What happens around each call of a hosted editor: it is announced and measured, and admitted only where it may write.
import type { AuthoringName, ToolName } from '../catalog/index.ts'
import type { CallContext, EditorEvent, Toolset } from '../contract/index.ts'
import { reasonOf } from '../editor/activity-reason.ts'
import { type Editor, PcgError } from '../editor/editor.ts'
import type { WatchedTurns } from './before-turn.ts'
import { createLeases, type Leases, type Surface, writtenGraph } from './leases.ts'
import { refusal } from './toolset.ts'

/** Where the editor simulates, they change nothing and hold up no edit. */
export const SIMULATED: ReadonlySet<string> = new Set<AuthoringName>([
  'ab_test_pcg_graph',
  'sweep_pcg_graph',
  'show_pcg_turn',
])

/** An agent that polls gets its answer when the generation ends, or after this time: it needs fewer calls. */
const MOST_HELD_MS = 50
const POLLS: ReadonlySet<string> = new Set<ToolName>(['get_pcg_component_info', 'get_pcg_generated_data'])
/** Before the call takes its place in the queue, so that it holds up nothing; undefined: nothing to wait for. */
function held(
  { settled }: Editor,
  tool: string,
  args: unknown,
  { source, signal }: CallContext,
): Promise<void> | undefined {
  const actor = typeof args === 'object' && args !== null && 'actor_name' in args ? args.actor_name : undefined
  if (source !== 'mcp' || !settled || typeof actor !== 'string' || !POLLS.has(tool)) return undefined
  return endOrTime(settled(actor), signal)
}

/** The call itself reports an actor that does not exist, and that it was cancelled. */
async function endOrTime(ended: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, MOST_HELD_MS)
  signal?.addEventListener('abort', resolve, { once: true })
  ended.then(resolve, resolve)
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', resolve)
}

export type Seen = { latencyMs: number | null; lastSeenAt: string | null }
type Prepare = (tool: string, args: unknown, context: CallContext, surface: Surface) => Promise<void>
type Announcing = {
  readonly emit: (event: EditorEvent) => void
  readonly seen: Seen
  /** Runs before a call that may start. */
  readonly prepare: Prepare
  readonly surface: Surface
  /** Throws while no call can reach the editor. */
  readonly reach: () => unknown
  readonly editor: Editor
}

/** Announces each call that reaches the editor, and measures it. */
function announcedToolset(toolset: Toolset, { emit, seen, prepare, surface, reach, editor }: Announcing): Toolset {
  const call: Toolset['call'] = async (tool, args, context) => {
    const { actor, program, source, requestId, mayStart } = context
    try {
      reach()
    } catch (error) {
      return refusal(error)
    }
    const wait = held(editor, tool, args, context)
    if (wait) await wait
    const started = performance.now()
    if (requestId !== undefined) emit({ type: 'call.started', requestId, tool, actor, program, source })
    const answer = await toolset.call(tool, args, {
      ...context,
      async mayStart() {
        if (mayStart && !(await mayStart())) return false
        await prepare(tool, args, context, surface)
        return true
      },
    })
    const durationMs = Math.round(performance.now() - started)
    if (answer.ok) {
      seen.latencyMs = seen.latencyMs === null ? durationMs : Math.round(seen.latencyMs * 0.7 + durationMs * 0.3)
      seen.lastSeenAt = new Date().toISOString()
    }
    if (requestId !== undefined) emit({ type: 'call.finished', requestId, ok: answer.ok, durationMs })
    return answer
  }
  return { ...toolset, call }
}

/** Before a call: whether the graph is free, how it is now, and whether the editor can take a call at all. */
export function createAdmission(
  editor: Editor,
  turns: WatchedTurns,
  emit: (event: EditorEvent) => void,
  seen: Seen,
): {
  readonly leases: Leases
  readonly announced: (toolset: Toolset, reach: () => unknown, surface?: Surface) => Toolset
} {
  const leases = createLeases({ clock: Date, monotonic: () => performance.now() }, (held) =>
    emit({ type: 'leases.changed', leases: held }),
  )
  const prepare: Prepare = async (tool, args, context, surface) => {
    const graph = editor.simulate && SIMULATED.has(tool) ? null : writtenGraph(tool, args)
    if (graph !== null) leases.enter(graph, context, surface)
    if (context.source === 'mcp') await turns.enter(tool, args, context)
  }
  const announced = (toolset: Toolset, reach: () => unknown, surface: Surface = 'tools') =>
    announcedToolset(toolset, {
      emit,
      seen,
      prepare,
      surface,
      editor,
      reach() {
        reach()
        // It would only wait for a person; a call that runs already goes on after the answer.
        const { activity } = editor.state()
        if (activity?.is === 'dialog') throw new PcgError('EDITOR_BUSY', `${reasonOf(activity)}, then call again`)
      },
    })
  return { leases, announced }
}
