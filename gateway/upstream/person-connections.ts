// Connections to MCP upstreams that are called as people: one per backend and identity, the newest identity of a call gives its token.
import type { Acting } from '../identity/acting.ts'
import type { Connection, UpstreamInfo } from '../mcp/connection.ts'
import type { Era } from '../mcp/era.ts'
import type { Backend } from '../registry/backend.ts'

type Held = { readonly place: string; backend: Backend; acting: Acting; readonly connection: Connection }

export function createPersonConnections(most: number, close: (connection: Connection) => void) {
  /** In the order of their use. */
  const held = new Map<string, Held>()

  function drop(key: string, { connection }: Held): void {
    held.delete(key)
    close(connection)
  }

  return {
    of(
      backend: Backend,
      acting: Acting,
      same: (a: Backend, b: Backend) => boolean,
      connect: (newest: () => Acting) => Connection,
    ): Connection {
      const key = `${backend.name}\n${acting.key}`
      const known = held.get(key)
      if (known && (known.backend === backend || same(known.backend, backend))) {
        held.delete(key)
        held.set(key, known)
        known.backend = backend
        known.acting = acting
        return known.connection
      }
      if (known) drop(key, known)
      const made: Held = { place: key, backend, acting, connection: connect(() => (held.get(key) ?? made).acting) }
      held.set(key, made)
      for (const [oldest, entry] of held) {
        if (held.size <= most) break
        drop(oldest, entry)
      }
      return made.connection
    },
    /** What the upstream declared to any of them: the same for all. */
    known(name: string, era: Era | undefined): UpstreamInfo | undefined {
      for (const { backend, connection } of held.values())
        if (backend.name === name) {
          const info = connection.known(era)
          if (info) return info
        }
      return undefined
    },
    leave(key: string): void {
      for (const { connection } of held.values()) connection.leave(key)
    },
    /** The places whose connections ended. */
    end(actingKey: string): readonly string[] {
      const ended = [...held].filter(([, { acting }]) => acting.key === actingKey)
      for (const [key, entry] of ended) drop(key, entry)
      return ended.map(([, { place }]) => place)
    },
    endAll(name: string): void {
      for (const [key, entry] of held) if (entry.backend.name === name) drop(key, entry)
    },
  }
}
