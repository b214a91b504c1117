// The life of a connection to one editor: one call at a time, busy, death, the next editor on the port.
import type { EditorStatus } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import { createQueue } from '../editor/queue.ts'
import type { Json } from './bounded-json.ts'
import type { Carrier } from './carrier.ts'
import { handshake, type Identity, type Live, NotKnownError, perform } from './handshake.ts'
import type { TurnOf } from './program.ts'
import { THROTTLE_HINT } from './setup.ts'

export type OpenCarrier = (on: { loose: () => void; gone: (reason: string) => void }) => Promise<Carrier>
export type ConnectionOptions = {
  readonly open: OpenCarrier
  /** The folder the editor must have open. */
  readonly project?: string
  /** Talks to an editor whose project folder this machine cannot see. */
  readonly acceptUnproven?: boolean
  readonly autoConnect?: boolean
  readonly callTimeoutMs?: number
}
export type ConnectionState = {
  readonly status: EditorStatus
  readonly error: string | null
  readonly identity: Identity | null
  readonly carrier: Carrier['kind'] | null
  readonly address: string | null
  /** What the peer has proven: that it reads the project's folder, or only that it has the address the user entered. */
  readonly proof: 'project folder' | 'address' | null
  readonly latencyMs: number | null
  readonly lastSeenAt: string | null
  readonly hint: string | null
  /** The operation that runs in the editor. */
  readonly running: string | null
  readonly session: string | null
}
export type Connection = {
  call(op: string, args: Json, signal?: AbortSignal, turn?: TurnOf | null): Promise<unknown>
  connect(): Promise<void>
  disconnect(): void
  state(): ConnectionState
  onChange(listener: (state: ConnectionState) => void): () => void
  close(): void
}

const HANDSHAKE_MS = 15_000
const RETRY_MS = 1500
const BUSY_AFTER_MS = 1500
const SLOW_MS = 250
const CALL_MS = 60_000

/** Rejects when the work takes longer; the work goes on. */
function within<T>(work: Promise<T>, ms: number, error: () => PcgError): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(error()), ms)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

type Watch = {
  loose(carrier: Carrier | null): void
  gone(carrier: Carrier | null, reason: string): void
  closed(): boolean
}

async function openLive(options: ConnectionOptions, bound: string | null, watch: Watch): Promise<Live> {
  let opened: Carrier | null = null
  let over = false
  const carrier = await options.open({
    loose: () => watch.loose(opened),
    gone: (reason) => {
      over = true
      watch.gone(opened, reason)
    },
  })
  opened = carrier
  try {
    const late = () =>
      new PcgError('EDITOR_BUSY', 'The editor does not answer: it may be loading, or a window in it waits for you')
    const found = await within(handshake(carrier, options, bound), HANDSHAKE_MS, late)
    if (over || watch.closed()) throw new PcgError('EDITOR_UNAVAILABLE', 'The editor went away while connecting')
    return found
  } catch (reason) {
    carrier.close()
    throw reason
  }
}

type Link = {
  state(): { readonly live: Live | null; readonly connecting: boolean; readonly error: string | null }
  wanted(): boolean
  connected(): Promise<Live>
  /** The peer must prove itself again before the next call. */
  loosen(): void
  want(): void
  leave(): void
  close(): void
}

/** The connection to the peer: opened on demand, proven again after a break, retried while it is wanted. */
function createLink(options: ConnectionOptions, changed: () => void): Link {
  let wanted = options.autoConnect ?? true
  let closed = false
  let live: Live | null = null
  let loose = false
  let connecting: Promise<Live> | null = null
  let bound: string | null = null
  let error: string | null = null
  let retry: NodeJS.Timeout | undefined

  function drop(reason: string | null): void {
    const ended = live
    live = null
    loose = false
    error = reason
    ended?.carrier.close()
    changed()
    if (!wanted || closed) return
    clearTimeout(retry)
    retry = setTimeout(() => void connected().catch(() => undefined), RETRY_MS).unref()
  }

  const open = (): Promise<Live> =>
    openLive(options, bound, {
      loose(carrier) {
        if (live?.carrier === carrier) loose = true
      },
      gone(carrier, reason) {
        if (live && live.carrier === carrier) drop(`The editor is gone: ${reason}`)
      },
      closed: () => closed,
    })

  function connected(): Promise<Live> {
    if (closed) return Promise.reject(new PcgError('EDITOR_UNAVAILABLE', 'The connection is closed'))
    if (live && !loose) return Promise.resolve(live)
    if (connecting) return connecting
    const ended = live
    live = null
    loose = false
    ended?.carrier.close()
    connecting = open().then(
      (found) => {
        connecting = null
        live = found
        bound ??= found.identity.project
        error = null
        changed()
        return found
      },
      (reason: unknown) => {
        connecting = null
        drop(reason instanceof Error ? reason.message : String(reason))
        throw reason
      },
    )
    changed()
    return connecting
  }

  function leave(): void {
    wanted = false
    bound = null
    clearTimeout(retry)
    drop(null)
  }
  return {
    state: () => ({ live, connecting: connecting !== null, error }),
    wanted: () => wanted || live !== null,
    connected,
    loosen() {
      loose = true
    },
    want() {
      wanted = true
    },
    leave,
    close() {
      closed = true
      leave()
    },
  }
}

export function createConnection(options: ConnectionOptions): Connection {
  const listeners = new Set<(state: ConnectionState) => void>()
  const queue = createQueue({ max: Number.POSITIVE_INFINITY, timeoutMs: options.callTimeoutMs ?? CALL_MS })
  let busy = false
  let latencyMs: number | null = null
  let lastSeenAt: string | null = null
  const link = createLink(options, announce)

  function state(): ConnectionState {
    const { live, connecting, error } = link.state()
    const open = busy ? 'busy' : 'connected'
    return {
      status: live ? open : connecting ? 'connecting' : error === null ? 'disconnected' : 'error',
      error,
      identity: live?.identity ?? null,
      carrier: live?.carrier.kind ?? null,
      address: live?.carrier.address ?? null,
      proof: live?.proof ?? null,
      latencyMs: latencyMs === null ? null : Math.round(latencyMs),
      lastSeenAt,
      running: queue.state().running,
      session: live?.session ?? null,
      hint: latencyMs !== null && latencyMs > SLOW_MS ? THROTTLE_HINT : null,
    }
  }
  function announce(): void {
    const now = state()
    for (const listener of listeners) listener(now)
  }
  function setBusy(value: boolean): void {
    if (busy === value) return
    busy = value
    announce()
  }

  async function send(op: string, args: Json, turn: TurnOf | null): Promise<unknown> {
    const first = await link.connected()
    const started = performance.now()
    const slow = setTimeout(() => setBusy(true), BUSY_AFTER_MS)
    try {
      const answer = await perform(first.carrier, first.session, op, args, turn).catch(async (reason: unknown) => {
        if (!(reason instanceof NotKnownError)) throw reason
        // Nothing was done: the editor lost the program, or another process is there.
        link.loosen()
        const second = await link.connected()
        return perform(second.carrier, second.session, op, args, turn)
      })
      const took = performance.now() - started
      latencyMs = latencyMs === null ? took : latencyMs * 0.7 + took * 0.3
      lastSeenAt = new Date().toISOString()
      return answer
    } catch (reason) {
      if (!(reason instanceof NotKnownError)) throw reason
      throw new PcgError('EDITOR_UNAVAILABLE', 'The editor keeps losing the session: restart it')
    } finally {
      clearTimeout(slow)
      setBusy(false)
    }
  }

  return {
    call: (op, args, signal, turn = null) =>
      queue.run(op, signal, async () => {
        if (link.wanted()) return send(op, args, turn)
        throw new PcgError('EDITOR_UNAVAILABLE', 'The editor is disconnected: connect it first')
      }),
    async connect() {
      link.want()
      await link.connected()
    },
    disconnect: link.leave,
    state,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      link.close()
      listeners.clear()
    },
  }
}
