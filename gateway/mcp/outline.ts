// Parses large upstream messages in a worker thread: their outline, and results as JSON bytes.
import { LARGE_BYTES } from '../net/memory-budget.ts'
import { ownBytes } from '../text/own-bytes.ts'
import { type Incoming, readMessages } from './message.ts'
import { isRecord } from './record.ts'

/** A parsed message without its large result. */
export type Outline = { readonly message: Incoming; readonly result?: Uint8Array }

/** The size limit of an upstream's request, with images. */
const MOST_BESIDE = 1_048_576
/** The size limit of a notification. */
const MOST_NEWS = LARGE_BYTES
/** The size limit of an error's `data`. */
const MOST_DATA = LARGE_BYTES
/** The limit of non-answer messages per body: each costs work on the main thread. */
const MOST_MESSAGES = 1_000

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

/** Throws an `ExchangeError` for invalid JSON-RPC. Drops oversized messages that no caller awaits. */
export function outlinesOf(text: string, maxDepth: number): readonly Outline[] {
  let others = 0
  return readMessages(text, maxDepth).flatMap((message): readonly Outline[] => {
    if (message.kind !== 'response' && ++others > MOST_MESSAGES) return []
    if (message.kind === 'notification') return sizeOf(message) > MOST_NEWS ? [] : [{ message }]
    if (message.kind === 'request')
      // Refused like any other unsupported request.
      return [{ message: sizeOf(message) > MOST_BESIDE ? { ...message, params: {} } : message }]
    const { answer } = message
    if ('error' in answer) {
      const { data: _data, ...rest } = answer.error
      return [{ message: sizeOf(answer.error.data) > MOST_DATA ? { ...message, answer: { error: rest } } : message }]
    }
    const { result } = answer
    const json = JSON.stringify(result)
    // `input_required` results are read here, with the limit of requests.
    const asks = isRecord(result) && result.resultType === 'input_required'
    if (json.length < LARGE_BYTES || (asks && json.length <= MOST_BESIDE)) return [{ message }]
    return [{ message: { ...message, answer: { result: undefined } }, result: ownBytes(json) }]
  })
}

const PIECE = 65_536
/** The size limit of a list entry. */
const MOST_ENTRY = 1_048_576
const MOST_NAME = 256
/** Replaces an oversized entry, besides its name. */
export const TOO_LARGE = 'gantry/too-large'

function entryText(entry: unknown): string {
  const text = JSON.stringify(entry)
  if (text.length <= MOST_ENTRY) return text
  const name = isRecord(entry) && typeof entry.name === 'string' ? entry.name.slice(0, MOST_NAME) : undefined
  return JSON.stringify({ name, [TOO_LARGE]: true })
}

/** A list as chunks of JSON, each quick to parse. */
export function piecesOf(list: readonly unknown[]): readonly string[] {
  const pieces: string[] = []
  let piece: string[] = []
  let length = 0
  for (const entry of list) {
    const text = entryText(entry)
    piece.push(text)
    length += text.length
    if (length < PIECE) continue
    pieces.push(`[${piece.join()}]`)
    piece = []
    length = 0
  }
  if (piece.length > 0) pieces.push(`[${piece.join()}]`)
  return pieces
}
