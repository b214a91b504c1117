// A table of tools as a backend: listed, arguments parsed, queued, results parsed, failures answered with a code.
import { z } from 'zod'
import { annotationsOf, type PcgTool } from '../catalog/index.ts'
import type { CallContext, CallResult, HostedTool, Toolset } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import type { Queue } from '../editor/queue.ts'

const MOST_MESSAGE = 2000

/** As MCP lists them. */
function listed([name, tool]: readonly [string, PcgTool]): HostedTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' })
  return { name, title: tool.title, description: tool.about, inputSchema, annotations: annotationsOf(tool) }
}

export function refusal(error: unknown): CallResult {
  const code = error instanceof PcgError ? error.code : 'EDITOR_ERROR'
  const full = error instanceof Error ? error.message : String(error)
  // An echoed argument may be a million characters long.
  return { ok: false, code, message: full.length > MOST_MESSAGE ? `${full.slice(0, MOST_MESSAGE)}…` : full }
}

function parsed(tool: PcgTool, args: unknown): Record<string, unknown> {
  const result = tool.input.safeParse(args ?? {})
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.join('.') ?? ''
  throw new PcgError('INVALID_ARGUMENT', `${where === '' ? '' : `${where}: `}${issue?.message ?? 'not valid'}`)
}

export function createToolset(
  description: string,
  table: Readonly<Record<string, PcgTool>>,
  queue: Queue,
  run: (name: string, input: never, context: CallContext) => Promise<unknown>,
): Toolset {
  return {
    description,
    tools: Object.entries(table).map(listed),
    async call(name, args, context) {
      try {
        const tool = Object.hasOwn(table, name) ? table[name] : undefined
        if (!tool) throw new PcgError('INVALID_ARGUMENT', `There is no tool '${name.slice(0, 120)}'`)
        // The catalogue's schema made it the input of this tool; the compiler cannot pair the two.
        const input = parsed(tool, args) as never
        const answer = await queue.run(name, context.signal, async () => {
          if (context.mayStart && !(await context.mayStart()))
            throw new PcgError('EDITOR_ERROR', 'The call is not let in any more')
          return run(name, input, context)
        })
        return { ok: true, result: tool.output.parse(answer) }
      } catch (error) {
        return refusal(error)
      }
    },
  }
}
