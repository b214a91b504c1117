// Who wants to hear that a surface's tools changed, told at most once a second each. Contract 5.5.
import { notificationText } from './json-rpc.ts'
import type { Sessions } from './sessions.ts'

export type ListChanges = {
  /** For an open answer of the modern era. */
  subscribe(surface: string, listener: () => void): () => void
  /** A change may touch many surfaces; `undefined` is all of them. */
  changed(surfaces: readonly string[] | undefined): void
  close(): void
}

const AT_MOST_EVERY_MS = 1_000
const TEXT = notificationText('notifications/tools/list_changed')

export function createListChanges(sessions: Pick<Sessions, 'list'>, now: () => number): ListChanges {
  const listeners = new Map<string, Set<() => void>>()
  const told = new Map<string, number>()
  const waiting = new Map<string, NodeJS.Timeout>()

  function tell(surface: string): void {
    told.set(surface, now())
    for (const session of sessions.list()) if (session.surface === surface) session.stream?.send(TEXT)
    for (const listener of listeners.get(surface) ?? []) listener()
  }

  function soon(surface: string): void {
    if (waiting.has(surface)) return
    const left = (told.get(surface) ?? Number.NEGATIVE_INFINITY) + AT_MOST_EVERY_MS - now()
    if (left <= 0) {
      tell(surface)
      return
    }
    // The last of a burst is never lost: it is told when its second is over.
    const timer = setTimeout(() => {
      waiting.delete(surface)
      tell(surface)
    }, left)
    timer.unref()
    waiting.set(surface, timer)
  }

  return {
    subscribe(surface, listener) {
      const set = listeners.get(surface) ?? new Set()
      set.add(listener)
      listeners.set(surface, set)
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(surface)
      }
    },
    changed(surfaces) {
      const open = new Set([...sessions.list().map(({ surface }) => surface), ...listeners.keys()])
      for (const surface of open) if (surfaces === undefined || surfaces.includes(surface)) soon(surface)
    },
    close() {
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}
