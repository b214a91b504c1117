// One connection pool per pin. Dials pinned addresses only, and checks the socket's remote address.
import { isIP, Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { mayDial } from './address.ts'
import type { Pin } from './pin.ts'
import { timedDial } from './timing.ts'

export type PoolOptions = {
  readonly connections: number
  readonly connectTimeoutMs: number
  /** Whether requests over it are timed. */
  readonly timed?: boolean | undefined
  /** Separates pools of different credentials for one origin. */
  readonly owner?: string
}

type Connector = ReturnType<typeof buildConnector>
type Callback = Parameters<Connector>[1]

/** The address is no longer permitted: a pin edited in the database, or a socket connected elsewhere. */
export class BlockedAddress extends Error {
  constructor() {
    super('the target is not a permitted address')
    this.name = 'BlockedAddress'
  }
}

/** Dials the pinned addresses in turn, and no other. */
export function pinnedConnector(pin: Pin, connectTimeoutMs: number, timed = false): Connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false })
  const servername = isIP(pin.hostname) ? undefined : pin.hostname
  const dial = (options: Parameters<Connector>[0], index: number, done: Callback, from = 0): void => {
    const address = pin.addresses[index]
    if (address === undefined || !mayDial(address, pin.port, pin.reach)) {
      done(new BlockedAddress(), null)
      return
    }
    let usable: (() => void) | undefined
    const opened: unknown = connect(
      { ...options, hostname: address, host: address, ...(servername === undefined ? {} : { servername }) },
      (...[error, socket]) => {
        if (error !== null) {
          if (index + 1 < pin.addresses.length) dial(options, index + 1, done, from)
          else done(error, null)
          return
        }
        if (!wentTo(socket, pin)) {
          socket.destroy()
          done(new BlockedAddress(), null)
          return
        }
        joinSmallWrites(socket)
        usable?.()
        done(null, socket)
      },
    )
    // Returned at once, before it is connected.
    if (timed && opened instanceof Socket) usable = timedDial(opened, from)
  }
  return (options, done) => dial(options, 0, done, timed ? performance.now() : 0)
}

/** Above this many bytes a copy costs more than a second buffer. */
const JOINED_BYTES = 16_384

/** undici writes head and body separately. Joining them needs one plain write, which is cheaper than a vectored one. */
function joinSmallWrites(socket: Socket): void {
  const apart = socket._writev
  socket._writev = (chunks, done) => {
    let bytes = 0
    for (const { chunk } of chunks) bytes += chunk.length
    if (bytes > JOINED_BYTES) {
      apart?.call(socket, chunks, done)
      return
    }
    let joined = ''
    // The head is Latin-1 and the body a buffer: Latin-1 preserves the bytes of both.
    for (const { chunk, encoding } of chunks)
      joined +=
        typeof chunk === 'string'
          ? encoding === 'latin1'
            ? chunk
            : Buffer.from(chunk, encoding).toString('latin1')
          : chunk.toString('latin1')
    socket._write(joined, 'latin1', done)
  }
}

function wentTo(socket: Socket, pin: Pin): boolean {
  const remote = socket.remoteAddress
  return remote !== undefined && mayDial(remote, pin.port, pin.reach)
}

type Entry = { readonly pool: Pool; readonly owner: string }
type Passing = Entry & { readonly addresses: string }

/** The limit of pools without a pin: key sets, providers, key services, webhooks. */
export const MOST_PASSING = 32

/** What was permitted when a connection was opened: a pool is not shared beyond it. */
const reachKey = ({ reach: { allowPrivate, local } }: Pin): string =>
  `${allowPrivate}|${local === undefined ? '' : `${local.address} ${local.port}`}`

function openPool(pin: Pin, { connections, connectTimeoutMs, timed }: PoolOptions): Pool {
  return new Pool(pin.origin, {
    connections,
    connect: pinnedConnector(pin, connectTimeoutMs, timed),
    // The exchange has the deadline: an idle timer would not stop a dripping server.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    maxHeaderSize: 65_536,
  })
}

export function createPools() {
  const pools = new Map<string, Entry>()
  /** One pool per origin, least recently used first. */
  const passing = new Map<string, Passing>()
  // Pins are immutable, so their pool is cached by identity without building a key.
  const recent = new WeakMap<Pin, Entry>()

  /** Pending requests finish, then the connections close. */
  function retire(key: string, { pool }: Passing): void {
    passing.delete(key)
    // Already closed.
    pool.close().catch(() => undefined)
  }

  return {
    get(pin: Pin, options: PoolOptions): Pool {
      const owner = options.owner ?? ''
      const last = recent.get(pin)
      if (last?.owner === owner && !last.pool.destroyed) return last.pool
      const key = `${owner}|${pin.origin}|${reachKey(pin)}|${pin.addresses.join(',')}`
      const known = pools.get(key)
      if (known) {
        recent.set(pin, known)
        return known.pool
      }
      const pool = openPool(pin, options)
      pools.set(key, { pool, owner })
      return pool
    },
    /** For addresses resolved for this request only. */
    passing(pin: Pin, options: PoolOptions): Pool {
      const owner = options.owner ?? ''
      const key = `${owner}|${pin.origin}|${reachKey(pin)}`
      // Name servers rotate the order of addresses.
      const addresses = pin.addresses.toSorted().join(',')
      const known = passing.get(key)
      if (known?.addresses === addresses) {
        passing.delete(key)
        passing.set(key, known)
        return known.pool
      }
      if (known) retire(key, known)
      const pool = openPool(pin, options)
      passing.set(key, { pool, owner, addresses })
      for (const [oldest, entry] of passing) if (passing.size > MOST_PASSING) retire(oldest, entry)
      return pool
    },
    /** Closes the pools of an owner; their requests in flight are cut off. */
    async drop(owner: string): Promise<void> {
      const mine = [pools, passing].flatMap((kept) =>
        [...kept].filter(([key, entry]) => entry.owner === owner && kept.delete(key)),
      )
      await Promise.all(mine.map(([, { pool }]) => pool.destroy()))
    },
    async close(): Promise<void> {
      const all = [...pools.values(), ...passing.values()]
      pools.clear()
      passing.clear()
      await Promise.all(all.map(({ pool }) => pool.destroy()))
    },
  }
}
