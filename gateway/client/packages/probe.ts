// Starts an installed server once, lists its tools, and ends it: what an update changes is shown before it is agreed to.
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { type Environment, startTool } from './run-tool.ts'

type Program = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Environment
}

const Reply = z.object({ id: z.number(), result: z.record(z.string(), z.unknown()).optional() })
const Page = z.object({ tools: z.array(z.looseObject({ name: z.string() })), nextCursor: z.string().optional() })
const PROBE_MS = 60_000
const MOST_PAGES = 100
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'gantry', version: '1' } }

/** The definition of each tool as text, by name. Rejects where it does not answer. */
export async function toolsOf(program: Program): Promise<ReadonlyMap<string, string>> {
  const { child, end } = startTool(program)
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => undefined)
  const waiting = new Map<number, (result: unknown) => void>()
  let last = ''
  let lastId = 0
  const late = setTimeout(() => over.reject(new Error('it did not answer within 60 s')), PROBE_MS)
  child.once('error', over.reject)
  child.once('close', () => over.reject(new Error(`it ended: ${last || 'it wrote nothing'}`)))
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => {
    last = chunk.toString().trim().slice(-300)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { success, data } = Reply.safeParse(parsed(line))
    if (success) waiting.get(data.id)?.(data.result)
  })
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  function ask(method: string, params: object): Promise<unknown> {
    const id = (lastId += 1)
    send({ id, method, params })
    return Promise.race([over.promise, new Promise((resolve) => waiting.set(id, resolve))])
  }
  try {
    await ask('initialize', HELLO)
    send({ method: 'notifications/initialized' })
    const tools = new Map<string, string>()
    let cursor: string | undefined
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { success, data } = Page.safeParse(await ask('tools/list', cursor === undefined ? {} : { cursor }))
      if (!success) throw new Error('its list of tools cannot be read')
      for (const tool of data.tools) tools.set(tool.name, JSON.stringify(tool))
      cursor = data.nextCursor
      if (cursor === undefined) break
    }
    return tools
  } finally {
    clearTimeout(late)
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
