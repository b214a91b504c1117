// One stream of an upstream's notifications: a GET in a legacy session, or a modern subscription.
import type { Listening } from '../mcp/connection.ts'
import type { Incoming, JsonRecord } from '../mcp/message.ts'
import { modernHeaders } from '../mcp/mirrored-headers.ts'
import { legacyHeaders, type UpstreamSession } from './handshake.ts'
import type { Replier } from './reply.ts'
import { type Door, exchangeRpc, type Outgoing } from './wire.ts'

export type News = {
  /** Long-lived streams go through connections of their own, or they would take those of the calls. */
  readonly door: Door
  readonly onNotification: (method: string, params: JsonRecord) => void
  readonly onStart: (end: () => void) => void
  /** The upstream has accepted it. */
  readonly onOpen?: () => void
  /** The modern era asks nothing on such a stream. */
  readonly reply?: Replier
}

const LIFE_MS = 3_600_000
const EVENT_BYTES = 1_048_576
const DEPTH = 64

function streamOf({ onNotification, onStart, onOpen, reply }: News): Omit<Outgoing, 'method' | 'headers'> {
  return {
    remainingMs: () => LIFE_MS,
    maxBytes: Number.POSITIVE_INFINITY,
    maxEventBytes: EVENT_BYTES,
    maxDepth: DEPTH,
    onStart,
    ...(onOpen && {
      onHead: (status: number) => {
        if (status < 300) onOpen()
      },
    }),
    onMessage: (message: Incoming) => {
      if (message.kind === 'request') reply?.onRequest(message)
      else if (message.kind === 'notification') {
        if (message.method === 'notifications/cancelled') reply?.onCancelled(message.params)
        else onNotification(message.method, message.params)
      }
    },
  }
}

export async function listenModern(
  news: News,
  id: number,
  notifications: JsonRecord,
  _meta: JsonRecord,
): Promise<Listening> {
  const params = { notifications, _meta }
  const { status, answer } = await exchangeRpc(news.door, {
    method: 'POST',
    headers: modernHeaders('subscriptions/listen', params),
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params }),
    expects: id,
    ...streamOf(news),
  })
  const refused = answer && 'error' in answer && (answer.error.code === -32_601 || answer.error.code === -32_602)
  return refused || status === 405 ? 'unsupported' : 'ended'
}

/** `lost`: the session is gone. */
export async function listenLegacy(news: News, session: UpstreamSession): Promise<Listening | 'lost'> {
  const { status } = await exchangeRpc(news.door, {
    method: 'GET',
    headers: { ...legacyHeaders(session), accept: 'text/event-stream' },
    ...streamOf(news),
  })
  if (status === 405 || status === 406) return 'unsupported'
  return status === 404 ? 'lost' : 'ended'
}
