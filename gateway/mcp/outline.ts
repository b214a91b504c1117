// Large messages of an upstream, read in another thread: what they are, and their results as JSON for whoever goes on with them.
import { LARGE_BYTES } from '../net/memory-budget.ts'
import { ownBytes } from '../text/own-bytes.ts'
import { type Incoming, readMessages } from './message.ts'
import { isRecord } from './record.ts'

/** A message of which everything but a large result is there. */
export type Outline = { readonly message: Incoming; readonly result?: Uint8Array }

/** What an upstream asks is no larger, with the images it may hold. */
const MOST_BESIDE = 1_048_576
/** Of what it only tells. */
const MOST_NEWS = LARGE_BYTES
/** Of what an error carries for programs to read. */
const MOST_DATA = LARGE_BYTES
/** Messages of one text that are no answer: each is a step of work on the main thread. */
const MOST_MESSAGES = 1_000

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

/** Throws an `ExchangeError` for what is no JSON-RPC. What nobody waits for is left out when it is too large. */
export function outlinesOf(text: string, maxDepth: number): readonly Outline[] {
  let others = 0
  return readMessages(text, maxDepth).flatMap((message): readonly Outline[] => {
    if (message.kind !== 'response' && ++others > MOST_MESSAGES) return []
    if (message.kind === 'notification') return sizeOf(message) > MOST_NEWS ? [] : [{ message }]
    if (message.kind === 'request')
      // Refused with the error of what it asks for, as any other request that cannot be met.
      return [{ message: sizeOf(message) > MOST_BESIDE ? { ...message, params: {} } : message }]
    const { answer } = message
    if ('error' in answer) {
      const { data: _data, ...rest } = answer.error
      return [{ message: sizeOf(answer.error.data) > MOST_DATA ? { ...message, answer: { error: rest } } : message }]
    }
    const { result } = answer
    const json = JSON.stringify(result)
    // What an upstream wants to know first is read here, and may be no larger than any other question.
    const asks = isRecord(result) && result.resultType === 'input_required'
    if (json.length < LARGE_BYTES || (asks && json.length <= MOST_BESIDE)) return [{ message }]
    return [{ message: { ...message, answer: { result: undefined } }, result: ownBytes(json) }]
  })
}

const PIECE = 65_536
/** Of one entry of a list. */
const MOST_ENTRY = 1_048_576
const MOST_NAME = 256
/** Replaces a larger entry, beside its name. */
export const TOO_LARGE = 'gantry/too-large'

function entryText(entry: unknown): string {
  const text = JSON.stringify(entry)
  if (text.length <= MOST_ENTRY) return text
  const name = isRecord(entry) && typeof entry.name === 'string' ? entry.name.slice(0, MOST_NAME) : undefined
  return JSON.stringify({ name, [TOO_LARGE]: true })
}

/** A list in pieces of JSON that are short to read each. */
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
