// One HTTP request to an editor: a deadline, a byte cap, no redirects, no proxy, and errors that say what was wrong.
import { type IncomingHttpHeaders, request } from 'node:http'
import { PcgError } from '../editor/editor.ts'
import { MOST_BYTES } from './bounded-json.ts'

export type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
export type Ask = {
  readonly method: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Ends the reading with that event: a stream may stay open after its answer. */
  readonly isLast?: (event: string) => boolean
}

export function unreachable(url: URL, reason: string): PcgError {
  return new PcgError('EDITOR_UNAVAILABLE', `No editor answers at ${url.host}: ${reason}`)
}

/** The events that each piece of a stream completes; nothing is read twice. */
function createEvents(): (chunk: Buffer) => readonly string[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    // A boundary may begin in what came before.
    const boundary = /\r?\n\r?\n/g
    boundary.lastIndex = Math.max(0, rest.length - 3)
    rest += decoder.decode(chunk, { stream: true })
    const events: string[] = []
    let start = 0
    for (let found = boundary.exec(rest); found !== null; found = boundary.exec(rest)) {
      events.push(rest.slice(start, found.index))
      start = boundary.lastIndex
    }
    rest = rest.slice(start)
    return events
  }
}

export function ask({ method, url, headers = {}, body, timeoutMs, signal, isLast }: Ask): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      // A connection of its own: one kept alive may close just as it is used, and no call may be sent twice.
      agent: false,
      ...(signal ? { signal } : {}),
      headers: {
        ...headers,
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      },
    })
    const fail = (error: Error) => {
      clearTimeout(deadline)
      outgoing.destroy()
      reject(error)
    }
    const deadline = setTimeout(
      () => fail(unreachable(url, `nothing came back within ${Math.round(timeoutMs)} ms; it may be busy`)),
      timeoutMs,
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      fail(unreachable(url, error.code === 'ECONNREFUSED' ? 'nothing listens there' : 'the connection was closed')),
    )
    outgoing.on('response', (incoming) => {
      const parts: Buffer[] = []
      const eventsIn = createEvents()
      let size = 0
      const done = () => {
        clearTimeout(deadline)
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(parts).toString('utf8'),
        })
      }
      incoming.on('data', (chunk: Buffer) => {
        parts.push(chunk)
        size += chunk.length
        if (size > MOST_BYTES) fail(new PcgError('EDITOR_ERROR', `${url.host} answered with too much`))
        else if (isLast && eventsIn(chunk).some(isLast)) {
          done()
          outgoing.destroy()
        }
      })
      incoming.on('end', done)
      // Closed before its end: a half answer is no answer.
      incoming.on('close', () => {
        if (!incoming.complete) fail(unreachable(url, 'the connection was closed'))
      })
    })
    outgoing.end(body)
  })
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|\[::1\]|::1)$/
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}
