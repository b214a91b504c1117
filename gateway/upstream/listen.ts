// One life of the stream that tells of changed lists: a GET in a legacy session, or a modern subscription.
import type { Listening } from './connection.ts'
import { legacyHeaders, type Session } from './handshake.ts'
import type { Incoming, JsonRecord } from './message.ts'
import { modernHeaders } from './mirrored.ts'
import type { Replier } from './reply.ts'
import { type Door, exchangeRpc, type Outgoing } from './wire.ts'

export type Hearing = {
  /** Long-lived streams go through connections of their own, or they would take those of the calls. */
  readonly door: Door
  readonly onListChanged: () => void
  readonly onOpen: (end: () => void) => void
}

const LIFE_MS = 3_600_000
const EVENT_BYTES = 1_048_576
const DEPTH = 64

function streamOf(
  { onListChanged, onOpen }: Hearing,
  reply: Replier | undefined,
): Omit<Outgoing, 'method' | 'headers'> {
  return {
    remainingMs: () => LIFE_MS,
    maxBytes: Number.POSITIVE_INFINITY,
    maxEventBytes: EVENT_BYTES,
    maxDepth: DEPTH,
    onStart: onOpen,
    onMessage: (message: Incoming) => {
      if (message.kind === 'request') reply?.(message)
      else if (message.kind === 'notification' && message.method === 'notifications/tools/list_changed') onListChanged()
    },
  }
}

export async function listenModern(hearing: Hearing, id: number, meta: JsonRecord): Promise<Listening> {
  const params = { notifications: { toolsListChanged: true }, _meta: meta }
  const { status, answer } = await exchangeRpc(hearing.door, {
    method: 'POST',
    headers: modernHeaders('subscriptions/listen', params),
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params }),
    expects: id,
    ...streamOf(hearing, undefined),
  })
  const refused = answer && 'error' in answer && (answer.error.code === -32_601 || answer.error.code === -32_602)
  return refused || status === 405 ? 'unsupported' : 'ended'
}

/** `lost`: the session is gone. */
export async function listenLegacy(hearing: Hearing, session: Session, reply: Replier): Promise<Listening | 'lost'> {
  const { status } = await exchangeRpc(hearing.door, {
    method: 'GET',
    headers: { ...legacyHeaders(session), accept: 'text/event-stream' },
    ...streamOf(hearing, reply),
  })
  if (status === 405 || status === 406) return 'unsupported'
  return status === 404 ? 'lost' : 'ended'
}
