// Messages between the instances of one database: rows of a table that each reads, with PostgreSQL's notices as a hint. One instance alone sends nothing.
import type { Relayed } from '../live/events.ts'
import type { FleetSessionMessages } from '../operations/access/fleet-sessions.ts'
import type { BreakerState } from '../pipeline/5-breaker/breaker.ts'
import type { Base } from '../records/base.ts'
import { lastMessage, messagesSince, pruneMessages, sendMessages } from '../storage/instance-messages.ts'
import type { SessionMessages } from '../surfaces/remote-calls.ts'
import { createRounds, type Rounds } from './rounds.ts'

/** The kinds of messages with their bodies. */
export type PeerMessages = SessionMessages &
  FleetSessionMessages & {
    /** The breaker of a backend opened or closed. */
    breaker: { readonly client: string; readonly state: Exclude<BreakerState, 'half_open'> }
    /** Drops the cached answers of a tool. */
    cache_purge: { readonly client: string; readonly tool: string }
    /** The processes of a local server end: it was stopped, restarted, or its secrets changed. */
    local_server_stop: { readonly name: string }
    approval_decided: { readonly id: number }
    /** Pages of the sender show live events for another minute. */
    listening: null
    events: readonly Relayed[]
  }
export type PeerMessage = keyof PeerMessages

export type Peers = {
  /** Whether another instance uses the database. */
  readonly active: () => boolean
  /** The ids of all instances that are alive. */
  readonly alive: () => readonly string[]
  /** To all others, or to one of them. Dropped without another. */
  send<K extends PeerMessage>(kind: K, body: PeerMessages[K], to?: string): void
  on<K extends PeerMessage>(kind: K, handler: (body: PeerMessages[K], from: string) => void): void
  /** Called when messages may have been missed: this instance was away for longer than they are kept. */
  readonly onGap: (handler: () => void) => void
}
export type PeerRounds = Peers & Rounds & { readonly soon: () => void }

type Deps = Pick<Base, 'database' | 'monotonic' | 'instanceId' | 'log'> & {
  readonly alive: () => readonly string[]
  /** After messages were sent. */
  readonly notify: () => Promise<void>
}

const KEPT_MS = 60_000
const GAP_MS = 45_000
const PRUNE_MS = 20_000
/** Waiting to be sent; the oldest are dropped. */
const MOST_QUEUED = 1_000
/** A file is read without a server, and has no notices. */
const POLL_MS = { sqlite: 100, postgres: 500 } as const

/** For a gateway that follows no others. */
export const NO_PEERS: PeerRounds = {
  active: () => false,
  alive: () => [],
  send: () => undefined,
  on: () => undefined,
  onGap: () => undefined,
  start: () => undefined,
  stop: () => Promise.resolve(),
  soon: () => undefined,
}

function createHandlers(log: Deps['log']) {
  const handlers = new Map<string, Set<(body: never, from: string) => void>>()
  const on: Peers['on'] = (kind, handler) => {
    const known = handlers.get(kind) ?? new Set()
    handlers.set(kind, known.add(handler))
  }
  function receive(kind: string, text: string, from: string): void {
    for (const handler of handlers.get(kind) ?? [])
      try {
        handler(JSON.parse(text) as never, from) // written by `send` of another instance
      } catch (error) {
        log.warn('a message of another instance could not be applied', { kind, from, error })
      }
  }
  return { on, receive }
}

export function createPeers({ database, instanceId, log, monotonic, alive, notify }: Deps): PeerRounds {
  const { on, receive } = createHandlers(log)
  const gapHandlers = new Set<() => void>()
  let queue: { readonly kind: string; readonly body: string; readonly recipient: string | null }[] = []
  let cursor: number | undefined
  let readAtMs = monotonic()
  let prunedAtMs = monotonic()
  /** Read positions with their times: messages are pruned by their age here, not by the clocks of the senders. */
  let marks: { readonly id: number; readonly atMs: number }[] = []
  let failing = false

  const active = (): boolean => alive().some((id) => id !== instanceId)

  async function flush(): Promise<void> {
    if (queue.length === 0) return
    const sending = queue
    queue = []
    try {
      await sendMessages(database, instanceId, sending)
    } catch (error) {
      queue = [...sending, ...queue].slice(-MOST_QUEUED)
      throw error
    }
    await notify()
  }

  async function read(): Promise<void> {
    for (;;) {
      const rows = await messagesSince(database.query, (cursor ??= await lastMessage(database.query)))
      if (monotonic() - readAtMs > GAP_MS) for (const handler of gapHandlers) handler()
      readAtMs = monotonic()
      for (const { id, sender, recipient, kind, body } of rows) {
        cursor = id
        if (sender !== instanceId && (recipient === null || recipient === instanceId)) receive(kind, body, sender)
      }
      if (rows.length === 0) return
      marks.push({ id: cursor, atMs: readAtMs })
    }
  }

  async function prune(): Promise<void> {
    const now = monotonic()
    const old = marks.findLast(({ atMs }) => now - atMs > KEPT_MS)
    if (old === undefined || now - prunedAtMs < PRUNE_MS) return
    prunedAtMs = now
    marks = marks.filter(({ id }) => id > old.id)
    await pruneMessages(database, old.id)
  }

  const rounds = createRounds(POLL_MS[database.engine], async () => {
    try {
      if (!active()) {
        queue = []
        // Messages of an instance that joins are read once its row is visible.
        readAtMs = monotonic()
        cursor ??= await lastMessage(database.query)
        return
      }
      await flush()
      await read()
      await prune()
      if (failing) log.info('messages of other instances are read again')
      failing = false
    } catch (error) {
      if (!failing) log.warn('messages of other instances could not be read, and are tried again', { error })
      failing = true
    }
  })

  return {
    ...rounds,
    active,
    alive,
    send(kind, body, to) {
      if (!active()) return
      queue.push({ kind, body: JSON.stringify(body), recipient: to ?? null })
      if (queue.length > MOST_QUEUED) queue.shift()
      if (queue.length === 1) rounds.soon()
    },
    on,
    onGap: (handler) => void gapHandlers.add(handler),
  }
}
