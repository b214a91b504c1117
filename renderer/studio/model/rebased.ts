// A person's change of a value that holds several, made to the value that the editor has when the change's turn comes. Pure.
import { isRecord, same } from './properties.ts'

/** `from` became `value` under the hand; `now` may have changes of others, which stay where the hand changed nothing. */
export function rebased(from: unknown, value: unknown, now: unknown): unknown {
  if (same(from, now)) return value
  if (isRecord(from) && isRecord(value) && isRecord(now)) {
    const keys = [...new Set([...Object.keys(now), ...Object.keys(value)])]
    return Object.fromEntries(
      keys.flatMap((key) => {
        const item = same(from[key], value[key]) ? now[key] : rebased(from[key], value[key], now[key])
        return item === undefined ? [] : [[key, item] as const]
      }),
    )
  }
  if (!Array.isArray(from) || !Array.isArray(value) || !Array.isArray(now)) return value
  if (from.length === value.length && from.length === now.length)
    return value.map((item, at) => (same(from[at], item) ? now[at] : rebased(from[at], item, now[at])))
  // Items have no names: what others added or removed is applied to the list of the hand.
  const added = now.filter((item) => !from.some((old) => same(old, item)))
  const kept = value.filter((item) => now.some((each) => same(each, item)) || !from.some((old) => same(old, item)))
  return [...kept, ...added.filter((item) => !kept.some((each) => same(each, item)))]
}
