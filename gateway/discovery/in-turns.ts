// Long lists are worked off in short turns, so that whoever waits for something else waits no longer than one of them.
import { setImmediate as nextTurn } from 'node:timers/promises'

const TURN_MS = 8

/** Between two turns anything may happen: what `each` looks at must not change meanwhile. */
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
