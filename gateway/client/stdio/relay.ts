// MCP over standard input and output on one side, Streamable HTTP on the other. Both eras; messages pass as they are.
import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { RPC } from '../../mcp/json-rpc.ts'
import { modernHeaders, paramHeaders } from '../../mcp/mirrored-headers.ts'
import { isRecord } from '../../mcp/record.ts'
import { createSseReader } from '../../mcp/sse-reader.ts'
import { createEndpoint } from './endpoint.ts'
import {
  failure,
  type Id,
  idOf,
  isAnswerTo,
  isModern,
  isRequest,
  isUnknownMethod,
  lineOf,
  methodOf,
  paramsOf,
  parsed,
} from './messages.ts'
import type { StdioOptions } from './options.ts'
import { createOutput, linesOf } from './output.ts'

type RelayDeps = StdioOptions & {
  readonly input: AsyncIterable<Buffer>
  readonly output: Writable
  /** For people; standard output is for messages. */
  readonly log: (line: string) => void
  /** Ends it from outside, as a signal does. */
  readonly signal: AbortSignal
}
type RelayedSession = { readonly id: string | undefined; readonly revision: string | undefined }

const MOST_BYTES = 64 * 1_048_576
const MOST_UNDER_WAY = 512
/** How long the last answers are waited for after the input has ended. */
const GRACE_MS = 2_000
const RELISTEN_MS = { first: 500, most: 30_000 } as const
const BOTH = 'application/json, text/event-stream'

export async function relay({ url, key, input, output: stream, log, signal }: RelayDeps): Promise<void> {
  const endpoint = createEndpoint({ url, key })
  const output = createOutput(stream)
  const ended = new AbortController()
  const underWay = new Map<Id, { readonly modern: boolean; readonly cut: AbortController }>()
  const pending = new Set<Promise<void>>()
  /** Schemas of tools some of whose arguments are repeated in headers, by name. */
  const mirrored = new Map<string, unknown>()
  let session: RelayedSession | undefined
  let greeting: string | undefined
  let renewing: Promise<void> | undefined
  let listening: AbortController | undefined

  function headersFor(message: unknown): Record<string, string> {
    const method = methodOf(message)
    if (isModern(message) && method !== undefined) {
      const params = paramsOf(message)
      const args = isRecord(params.arguments) ? params.arguments : {}
      const schema = method === 'tools/call' ? mirrored.get(String(params.name)) : undefined
      return { ...modernHeaders(method, params), ...paramHeaders(schema, args) }
    }
    // A greeting opens a session, so it names none.
    const own = method === 'initialize' ? undefined : session
    return {
      accept: BOTH,
      ...(own?.revision === undefined ? {} : { 'mcp-protocol-version': own.revision }),
      ...(own?.id === undefined ? {} : { 'mcp-session-id': own.id }),
    }
  }

  /** What the bridge itself must know of what passes. */
  function notice(asked: unknown, text: string, response: IncomingMessage): void {
    const method = methodOf(asked)
    if (method !== 'initialize' && !(method === 'tools/list' && text.includes('x-mcp-header'))) return
    const message = parsed(text)
    if (!isAnswerTo(message, idOf(asked)) || !isRecord(message) || !isRecord(message.result)) return
    if (method === 'initialize') {
      const { protocolVersion } = message.result
      const id = response.headers['mcp-session-id']
      session = {
        id: typeof id === 'string' ? id : undefined,
        revision: typeof protocolVersion === 'string' ? protocolVersion : undefined,
      }
      return
    }
    const { tools } = message.result
    for (const tool of Array.isArray(tools) ? (tools as readonly unknown[]) : [])
      if (isRecord(tool) && typeof tool.name === 'string') mirrored.set(tool.name, tool.inputSchema)
  }

  /** Each message of an answer. True when the one that was waited for is among them. */
  async function read(asked: unknown, response: IncomingMessage, each: (line: string) => void): Promise<boolean> {
    let answered = false
    const take = (text: string): void => {
      const line = lineOf(text)
      if (line === undefined) return
      notice(asked, line, response)
      answered ||= Array.isArray(asked) || isAnswerTo(parsed(line), idOf(asked))
      each(line)
    }
    if (response.headers['content-type']?.startsWith('text/event-stream')) {
      const reader = createSseReader(MOST_BYTES, ({ data }) => take(data))
      // An async iterator of a stream gives buffers unless an encoding is set.
      for await (const chunk of response as AsyncIterable<Buffer>) {
        reader.push(chunk)
        await output.room()
      }
      return answered
    }
    take(await textOf(response))
    return answered
  }

  async function textOf(response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST_BYTES) throw new Error('the answer is larger than 64 MiB')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }

  /** What a refusal that is not JSON-RPC says. */
  function printed(status: number, text: string): string {
    const body = parsed(text)
    const error = isRecord(body) && isRecord(body.error) ? body.error : undefined
    const message = typeof error?.message === 'string' ? error.message : undefined
    if (status === 401)
      return `${message ?? 'The gateway does not know this key'}. Check the client’s key, or connect it again.`
    return message ?? `The gateway answered ${status}.`
  }

  async function deliver(asked: unknown, response: IncomingMessage): Promise<void> {
    const status = response.statusCode ?? 0
    const id = idOf(asked)
    if (status >= 200 && status < 300) {
      const answered = await read(asked, response, output.line)
      if (isRequest(asked) && !answered && id !== undefined)
        output.line(failure(id, 'The connection ended before the answer came.'))
      return
    }
    const text = await textOf(response)
    if (!isRequest(asked) || id === undefined) return log(`${methodOf(asked) ?? 'an answer'}: ${printed(status, text)}`)
    const line = lineOf(text)
    if (line !== undefined && isAnswerTo(parsed(line), id)) output.line(line)
    else output.line(failure(id, printed(status, text)))
  }

  const post = (message: unknown, body: string, cut: AbortSignal): Promise<IncomingMessage> =>
    endpoint.send({ method: 'POST', headers: headersFor(message), body, signal: cut })

  async function exchange(message: unknown, text: string, cut: AbortSignal): Promise<void> {
    const before = session
    const response = await post(message, text, cut)
    const lost = response.statusCode === 404 && before?.id !== undefined && !isModern(message)
    if (!lost || methodOf(message) === 'initialize') return deliver(message, response)
    const why = await textOf(response)
    if (isUnknownMethod(why)) return output.line(lineOf(why) ?? why)
    // Refused unread: the gateway does not know the session any more, so the request may be sent in a new one.
    await renew(before)
    return deliver(message, await post(message, text, cut))
  }

  function renew(lost: RelayedSession): Promise<void> {
    if (session !== lost) return renewing ?? Promise.resolve()
    renewing ??= greetAgain().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  async function greetAgain(): Promise<void> {
    const before: unknown = parsed(greeting ?? '')
    const again = { ...(isRecord(before) ? before : {}), id: 'gantry-again' }
    const response = await post(again, JSON.stringify(again), ended.signal)
    if (response.statusCode !== 200) throw new Error(printed(response.statusCode ?? 0, await textOf(response)))
    await read(again, response, () => undefined)
    const ready = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const taken = await post(ready, JSON.stringify(ready), ended.signal)
    taken.resume()
    void listen()
    log('The gateway restarted; a new session was opened.')
  }

  /** What the gateway says without being asked, for as long as the session lives. */
  async function listen(): Promise<void> {
    listening?.abort()
    const mine = new AbortController()
    listening = mine
    const cut = AbortSignal.any([mine.signal, ended.signal])
    const own = session
    if (own?.id === undefined) return
    let delay: number = RELISTEN_MS.first
    while (!cut.aborted) {
      try {
        const headers = { ...headersFor(undefined), accept: 'text/event-stream' }
        const response = await endpoint.send({ method: 'GET', headers, signal: cut })
        const status = response.statusCode ?? 0
        if (status === 200) {
          delay = RELISTEN_MS.first
          await read(undefined, response, output.line)
        } else response.resume()
        if (status === 404) return await renew(own)
        if (status === 405 || status === 401 || status === 403) return
      } catch {
        // The line is down; it is tried again below.
      }
      await wait(delay, undefined, { signal: cut }).catch(() => undefined)
      delay = Math.min(delay * 2, RELISTEN_MS.most)
    }
  }

  async function pass(message: unknown, text: string): Promise<void> {
    const id = isRequest(message) ? idOf(message) : undefined
    const own = new AbortController()
    if (id !== undefined) underWay.set(id, { modern: isModern(message), cut: own })
    try {
      await exchange(message, text, AbortSignal.any([own.signal, ended.signal]))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (own.signal.aborted || ended.signal.aborted) return
      if (id === undefined) log(`${methodOf(message) ?? 'an answer'}: ${why}`)
      else output.line(failure(id, `The gateway at ${url.origin} cannot be reached: ${why}`))
    } finally {
      if (id !== undefined) underWay.delete(id)
    }
  }

  async function take(text: string): Promise<void> {
    if (text.trim() === '') return
    const message = parsed(text)
    if (typeof message !== 'object' || message === null)
      return output.line(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: RPC.parse, message: 'Parse error' } }),
      )
    const id = idOf(message)
    const method = methodOf(message)
    if (isRequest(message) && id !== undefined && underWay.size >= MOST_UNDER_WAY)
      return output.line(failure(id, 'Too many requests are under way.'))
    if (method === 'initialize') greeting = text
    const work = pass(message, text)
    const kept = work.finally(() => pending.delete(kept))
    pending.add(kept)
    if (method === 'notifications/cancelled') cancel(paramsOf(message).requestId)
    // Later messages need the session that these open.
    if (method === 'initialize' || method === 'notifications/initialized') await work
    if (method === 'notifications/initialized') void listen()
  }

  /** A modern request is cancelled by ending it; a session is notified, like everything else. */
  function cancel(id: unknown): void {
    const request = typeof id === 'string' || typeof id === 'number' ? underWay.get(id) : undefined
    if (request?.modern) request.cut.abort()
  }

  async function leave(): Promise<void> {
    await Promise.race([Promise.all(pending), wait(GRACE_MS, undefined, { ref: false })])
    ended.abort()
    if (session?.id === undefined) return
    const goodbye = AbortSignal.timeout(GRACE_MS)
    await endpoint.send({ method: 'DELETE', headers: headersFor(undefined), signal: goodbye }).then(
      (response) => response.resume(),
      // A client that leaves needs no answer.
      () => undefined,
    )
  }

  signal.addEventListener('abort', () => ended.abort())
  try {
    for await (const line of linesOf(input)) {
      if (ended.signal.aborted) break
      await take(line)
      await output.room()
    }
  } finally {
    await leave()
  }
}
