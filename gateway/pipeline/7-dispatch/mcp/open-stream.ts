// Opens the stream on which an upstream sends one client what belongs to no request. The stream outlives the call that opens it.

import type { Connection, Listening, ListKind } from '../../../mcp/connection.ts'
import type { Outcome } from '../../../outcome/outcome.ts'
import type { WithheldNow } from '../../../upstream/withheld.ts'
import type { StreamHooks, Talk } from '../../call.ts'
import { noticesTo, requestsTo } from './send.ts'

type Parts = {
  readonly connection: Connection
  readonly talk: Talk
  readonly withheld: WithheldNow
  readonly onListChanged: (kind: ListKind) => void
}

/** Servers may hold the head of a stream back until they have something to send. */
const QUIET_MS = 5_000
const OPEN: Outcome = { kind: 'ok', result: { content: [] } }

/** Rejects when the stream fails before it is open. */
export async function openStream(stream: StreamHooks, parts: Parts): Promise<Outcome> {
  const { connection, talk, withheld, onListChanged } = parts
  const { promise: quiet, resolve: live } = Promise.withResolvers<'open'>()
  const timer = setTimeout(live, QUIET_MS, 'open').unref()
  let how: Listening = 'ended'
  const over = connection
    .hear({
      conversation: talk.conversation,
      resources: stream.resources,
      onNotification: noticesTo(talk, withheld, onListChanged),
      onServerRequest:
        requestsTo(talk, withheld) ??
        (async () => ({ error: { code: -32_601, message: 'The client cannot be asked' } })),
      onStart: stream.onStart,
      onOpen: () => live('open'),
    })
    .then((ended) => {
      how = ended
    })
    .finally(() => {
      clearTimeout(timer)
      stream.onEnd(how)
    })
  await Promise.race([over, quiet])
  return OPEN
}
