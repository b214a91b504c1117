// Every page of an upstream's tools, as it sent them: bounded in pages, entries, bytes and time.
import { GatewayError } from '../contract/error.ts'
import type { Connection } from './connection.ts'
import { isRecord } from './message.ts'
import { mirrorsFit } from './mirrored.ts'
import { isModern } from './streamable.ts'

type Bounds = { readonly deadlineMs: number; readonly maxBytes: number; readonly now: () => number }
type Listed = {
  readonly tools: readonly unknown[]
  /** Names of tools whose headers could not be mirrored: the revision wants them left out. */
  readonly left: readonly string[]
}

const MOST_PAGES = 1_000
const MOST_ENTRIES = 50_000
/** Deep schemas are refused one by one later; a deep page must not take the others along. */
const PAGE_DEPTH = 512

const broken = (message: string): GatewayError =>
  new GatewayError('DISCOVERY_ERROR', message, { details: { stage: 'fetch' } })

export async function listAllTools(connection: Connection, { deadlineMs, maxBytes, now }: Bounds): Promise<Listed> {
  const endsAt = now() + deadlineMs
  const tools: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  let room = maxBytes
  do {
    const answer = await connection.request({
      method: 'tools/list',
      params: cursor === undefined ? {} : { cursor },
      timeoutMs: Math.max(1, endsAt - now()),
      maxBytes: room,
      maxDepth: PAGE_DEPTH,
    })
    // Its own words are left out: they may hold the credential they were sent.
    if ('error' in answer) throw broken(`The upstream refused tools/list with error ${answer.error.code}`)
    const { result } = answer
    if (!isRecord(result) || !Array.isArray(result.tools))
      throw broken('The upstream answered tools/list without a list')
    room -= JSON.stringify(result).length
    tools.push(...result.tools)
    cursor = typeof result.nextCursor === 'string' && result.nextCursor !== '' ? result.nextCursor : undefined
    if (cursor !== undefined && (cursors.has(cursor) || cursors.size === MOST_PAGES))
      throw broken('The upstream never ends its list of tools: it repeats pages')
    if (tools.length > MOST_ENTRIES || room <= 0) throw broken('The upstream lists more tools than can be read')
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)
  if (!isModern(await connection.facts(deadlineMs))) return { tools, left: [] }
  const fits = (tool: unknown): boolean => !isRecord(tool) || mirrorsFit(tool.inputSchema)
  return {
    tools: tools.filter(fits),
    left: tools.filter((tool) => !fits(tool)).map((tool) => (isRecord(tool) ? String(tool.name) : '')),
  }
}
