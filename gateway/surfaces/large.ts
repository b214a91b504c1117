// A large answer on its way out: it lies beside the heap, is counted until it is taken, and a client that does not take it is let go.
import type { FastifyReply } from 'fastify'
import { sseFrame } from '../http/sse.ts'
import type { Room } from '../net/room.ts'
import type { Post } from './post.ts'

/** A modem's pace; whoever takes less holds an answer hostage. */
const SLOWEST_BYTES_A_MS = 32
const GRACE_MS = 15_000

export function sendLarge({ reply, forms }: Pick<Post, 'reply' | 'forms'>, text: string, room: Room): FastifyReply {
  const body = Buffer.from(forms.json ? text : sseFrame({ event: 'message', data: text }))
  const account = room.account()
  account.hold(body.length)
  const { raw } = reply
  const slow = setTimeout(() => raw.destroy(), GRACE_MS + body.length / SLOWEST_BYTES_A_MS)
  const taken = (): void => {
    clearTimeout(slow)
    account.free()
  }
  raw.once('finish', taken)
  raw.once('close', taken)
  return reply.header('content-type', forms.json ? 'application/json' : 'text/event-stream').send(body)
}
