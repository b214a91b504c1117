// An answer that comes piece by piece: NDJSON or server-sent events, read until its end or until there is enough. Contract 8.10.

import type { Streaming } from '../../contract/admin/shaping-features.ts'
import { createSseReader } from '../../mcp/sse-reader.ts'
import { ExchangeError, type ExchangeRequest, type ExchangeResponse, NO_ROOM } from '../../net/exchange.ts'
import { type Collected, eventOf } from '../../outcome/collected.ts'
import { isLarge } from '../../outcome/threads/index.ts'
import { byteCount } from '../../text/amounts.ts'

/** What a stream answered; a status that is no success has a body and no events. */
export type Streamed = ExchangeResponse & { readonly events?: Collected }

type Reading = {
  readonly config: Streaming
  /** Sends the request, and hands its answer over chunk by chunk. */
  readonly exchange: (request: ExchangeRequest) => Promise<ExchangeResponse>
  readonly maxDepth: number
  /** Called for each event as it comes, with its text. */
  readonly onEvent: (count: number, text: string) => void
}

export const ACCEPT: Readonly<Record<Streaming['format'], string>> = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson, application/json;q=0.9, */*;q=0.5',
}

/** The text of an event, or nothing where it has none. */
type Take = (text: string) => void

function lines(take: Take): { push(chunk: Buffer): void; end(): void } {
  const decoder = new TextDecoder()
  let rest = ''
  const give = (text: string): void => {
    rest += text
    // Not looked through again with every chunk: only what is new can end a line.
    if (!text.includes('\n')) return
    const all = rest.split('\n')
    rest = all.pop() ?? ''
    for (const line of all) take(line)
  }
  return {
    push: (chunk) => give(decoder.decode(chunk, { stream: true })),
    end() {
      give(decoder.decode())
      take(rest)
    },
  }
}

/** Thrown out of a reader in the middle of a chunk. */
class Enough extends Error {}

export async function readEvents(request: ExchangeRequest, reading: Reading): Promise<Streamed | ExchangeError> {
  const { config, exchange, maxDepth, onEvent } = reading
  const { maxBytes, account } = request
  const texts: string[] = []
  const collected = (truncated: boolean, broken: boolean): Collected => ({
    pieces: { of: 'events', format: config.format, texts },
    truncated,
    broken,
  })
  const body: Buffer[] = []
  let bytes = 0
  let problem: ExchangeError | undefined
  let enough = false

  const take: Take = (text) => {
    // A large one is looked at when all of it is: not here, where others wait.
    if (!isLarge(text) && eventOf(config.format, text, maxDepth) === undefined) return
    texts.push(text)
    onEvent(texts.length, text)
    if (texts.length >= config.maxEvents) throw new Enough()
  }
  const sse = createSseReader(maxBytes, ({ data }) => take(data))
  const reader = config.format === 'sse' ? { push: sse.push, end: () => undefined } : lines((line) => take(line.trim()))

  const onChunk: ExchangeRequest['onChunk'] = (chunk, { status, headers }) => {
    bytes += chunk.length
    const encoding = headers['content-encoding']
    if (bytes > maxBytes)
      problem = new ExchangeError('too_large', `the answer exceeds the limit of ${byteCount(maxBytes)}`)
    else if (account?.take(chunk.length) === false) problem = new ExchangeError('no_room', NO_ROOM)
    else if (encoding !== undefined && encoding !== 'identity')
      problem = new ExchangeError('bad_response', 'a stream of events must not be compressed')
    if (problem) return false
    if (status < 200 || status >= 300) {
      body.push(chunk)
      return true
    }
    return within(() => reader.push(chunk))
  }

  /** False once there is enough, or too much. */
  function within(read: () => void): boolean {
    try {
      read()
      return true
    } catch (error) {
      if (error instanceof ExchangeError) problem = error
      else if (error instanceof Enough) enough = true
      else throw error
      return false
    }
  }

  const asked: ExchangeRequest = {
    ...request,
    headers: { ...request.headers, accept: ACCEPT[config.format], 'accept-encoding': 'identity' },
    onChunk,
  }
  let head: Pick<ExchangeResponse, 'status' | 'headers'>
  try {
    head = await exchange(asked)
    if (head.status >= 200 && head.status < 300 && !enough && !problem) within(reader.end)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    // What came in time is an answer.
    if (error.kind !== 'timeout' || texts.length === 0) return error
    return { status: 200, headers: {}, body: NONE, events: collected(true, true) }
  }
  if (problem) return problem
  const { status, headers } = head
  if (status < 200 || status >= 300) return { status, headers, body: Buffer.concat(body) }
  return { status, headers, body: NONE, events: collected(enough, false) }
}

const NONE = Buffer.alloc(0)
