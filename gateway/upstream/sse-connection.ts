// An upstream of the transport of 2024-11-05 as a connection: each client has an event stream of its own.
import { type Connection, changedList, LISTS, type Listening } from '../mcp/connection.ts'
import { isRecord } from '../mcp/message.ts'
import { createSseSession, type SseParts, type SseSession } from './legacy-sse.ts'
import { createSlots, type Slot } from './slots.ts'

const HANDSHAKE_MS = 10_000

export function createSseConnection(parts: SseParts): Connection {
  const slots = createSlots<SseSession>(parts.mostSessions, ({ session }) => session?.close())

  const sessionOf = (slot: Slot<SseSession>): SseSession =>
    (slot.session ??= createSseSession(parts, slot.conversation.capabilities))

  async function during<T>(slot: Slot<SseSession>, work: (session: SseSession) => Promise<T>): Promise<T> {
    slot.busy += 1
    try {
      return await work(sessionOf(slot))
    } finally {
      slot.busy -= 1
    }
  }

  return {
    request: (ask) => during(slots.of(ask.conversation), (session) => session.request(ask)),
    notify: ({ key }, method, params) => slots.get(key)?.session?.notify(method, params),
    known: () => slots.of(undefined).session?.known(),
    facts: (timeoutMs) => during(slots.of(undefined), (session) => session.facts(timeoutMs)),
    listen: (onListChanged, onStart) =>
      during(slots.of(undefined), async (session): Promise<Listening> => {
        const { capabilities } = await session.facts(HANDSHAKE_MS)
        const some = LISTS.some((kind) => {
          const declared = capabilities[kind]
          return isRecord(declared) && declared.listChanged === true
        })
        if (!some) return 'unsupported'
        const onNotification = (method: string): void => {
          const kind = changedList(method)
          if (kind) onListChanged(kind)
        }
        await session.hear({ onNotification, onStart })
        return 'ended'
      }),
    hear: (hearing) =>
      during(slots.of(hearing.conversation), async (session): Promise<Listening> => {
        await session.facts(HANDSHAKE_MS)
        for (const uri of hearing.resources)
          await session.request({
            method: 'resources/subscribe',
            params: { uri },
            timeoutMs: HANDSHAKE_MS,
            maxBytes: parts.maxEventBytes,
            maxDepth: 64,
          })
        await session.hear(hearing)
        return 'ended'
      }),
    leave: (key) => slots.drop(key)?.session?.close(),
    async close() {
      for (const { conversation } of slots.all()) slots.drop(conversation.key)?.session?.close()
    },
  }
}
