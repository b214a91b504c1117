// Server-sent events: frames out, a bounded queue behind them, an end when the peer or the process leaves.
import type { HttpReply, HttpRequest } from './request-reply.ts'
import type { Streams } from './streams.ts'

export type SseEvent = { readonly data: string; readonly event?: string; readonly id?: string }

export type SseStream = ReturnType<typeof openSse>

export type SseOptions = {
  /** What may wait for a slow reader before it is cut off. */
  readonly maxQueuedBytes?: number
  readonly status?: number
  /** Sent before a stream ends because the process does. */
  readonly farewell?: () => SseEvent
  /** It ends with its own answer, not with the process; this is called when that is about to stop. */
  readonly onStop?: () => void
}

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** How soon a reader whose stream ends with the process may connect again, in the words of the format: milliseconds. */
const RECONNECT = 'retry: 1000\n\n'

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ')

/** A line break of any kind inside the data would end the field, so each line becomes its own. */
export function sseFrame({ data, event, id }: SseEvent): string {
  const name = event === undefined ? '' : `event: ${oneLine(event)}\n`
  const mark = id === undefined ? '' : `id: ${oneLine(id)}\n`
  const body = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data
  return `${name}${mark}data: ${body}\n\n`
}

/** Takes the reply over. Headers set so far (request id, CORS, policies) go out with it. */
export function openSse(
  request: HttpRequest,
  reply: HttpReply,
  streams: Streams,
  { maxQueuedBytes = 1_048_576, status = 200, farewell, onStop }: SseOptions = {},
) {
  const { raw } = reply
  reply.headers(SSE_HEADERS)
  const headers = reply.getHeaders()
  reply.hijack()
  raw.statusCode = status
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) raw.setHeader(name, value)
  raw.flushHeaders()

  let over = false
  const listeners: (() => void)[] = []
  const write = (frame: string): boolean => {
    if (over) return false
    raw.write(frame)
    if (raw.writableLength <= maxQueuedBytes) return true
    raw.destroy()
    return false
  }
  const end = (): void => {
    if (!over && !raw.writableEnded) raw.end()
  }
  const stop = (): void => {
    if (onStop) {
      onStop()
      return
    }
    if (!raw.writableEnded) write(RECONNECT + (farewell ? sseFrame(farewell()) : ''))
    end()
  }
  const destroy = (): void => {
    if (!onStop) raw.destroy()
  }
  const forget = streams.add({ ping: () => void write(': ping\n\n'), end: stop, destroy })
  const leave = (): void => {
    if (over) return
    over = true
    forget()
    for (const listener of listeners) listener()
  }
  // A client that left while the credential was checked has had its `close` event already.
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  // The desktop window injects its requests and leaves by an abort signal, which only the request receives.
  request.raw.once('error', () => void raw.destroy())
  if (request.method === 'HEAD') end()

  return {
    /** False when the stream is closed, or was just closed because its reader is too slow. */
    send: (event: SseEvent): boolean => !raw.writableEnded && write(sseFrame(event)),
    /** Sends what may be missed: false, and nothing sent, where too much waits for the reader already. */
    offer: (event: SseEvent): boolean => {
      if (over || raw.writableEnded) return false
      const frame = sseFrame(event)
      return raw.writableLength + frame.length <= maxQueuedBytes / 2 && write(frame)
    },
    /** Ends with a frame that may be larger than what is let wait for a slow reader. */
    endWith: (frame: Buffer): void => {
      if (!over && !raw.writableEnded) raw.end(frame)
    },
    /** Resolves when the reader has caught up, or is gone. */
    drained: (): Promise<void> =>
      new Promise((resolve) => {
        if (over || !raw.writableNeedDrain) {
          resolve()
          return
        }
        const done = (): void => {
          raw.off('drain', done)
          raw.off('close', done)
          resolve()
        }
        raw.on('drain', done)
        raw.on('close', done)
      }),
    close: end,
    closed: (): boolean => over || raw.writableEnded,
    onClose: (listener: () => void): void => {
      if (over) listener()
      else listeners.push(listener)
    },
  }
}

export type Feed = (stream: SseStream) => void

/** A stream that could not be begun is over: its reader must not wait for data that never comes. */
export function feedSse(stream: SseStream, feed: Feed, onError: (error: unknown) => void): void {
  try {
    feed(stream)
  } catch (error) {
    onError(error)
    stream.close()
  }
}
