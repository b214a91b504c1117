// The few sessions of one upstream: each key keeps to one of them, and a new key gets a new one while there is room.
export type Slot<S> = {
  session: S | undefined
  opening: Promise<S | undefined> | undefined
  keys: number
}

export type Slots<S> = {
  /** Without a key: the first. */
  of(key: string | undefined): Slot<S>
  all(): readonly Slot<S>[]
}

/** Beyond this the oldest keys are forgotten; they find a session again like new ones. */
const MOST_KEYS = 10_000

export function createSlots<S>(most: number): Slots<S> {
  const first: Slot<S> = { session: undefined, opening: undefined, keys: 0 }
  const slots = [first]
  const byKey = new Map<string, Slot<S>>()

  function assign(key: string): Slot<S> {
    let slot = slots.reduce((least, each) => (each.keys < least.keys ? each : least), first)
    if (slot.keys > 0 && slots.length < most) {
      slot = { session: undefined, opening: undefined, keys: 0 }
      slots.push(slot)
    }
    slot.keys += 1
    byKey.set(key, slot)
    if (byKey.size > MOST_KEYS)
      for (const [oldest, held] of byKey) {
        byKey.delete(oldest)
        held.keys -= 1
        break
      }
    return slot
  }

  return {
    of: (key) => (key === undefined ? first : (byKey.get(key) ?? assign(key))),
    all: () => slots,
  }
}
