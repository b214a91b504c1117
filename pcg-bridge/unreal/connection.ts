// The life of a connection to one editor: one call at a time, busy, death, the next editor on the port.
import type { EditorStatus } from '../contract/index.ts'
import { PcgError } from '../editor/editor.ts'
import type { Json } from './bounded-json.ts'
import type { Carrier } from './carrier.ts'
import { handshake, type Identity, type Live, NotKnownError, perform } from './handshake.ts'
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
}
export type Connection = {
  call(op: string, args: Json, signal?: AbortSignal): Promise<unknown>
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
function within<T>(work: Promise<T>, ms: number, error: () => PcgError, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const onAbort = () => {
      end()
      reject(new PcgError('EDITOR_ERROR', 'Cancelled. The call may still take effect'))
    }
    const timer = setTimeout(
      () => {
        end()
        reject(error())
      },
      Math.max(0, ms),
    )
    signal?.addEventListener('abort', onAbort)
    work.then(resolve, reject).finally(end)
  })
}

export function createConnection(options: ConnectionOptions): Connection {
  const listeners = new Set<(state: ConnectionState) => void>()
  const timeoutMs = options.callTimeoutMs ?? CALL_MS
  let wanted = options.autoConnect ?? true
  let closed = false
  let live: Live | null = null
  // The connection broke and came back: the peer must prove itself again before the next call.
  let loose = false
  let connecting: Promise<Live> | null = null
  let bound: string | null = null
  let error: string | null = null
  let busy = false
  let latencyMs: number | null = null
  let lastSeenAt: string | null = null
  let tail: Promise<void> = Promise.resolve()
  let retry: NodeJS.Timeout | undefined

  function state(): ConnectionState {
    const status = live
      ? busy
        ? 'busy'
        : 'connected'
      : connecting
        ? 'connecting'
        : error === null
          ? 'disconnected'
          : 'error'
    return {
      status,
      error,
      identity: live?.identity ?? null,
      carrier: live?.carrier.kind ?? null,
      address: live?.carrier.address ?? null,
      proof: live?.proof ?? null,
      latencyMs: latencyMs === null ? null : Math.round(latencyMs),
      lastSeenAt,
      hint: latencyMs !== null && latencyMs > SLOW_MS ? THROTTLE_HINT : null,
    }
  }
  function tell(): void {
    const now = state()
    for (const listener of listeners) listener(now)
  }
  function drop(reason: string | null): void {
    const ended = live
    live = null
    loose = false
    error = reason
    ended?.carrier.close()
    tell()
    if (wanted && !closed) {
      clearTimeout(retry)
      retry = setTimeout(() => void connected().catch(() => undefined), RETRY_MS)
      retry.unref()
    }
  }

  async function open(): Promise<Live> {
    let opened: Carrier | null = null
    let over = false
    const carrier = await options.open({
      loose: () => {
        if (live?.carrier === opened) loose = true
      },
      gone: (reason) => {
        over = true
        if (live && live.carrier === opened) drop(`The editor is gone: ${reason}`)
      },
    })
    opened = carrier
    try {
      const late = () =>
        new PcgError('EDITOR_BUSY', 'The editor does not answer: it may be loading, or a window in it waits for you')
      const found = await within(handshake(carrier, options, bound), HANDSHAKE_MS, late)
      if (over || closed) throw new PcgError('EDITOR_UNAVAILABLE', 'The editor went away while connecting')
      return found
    } catch (reason) {
      carrier.close()
      throw reason
    }
  }

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
        tell()
        return found
      },
      (reason: unknown) => {
        connecting = null
        drop(reason instanceof Error ? reason.message : String(reason))
        throw reason
      },
    )
    tell()
    return connecting
  }

  async function send(op: string, args: Json): Promise<unknown> {
    const first = await connected()
    const started = performance.now()
    const slow = setTimeout(() => {
      busy = true
      tell()
    }, BUSY_AFTER_MS)
    try {
      const answer = await perform(first.carrier, first.session, op, args).catch(async (reason: unknown) => {
        if (!(reason instanceof NotKnownError)) throw reason
        // Nothing was done: the editor lost the program, or another process is there.
        loose = true
        const second = await connected()
        return perform(second.carrier, second.session, op, args)
      })
      const took = performance.now() - started
      latencyMs = latencyMs === null ? took : latencyMs * 0.7 + took * 0.3
      lastSeenAt = new Date().toISOString()
      return answer
    } finally {
      clearTimeout(slow)
      if (busy) {
        busy = false
        tell()
      }
    }
  }

  return {
    async call(op, args, signal) {
      if (signal?.aborted) throw new PcgError('EDITOR_ERROR', 'Cancelled')
      const until = performance.now() + timeoutMs
      const before = tail
      const turn = Promise.withResolvers<void>()
      tail = turn.promise
      try {
        const waited = () => new PcgError('EDITOR_BUSY', `The editor was busy for ${timeoutMs} ms: try again later`)
        await within(before, until - performance.now(), waited, signal)
      } catch (reason) {
        void before.then(turn.resolve)
        throw reason
      }
      if (!wanted && !live) {
        turn.resolve()
        throw new PcgError('EDITOR_UNAVAILABLE', 'The editor is disconnected: connect it first')
      }
      const work = send(op, args)
      // A caller who gave up does not free the editor: the next call waits for the end of this one.
      work.then(
        () => turn.resolve(),
        () => turn.resolve(),
      )
      const late = () =>
        new PcgError(
          'EDITOR_UNAVAILABLE',
          `The editor did not answer within ${timeoutMs} ms. The call may still take effect: read back before repeating it`,
        )
      try {
        return await within(work, until - performance.now(), late, signal)
      } catch (reason) {
        if (reason instanceof NotKnownError)
          throw new PcgError('EDITOR_UNAVAILABLE', 'The editor keeps losing the session: restart it')
        throw reason
      }
    },
    async connect() {
      wanted = true
      await connected()
    },
    disconnect() {
      wanted = false
      bound = null
      clearTimeout(retry)
      drop(null)
    },
    state,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closed = true
      wanted = false
      clearTimeout(retry)
      drop(null)
      listeners.clear()
    },
  }
}
