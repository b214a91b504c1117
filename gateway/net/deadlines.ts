// One timer for the deadlines of all requests: arming and disarming cost a set entry instead of a timer.

/** The maximum delay of a deadline. */
const TICK_MS = 10

export type Deadline = { readonly act: () => void; readonly tick: number }

const slots = new Map<number, Set<Deadline>>()
let timer: NodeJS.Timeout | undefined
let reached = 0

const tickOf = (ms: number): number => Math.ceil(ms / TICK_MS)

function check(): void {
  const now = Math.floor(performance.now() / TICK_MS)
  for (; reached < now && slots.size > 0; reached += 1) {
    const tick = reached + 1
    // A deadline disarmed by another one of this tick is no longer in the set.
    for (const { act } of slots.get(tick) ?? []) act()
    slots.delete(tick)
  }
  if (slots.size > 0) return
  clearInterval(timer)
  timer = undefined
}

/** Calls `act` after the given milliseconds, unless disarmed. `act` must not throw. */
export function arm(ms: number, act: () => void): Deadline {
  const now = performance.now()
  if (timer === undefined) {
    reached = Math.floor(now / TICK_MS)
    timer = setInterval(check, TICK_MS)
  }
  const deadline: Deadline = { act, tick: Math.max(tickOf(now + ms), reached + 1) }
  const slot = slots.get(deadline.tick)
  if (slot) slot.add(deadline)
  else slots.set(deadline.tick, new Set([deadline]))
  return deadline
}

export function disarm(deadline: Deadline): void {
  const slot = slots.get(deadline.tick)
  if (slot?.delete(deadline) && slot.size === 0) slots.delete(deadline.tick)
}
