// The listeners for changes of a surface's lists, notified of each at most once a second. Contract 5.5.
import type { ListKind } from '../mcp/connection.ts'
import { notificationText } from '../mcp/json-rpc.ts'
import type { Sessions } from './sessions.ts'

export type ListChanges = ReturnType<typeof createListChanges>

const AT_MOST_EVERY_MS = 1_000
const TEXT: Readonly<Record<ListKind, string>> = {
  tools: notificationText('notifications/tools/list_changed'),
  prompts: notificationText('notifications/prompts/list_changed'),
  resources: notificationText('notifications/resources/list_changed'),
}
/** No id of a surface holds a blank. */
const topic = (surface: string, kind: ListKind): string => `${kind} ${surface}`

export function createListChanges(sessions: Pick<Sessions, 'list'>, monotonic: () => number) {
  const listeners = new Map<string, Set<() => void>>()
  const received = new Map<string, number>()
  const waiting = new Map<string, NodeJS.Timeout>()

  function tell(surface: string, kind: ListKind): void {
    const about = topic(surface, kind)
    received.set(about, monotonic())
    for (const { surface: where, stream } of sessions.list())
      if (where === surface && stream?.accepts(kind)) stream.send(TEXT[kind])
    for (const listener of listeners.get(about) ?? []) listener()
  }

  function soon(surface: string, kind: ListKind): void {
    const about = topic(surface, kind)
    if (waiting.has(about)) return
    const left = (received.get(about) ?? Number.NEGATIVE_INFINITY) + AT_MOST_EVERY_MS - monotonic()
    if (left <= 0) {
      tell(surface, kind)
      return
    }
    // The last of a burst is never lost: it is sent when its second is over.
    const timer = setTimeout(() => {
      waiting.delete(about)
      tell(surface, kind)
    }, left)
    timer.unref()
    waiting.set(about, timer)
  }

  return {
    /** For an open answer of the modern era. */
    subscribe(surface: string, kind: ListKind, listener: () => void): () => void {
      const about = topic(surface, kind)
      const set = listeners.get(about) ?? new Set()
      set.add(listener)
      listeners.set(about, set)
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(about)
      }
    },
    /** A change may touch many surfaces; `undefined` is all of them. */
    changed(surfaces: readonly string[] | undefined, kind: ListKind = 'tools'): void {
      const arrived = [...listeners.keys()].flatMap((about) => {
        const [of, surface = ''] = about.split(' ', 2)
        return of === kind ? [surface] : []
      })
      const open = new Set([...sessions.list().map(({ surface }) => surface), ...arrived])
      for (const surface of open) if (surfaces === undefined || surfaces.includes(surface)) soon(surface, kind)
    },
    close(): void {
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}
