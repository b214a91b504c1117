// Every page of an upstream's tools, as it sent them: bounded in pages, entries, bytes and time.

import { GatewayError } from '../contract/error.ts'
import { inTurns } from '../discovery/in-turns.ts'
import type { Connection } from '../mcp/connection.ts'
import { RPC } from '../mcp/json-rpc.ts'
import { isRecord, LargeResult } from '../mcp/message.ts'
import { mirrorsFit } from '../mcp/mirrored-headers.ts'
import { listBeside } from '../outcome/threads/index.ts'
import { jsonText } from '../storage/json-text.ts'
import { isModern } from './streamable.ts'

type Bounds = { readonly deadlineMs: number; readonly maxBytes: number; readonly monotonic: () => number }
type AllListed = {
  readonly tools: readonly unknown[]
  /** Names of tools whose headers could not be mirrored: the revision wants them left out. */
  readonly left: readonly string[]
  /** Whether it has resources or prompts: then it need not have tools. */
  readonly hasMore: boolean
}

const MOST_PAGES = 1_000
const MOST_ENTRIES = 50_000
/** Deep schemas are refused one by one later; a deep page must not take the others along. */
const PAGE_DEPTH = 512

const broken = (message: string): GatewayError =>
  new GatewayError('DISCOVERY_ERROR', message, { details: { stage: 'fetch' } })

const tooMany = (): GatewayError => broken('The upstream lists more tools than can be read')

export async function listAllTools(
  connection: Connection,
  { deadlineMs, maxBytes, monotonic }: Bounds,
): Promise<AllListed> {
  const endsAt = monotonic() + deadlineMs
  const facts = await connection.facts(deadlineMs)
  const hasMore = isRecord(facts.capabilities.resources) || isRecord(facts.capabilities.prompts)
  const tools: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  let room = maxBytes
  do {
    const answer = await connection.request({
      method: 'tools/list',
      params: cursor === undefined ? {} : { cursor },
      timeoutMs: Math.max(1, endsAt - monotonic()),
      maxBytes: room,
      maxDepth: PAGE_DEPTH,
      takesLarge: true,
    })
    if ('error' in answer && answer.error.code === RPC.methodNotFound && hasMore)
      return { tools: [], left: [], hasMore }
    // Its own words are left out: they may hold the credential they were sent.
    if ('error' in answer) throw broken(`The upstream refused tools/list with error ${answer.error.code}`)
    const page = await pageOf(answer.result)
    if (page === undefined) throw broken('The upstream answered tools/list without a list')
    room -= page.size
    for (const tool of page.tools) tools.push(tool)
    cursor = typeof page.nextCursor === 'string' && page.nextCursor !== '' ? page.nextCursor : undefined
    if (cursor !== undefined && (cursors.has(cursor) || cursors.size === MOST_PAGES))
      throw broken('The upstream never ends its list of tools: it repeats pages')
    if (tools.length > MOST_ENTRIES || room <= 0) throw tooMany()
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)
  if (!isModern(facts)) return { tools, left: [], hasMore }
  const fits = await inTurns(tools, (tool) => !isRecord(tool) || mirrorsFit(tool.inputSchema))
  return {
    hasMore,
    tools: tools.filter((_tool, at) => fits[at]),
    left: tools.flatMap((tool, at) => (fits[at] ? [] : [isRecord(tool) ? String(tool.name) : ''])),
  }
}

type Page = { readonly tools: readonly unknown[]; readonly nextCursor: unknown; readonly size: number }

/** Undefined when it holds no list. */
async function pageOf(result: unknown): Promise<Page | undefined> {
  if (!(result instanceof LargeResult)) {
    if (!isRecord(result) || !Array.isArray(result.tools)) return undefined
    return { tools: result.tools, nextCursor: result.nextCursor, size: jsonText(result).length }
  }
  const size = result.json.length
  const page = await listBeside(result, 'tools')
  if (page === undefined) return undefined
  if (page.count > MOST_ENTRIES) throw tooMany()
  const tools = await inTurns(page.pieces, (piece) => JSON.parse(piece) as unknown[])
  return { tools: tools.flat(), nextCursor: page.nextCursor, size }
}
