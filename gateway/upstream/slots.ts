// One session of an upstream for each client that talks to it: no two ever share one. The ones used last are kept.
import type { Conversation } from '../mcp/connection.ts'

export type Slot<S> = {
  conversation: Conversation
  session: S | undefined
  opening: Promise<S | undefined> | undefined
  /** Requests and streams under way. */
  busy: number
  /** As last set in its session. */
  logLevel: string | undefined
}

export type Slots<S> = {
  /** Without a conversation: our own. */
  of(conversation: Conversation | undefined): Slot<S>
  get(key: string): Slot<S> | undefined
  /** Forgets it; its session is the caller's to end. */
  drop(key: string): Slot<S> | undefined
  all(): readonly Slot<S>[]
}

const OWN: Conversation = { key: '', capabilities: {} }
/** To learn what an upstream of both eras declares to legacy clients. */
export const OWN_LEGACY: Conversation = { key: 'legacy', capabilities: {}, era: 'legacy' }

export function createSlots<S>(most: number, onLeft: (slot: Slot<S>) => void): Slots<S> {
  const slots = new Map<string, Slot<S>>()

  function make(conversation: Conversation): Slot<S> {
    const slot: Slot<S> = { conversation, session: undefined, opening: undefined, busy: 0, logLevel: undefined }
    slots.set(conversation.key, slot)
    if (slots.size > most)
      for (const [key, oldest] of slots) {
        if (oldest.busy > 0 || oldest === slot) continue
        slots.delete(key)
        onLeft(oldest)
        break
      }
    return slot
  }

  return {
    of(conversation = OWN) {
      const known = slots.get(conversation.key)
      if (!known) return make(conversation)
      // Work on behalf of a client, such as the step of a composite, says less of the client than its own requests.
      if (conversation.era !== undefined) known.conversation = conversation
      // The first of the map is the one that was not used for longest.
      if (slots.size > most / 2) {
        slots.delete(conversation.key)
        slots.set(conversation.key, known)
      }
      return known
    },
    get: (key) => slots.get(key),
    drop(key) {
      const slot = slots.get(key)
      slots.delete(key)
      return slot
    },
    all: () => [...slots.values()],
  }
}
