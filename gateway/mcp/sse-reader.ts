// A standard-compliant reader of server-sent events in arbitrary chunks: all line ends, comments, ids, retry, byte order mark.

import { ExchangeError } from '../net/exchange-error.ts'
import { byteCount } from '../text/amounts.ts'

export type SseEvent = { readonly type: string; readonly data: string }

export type SseReader = ReturnType<typeof createSseReader>

const LINE_END = /[\r\n]/g
const [LF, CR] = [10, 13]

/** Skips redundant line ends cheaply. */
function pastLineEnds(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === LF || (text.charCodeAt(at) === CR && at + 1 < text.length)) at += 1
  return at
}

export function createSseReader(maxEventBytes: number, onEvent: (event: SseEvent) => void) {
  // Strips a leading byte order mark and joins characters split between chunks.
  const decoder = new TextDecoder()
  let line = ''
  let afterCr = false
  let type = ''
  let data: string[] = []
  let size = 0
  let lastId = ''
  let retry: number | undefined

  const grow = (length: number): void => {
    size += length
    if (size > maxEventBytes)
      throw new ExchangeError('too_large', `the answer exceeds the limit of ${byteCount(maxEventBytes)}`)
  }

  const dispatch = (): void => {
    const event = { type: type === '' ? 'message' : type, data: data.join('\n') }
    const seen = data.length > 0
    type = ''
    data = []
    size = 0
    if (seen) onEvent(event)
  }

  const field = (name: string, value: string): void => {
    if (name === 'data') data.push(value)
    else if (name === 'event') type = value
    else if (name === 'id' && !value.includes('\0')) lastId = value
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) retry = Number(value)
  }

  const endLine = (text: string): void => {
    if (text === '') {
      dispatch()
      return
    }
    const colon = text.indexOf(':')
    // Comments do not count.
    if (colon === 0) size -= text.length
    else if (colon === -1) field(text, '')
    else field(text.slice(0, colon), text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1))
  }

  return {
    /** Throws `too_large` if an event or line exceeds the limit. */
    push(chunk: Uint8Array): void {
      const text = decoder.decode(chunk, { stream: true })
      let from = 0
      if (afterCr && text !== '') {
        afterCr = false
        if (text[0] === '\n') from = 1
      }
      LINE_END.lastIndex = from
      for (let found = LINE_END.exec(text); found !== null; found = LINE_END.exec(text)) {
        const at = found.index
        grow(at - from)
        const whole = line + text.slice(from, at)
        line = ''
        from = at + 1
        if (text[at] === '\r') {
          if (from === text.length) afterCr = true
          else if (text[from] === '\n') from += 1
        }
        // A handler may use the same expression on another stream.
        endLine(whole)
        if (whole === '') from = pastLineEnds(text, from)
        LINE_END.lastIndex = from
      }
      grow(text.length - from)
      line += text.slice(from)
    },
    /** The id of the last event that had one. */
    lastEventId: (): string => lastId,
    /** The reconnect delay requested by the server. */
    retryMs: (): number | undefined => retry,
  }
}
