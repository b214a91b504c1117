// Long lists are processed in short turns, so that other work waits for one of them at most.
import { setImmediate as nextTurn } from 'node:timers/promises'

const TURN_MS = 8

/** Between two turns anything may happen: what `each` reads must not change in between. */
export async function inTurns<T, R>(list: Iterable<T>, each: (item: T) => R | Promise<R>): Promise<R[]> {
  const out: R[] = []
  let since = performance.now()
  for (const item of list) {
    const made = each(item)
    out.push(made instanceof Promise ? await made : made)
    if (performance.now() - since < TURN_MS) continue
    await nextTurn()
    since = performance.now()
  }
  return out
}
