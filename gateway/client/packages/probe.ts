// Starts a server once, lists its tools, and ends it: what it offers is shown before a person agrees to it.
import { z } from 'zod'
import { createLines } from '../../mcp/lines.ts'
import { type Environment } from './environment.ts'
import { startTool } from './run-tool.ts'

export type ProbedProgram = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Environment
}

const Tool = z.looseObject({ name: z.string().max(1_024), description: z.string().optional().catch(undefined) })
export type ProbedTool = z.infer<typeof Tool>
export type ProbedTools = ReadonlyMap<string, ProbedTool>

const Reply = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
})
const Page = z.object({ tools: z.array(Tool), nextCursor: z.string().optional() })
const PROBE_MS = 60_000
const MOST_PAGES = 100
const MOST_LINE = 8_000_000
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'gantry', version: '1' } }

/** By name. Rejects where it does not answer. */
export async function toolsOf(program: ProbedProgram, signal?: AbortSignal): Promise<ProbedTools> {
  const { child, end } = startTool(program)
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => undefined)
  const waiting = new Map<number, (reply: z.infer<typeof Reply>) => void>()
  let last = ''
  let lastId = 0
  const late = setTimeout(() => over.reject(new Error('it did not answer within 60 s')), PROBE_MS)
  const stopped = (): void => over.reject(new Error('it was stopped'))
  signal?.addEventListener('abort', stopped, { once: true })
  if (signal?.aborted) stopped()
  child.once('error', over.reject)
  child.once('close', () => over.reject(new Error(`it ended: ${last || 'it wrote nothing'}`)))
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => {
    last = `${last}${chunk.toString()}`.trim().slice(-300)
  })
  const lines = createLines({
    maxBytes: MOST_LINE,
    onTooLong: () => over.reject(new Error('it wrote a line of more than 8 MB')),
    onLine(line) {
      const { success, data } = Reply.safeParse(parsed(line.toString()))
      if (success) waiting.get(data.id)?.(data)
    },
  })
  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk))
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  async function ask(method: string, params: object): Promise<unknown> {
    const id = (lastId += 1)
    const replied = new Promise<z.infer<typeof Reply>>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    const { result, error } = await Promise.race([over.promise, replied])
    if (error !== undefined) throw new Error(`it refused ${method}: ${error.message.slice(0, 300)}`)
    return result
  }
  try {
    await ask('initialize', HELLO)
    send({ method: 'notifications/initialized' })
    const tools = new Map<string, ProbedTool>()
    let cursor: string | undefined
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { success, data } = Page.safeParse(await ask('tools/list', cursor === undefined ? {} : { cursor }))
      if (!success) throw new Error('its list of tools cannot be read')
      for (const tool of data.tools) tools.set(tool.name, tool)
      cursor = data.nextCursor
      if (cursor === undefined) break
    }
    return tools
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', stopped)
    end()
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
