// A table of tools as a backend: listed, arguments parsed, queued, results parsed, failures answered with a code.
import { z } from 'zod'
import { annotationsOf, type PcgTool } from '../catalog/index.ts'
import type { CallContext, CallResult, HostedTool, Toolset } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import type { Queue } from '../editor/queue.ts'
import { isRecord } from '../editor/settings.ts'
import { TURN_PAGE, TURN_PAGE_URI } from './page/turn-page.ts'

const MOST_MESSAGE = 2000

/** As MCP lists them. */
function listed([name, tool]: readonly [string, PcgTool]): HostedTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' })
  return {
    name,
    title: tool.title,
    description: tool.about,
    inputSchema,
    annotations: annotationsOf(tool),
    ...(tool.page ? { _meta: { ui: { resourceUri: TURN_PAGE_URI } } } : {}),
  }
}

const MOST_IMAGES = 24
const PICTURE = /^picture/
/** A model reads no base64: each picture of a result becomes an image beside it, and the result has its number. */
function withImages(result: Readonly<Record<string, unknown>>): Extract<CallResult, { ok: true }> {
  const images: string[] = []
  const moved = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => moved(each, ''))
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, moved(each, name)]))
    if (typeof value !== 'string' || !PICTURE.test(key)) return value
    return images.length < MOST_IMAGES ? `image ${images.push(value)}` : null
  }
  const shown = Object.fromEntries(Object.entries(result).map(([key, value]) => [key, moved(value, key)]))
  return images.length === 0 ? { ok: true, result } : { ok: true, result: shown, images }
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
  const hasImages = Object.values(table).some(({ page }) => page)
  return {
    description,
    ...(hasImages ? { pages: [TURN_PAGE] } : {}),
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
        const result = tool.output.parse(answer)
        return context.source === 'mcp' && hasImages ? withImages(result) : { ok: true, result }
      } catch (error) {
        return refusal(error)
      }
    },
  }
}
