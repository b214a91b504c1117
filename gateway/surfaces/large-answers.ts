// A large answer on its way out: it lies beside the heap, is counted until it is taken, and a client that does not take it is let go.
import type { ServerResponse } from 'node:http'
import type { SseStream } from '../http/sse.ts'
import { around, bytesOf, type Json } from '../mcp/json-text.ts'
import type { MemoryBudget } from '../net/memory-budget.ts'
import type { Post } from './post.ts'

/** A modem's pace; a slower reader holds an answer hostage. */
const SLOWEST_BYTES_A_MS = 32
const GRACE_MS = 15_000

/** JSON that we write has no line breaks. */
const asEvent = (json: Json): Json => around('event: message\ndata: ', json, '\n\n')

export function sendLarge({ reply, forms }: Pick<Post, 'reply' | 'forms'>, json: Json, room: MemoryBudget): void {
  sendBytes({ reply, forms }, bytesOf(forms.json ? json : asEvent(json)), room)
}

export function sendBytes({ reply, forms }: Pick<Post, 'reply' | 'forms'>, body: Buffer, room: MemoryBudget): void {
  counted(reply.raw, body, room)
  reply.header('content-type', forms.json ? 'application/json' : 'text/event-stream').send(body)
}

/** The last event of a stream. It is not cut off for what its reader has not taken yet. */
export function endWith(stream: SseStream, { raw }: Post['reply'], json: Json, room: MemoryBudget): void {
  const frame = bytesOf(asEvent(json))
  counted(raw, frame, room)
  stream.endWith(frame)
}

function counted(raw: ServerResponse, { length }: Buffer, room: MemoryBudget): void {
  const account = room.account()
  account.hold(length)
  const slow = setTimeout(() => raw.destroy(), GRACE_MS + length / SLOWEST_BYTES_A_MS)
  const taken = (): void => {
    clearTimeout(slow)
    account.free()
  }
  raw.once('finish', taken)
  raw.once('close', taken)
  // A listener that left in the meantime receives nothing more.
  if (raw.destroyed) taken()
}
