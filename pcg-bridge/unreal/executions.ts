// Generations with the editor's own tool (5.8): it records node data, ends with the run and answers what went wrong.
import { z } from 'zod'
import { isRecord } from './bounded-json.ts'
import type { EditorSession } from './session.ts'

/** A generation may take minutes; the editor answers when it is over. */
const EXECUTE_MS = 30 * 60_000
const Prepared = z.object({ actor: z.string(), volume: z.string().nullable(), task: z.number(), empty: z.boolean() })

export type Executions = {
  /** Null where the editor's own tool is not to be used: no node was inspected, or the actor is no volume. */
  start(actor: string): Promise<{ readonly task: number; readonly empty: boolean } | null>
  running(actor: string): boolean
}

function textOf(issue: unknown): string {
  const text = isRecord(issue) ? (issue['message'] ?? issue['text']) : issue
  return typeof text === 'string' ? text : JSON.stringify(issue)
}

export function createExecutions(session: EditorSession): Executions {
  const running = new Set<string>()

  async function execute(actor: string, refPath: string): Promise<void> {
    const say = (level: 'warning' | 'error', text: string) =>
      session.emit({ type: 'log', level, text: `${actor}: ${text}` })
    try {
      const issues = await session.toolset.call('ExecuteGraphInstance', { pCGVolume: { refPath } }, EXECUTE_MS)
      for (const issue of Array.isArray(issues) ? issues : []) say('warning', textOf(issue))
    } catch (error) {
      say('error', error instanceof Error ? error.message : String(error))
    } finally {
      running.delete(actor)
    }
  }

  return {
    running: (actor) => running.has(actor),
    async start(actor) {
      if (!session.inspected.has(actor) || !session.toolset.offers('ExecuteGraphInstance')) return null
      const { volume, task, empty } = await session.ask('prepare_run', { actor }, Prepared)
      if (volume === null) return null
      running.add(actor)
      void execute(actor, volume)
      return { task, empty }
    },
  }
}
