// The kept answers: bounded in number and size together, the least recently used one is evicted, and those of a tool go when it changes.
import type { CallToolResult, Succeeded } from '../../outcome/outcome.ts'
import type { ToolCall } from '../call.ts'
import { versionOf } from './answer-key.ts'
import { type Packed, pack, unpack } from './packed.ts'

/** Everything that is kept of one tool as it is. What was asked before it changed finds no place any more. */
export type Shelf = {
  readonly client: string
  readonly tool: string
  readonly version: string
  readonly keys: Set<string>
}

export type CachedAnswer = {
  readonly bytes: number
  readonly requestId: string
  readonly truncated: boolean
  readonly result: () => CallToolResult
}

export type ResponseCache = {
  shelf(call: ToolCall): Shelf
  /** `touch`: it counts as used. */
  find(key: string, touch: boolean): CachedAnswer | undefined
  /** False when it is not kept: too large, its tool changed in the meantime, or another call was faster. */
  store(shelf: Shelf, key: string, value: Storing): boolean
  /** How many answers of a tool were forgotten. */
  purge(client: string, tool: string): number
  /** Forgets everything. */
  clear(): void
  /** Forgets what a backend answered, but for tools that are as they were. */
  changed(client: string, monotonic: (tool: string) => string | undefined): void
  entries(mine?: (client: string) => boolean): number
}

type Storing = {
  readonly requestId: string
  readonly outcome: Succeeded
  readonly ttlMs: number
  readonly mostBytes: number
}

type Entry = Packed &
  Pick<CachedAnswer, 'requestId' | 'truncated'> & { readonly shelf: Shelf; readonly untilMs: number }

type Options = {
  readonly maxEntries: number
  readonly maxBytes: number
  /** Monotonic. */
  readonly monotonic: () => number
  readonly onEvicted: (client: string) => void
}

/** What an entry costs beside its bytes. */
const AROUND_BYTES = 512
/** Looked at with each that is stored, so that what is over does not lie there until it is pushed out. */
const SWEPT = 2

export const costOf = (bytes: number): number => bytes + AROUND_BYTES

const placeOf = (client: string, tool: string): string => `${client}\u0001${tool}`

export function createResponseCache({ maxEntries, maxBytes, monotonic, onEvicted }: Options): ResponseCache {
  /** The least recently used one first. */
  const entries = new Map<string, Entry>()
  const shelves = new Map<string, Shelf>()
  let held = 0
  let sweep = entries.entries()

  function forget(key: string, { shelf, bytes }: Entry): void {
    entries.delete(key)
    shelf.keys.delete(key)
    held -= costOf(bytes.length)
  }

  function clear(shelf: Shelf): number {
    shelves.delete(placeOf(shelf.client, shelf.tool))
    const { size } = shelf.keys
    for (const key of shelf.keys) {
      const entry = entries.get(key)
      if (entry) forget(key, entry)
    }
    return size
  }

  function sweepOn(): void {
    for (let each = 0; each < SWEPT; each++) {
      const next = sweep.next()
      if (next.done) {
        sweep = entries.entries()
        return
      }
      const [key, entry] = next.value
      if (entry.untilMs <= monotonic()) forget(key, entry)
    }
  }

  function makeRoom(): void {
    for (const [key, entry] of entries) {
      if (entries.size <= maxEntries && held <= maxBytes) return
      forget(key, entry)
      onEvicted(entry.shelf.client)
    }
  }

  return {
    shelf({ backend, tool }) {
      const [place, version] = [placeOf(backend.name, tool.name), versionOf(backend, tool)]
      const known = shelves.get(place)
      if (known?.version === version) return known
      if (known) clear(known)
      const fresh: Shelf = { client: backend.name, tool: tool.name, version, keys: new Set() }
      shelves.set(place, fresh)
      return fresh
    },

    find(key, touch) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.untilMs <= monotonic()) {
        forget(key, entry)
        return undefined
      }
      if (touch) {
        entries.delete(key)
        entries.set(key, entry)
      }
      const { bytes, requestId, truncated } = entry
      return { bytes: bytes.length, requestId, truncated, result: () => unpack(entry) }
    },

    store(shelf, key, { requestId, outcome, ttlMs, mostBytes }) {
      if (shelves.get(placeOf(shelf.client, shelf.tool)) !== shelf || entries.has(key)) return false
      const packed = pack(outcome.result, Math.min(mostBytes, maxBytes - AROUND_BYTES))
      if (packed === undefined) return false
      const truncated = outcome.from?.truncated === true
      entries.set(key, { ...packed, shelf, requestId, truncated, untilMs: monotonic() + ttlMs })
      shelf.keys.add(key)
      held += costOf(packed.bytes.length)
      makeRoom()
      sweepOn()
      return true
    },

    purge(client, tool) {
      const shelf = shelves.get(placeOf(client, tool))
      return shelf ? clear(shelf) : 0
    },

    clear() {
      for (const shelf of shelves.values()) clear(shelf)
    },

    changed(client, current) {
      for (const shelf of shelves.values())
        if (shelf.client === client && current(shelf.tool) !== shelf.version) clear(shelf)
    },

    entries(mine) {
      if (mine === undefined) return entries.size
      return [...shelves.values()].reduce((sum, { client, keys }) => (mine(client) ? sum + keys.size : sum), 0)
    },
  }
}
