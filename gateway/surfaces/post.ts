// A POST, or another request of an endpoint: one record from the socket on, and the stream its answer may become.
import type { DirectReply, DirectRequest } from '../http/direct.ts'
import { openSse, type SseStream } from '../http/sse.ts'
import type { Streams } from '../http/streams.ts'
import type { Caller } from '../pipeline/call.ts'
import { BOTH_FORMS, type Forms } from './answer-forms.ts'
import type { Session } from './sessions.ts'
import type { Surface } from './surface.ts'

export class Post {
  readonly request: DirectRequest
  readonly reply: DirectReply
  readonly caller: Caller
  readonly surface: Surface
  session: Session | undefined
  /** Why it will be refused: held until the body shows which message the answer is for. */
  refusal: unknown
  forms: Forms = BOTH_FORMS
  bytes = 0
  modern = false
  /** The name that its client gave itself in the request. */
  program: string | null = null
  /** Several messages in one: nothing is sent before all of them are answered. */
  batched = false
  /** Open once data had to be sent before the answer. */
  stream: SseStream | undefined

  constructor(request: DirectRequest, reply: DirectReply, caller: Caller, surface: Surface) {
    this.request = request
    this.reply = reply
    this.caller = caller
    this.surface = surface
  }
}

/** The name that the client gave itself, here or when its session began. */
export const programOf = ({ program, session }: Post): string | null => program ?? session?.clientInfo?.name ?? null

/** The answer as a stream, from now on; undefined when it cannot be one. */
export function streamOf(post: Post, streams: Streams): SseStream | undefined {
  if (post.stream) return post.stream
  if (!post.forms.sse || post.batched) return undefined
  // It ends with its answer, also when the process is about to stop; only a wait for the client is given up then.
  post.stream = openSse(post.request, post.reply, streams, { onStop: () => post.session?.asks.end() })
  return post.stream
}

/** How to say something to the client of this request before it is answered. */
export function senderTo(post: Post, streams: Streams): ((text: string) => void) | undefined {
  const stream = streamOf(post, streams)
  if (stream) return (data) => void stream.send({ event: 'message', data })
  return post.session?.stream?.send
}

/** The same for news that a client can do without: it gets none while it has not read what was sent before. */
export function noticeTo(post: Post, streams: Streams): ((text: string) => void) | undefined {
  const stream = streamOf(post, streams)
  if (stream) return (data) => void stream.offer({ event: 'message', data })
  return post.session?.stream?.send
}

/** No stream continues with an ended credential. */
export function endsWith({ onEnd }: Caller, stream: SseStream): void {
  const forget = onEnd?.(stream.close)
  if (forget) stream.onClose(forget)
}
