// The one outbound door: every request is pinned, checked, and limited in time and bytes here.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher, Pool } from 'undici'
import type { LocalService } from './address.ts'
import { dispatch, ExchangeError, type ExchangeRequest, type ExchangeResponse, type OnExchanged } from './exchange.ts'
import { HOPS_HEADER, type LoopGuard } from './loop-guard.ts'
import {
  localServices,
  type Pin,
  parseHttpUrl,
  parseSocketUrl,
  pinAt,
  pinUrl,
  type Resolve,
  stillPermitted,
  systemResolve,
} from './pin.ts'
import { createPools, pinnedConnector } from './pools.ts'
import { type Dialling, dialSocket, type SocketDial } from './sockets.ts'
import { watchSent } from './timing.ts'

export type OutboundRequest = {
  readonly url: string
  readonly method?: Dispatcher.HttpMethod
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly deadlineMs: number
  readonly maxBytes: number
  readonly onStart?: ExchangeRequest['onStart']
  readonly onChunk?: ExchangeRequest['onChunk']
  /** The checked addresses to use; without it the URL is checked and resolved now. */
  readonly pin?: Pin
  /** Names the field in an error about the URL. */
  readonly field?: string
  /** Infrastructure named in the environment: its address is not checked. */
  readonly trusted?: boolean
  /** The owner of its credential; requests of other owners use other connections. */
  readonly owner?: string
}

export type OutboundResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

export type Outbound = {
  /** Checks a URL and vets its addresses; throws `INVALID_URL` or `SSRF_BLOCKED`. */
  pin(url: string, field?: string, local?: LocalService): Promise<Pin>
  /** A pin of stored addresses, checked again against the current rules. */
  repin(url: string, addresses: readonly string[], local?: LocalService): Pin
  /** The local addresses of a URL, which an admin can allow for one backend. */
  localServices(url: string, field?: string): Promise<readonly LocalService[]>
  /** The same for a WebSocket URL. */
  pinSocket(url: string, field?: string): Promise<Pin>
  repinSocket(url: string, addresses: readonly string[]): Pin
  /** Whether the current addresses of a pin's name may be dialled. */
  isPermitted(pin: Pin): Promise<boolean>
  /** Opens a WebSocket at a pinned address. */
  socket(pin: Pin, dial: SocketDial): Dialling
  request(request: OutboundRequest): Promise<OutboundResponse>
  /** The pool of a backend, for the hot path; `owner` separates credentials. */
  pool(pin: Pin, owner: string): Pool
  /** Calls back once with the answer or the error. */
  dispatch(pool: Pool, request: ExchangeRequest, done: OnExchanged): void
  /** The same as a promise. */
  exchange(pool: Pool, request: ExchangeRequest): Promise<ExchangeResponse>
  drop(owner: string): Promise<void>
  close(): Promise<void>
}

export type OutboundOptions = {
  readonly allowPrivate: boolean
  readonly connections: number
  readonly resolve?: Resolve
  readonly connectTimeoutMs?: number
  /** Whether spans are made of requests: connections are timed then. */
  readonly timed?: boolean
  /** Loop protection; absent without a listener. */
  readonly own?: LoopGuard
}

export function createOutbound({
  allowPrivate,
  connections,
  resolve = systemResolve,
  connectTimeoutMs = 10_000,
  timed = false,
  own,
}: OutboundOptions): Outbound {
  const pools = createPools()
  const unwatch = timed ? watchSent() : undefined
  const reach = { allowPrivate, isListener: own?.isListener }
  const send: Outbound['dispatch'] = (to, request, done) =>
    dispatch(to, request, own && [HOPS_HEADER, own.hops()], done)
  const exchange: Outbound['exchange'] = (to, request) =>
    new Promise((resolve, reject) => {
      send(to, request, (answer) => (answer instanceof ExchangeError ? reject(answer) : resolve(answer)))
    })
  const optionsOf = (owner: string) => ({ connections, connectTimeoutMs, timed, owner })
  const pool = (pin: Pin, owner: string): Pool => pools.get(pin, optionsOf(owner))
  return {
    pin: (url, field, local) => pinUrl(url, { ...reach, local }, resolve, field),
    repin: (url, addresses, local) => pinAt(parseHttpUrl(url), addresses, { ...reach, local }),
    localServices: (url, field) => localServices(url, reach, resolve, field),
    // Invalid addresses reject the promise.
    pinSocket: async (url, field) => pinUrl(parseSocketUrl(url, field).href, reach, resolve, field),
    repinSocket: (url, addresses) => pinAt(parseSocketUrl(url), addresses, reach),
    isPermitted: (pin) => stillPermitted(pin, resolve),
    socket: (pin, dial) =>
      dialSocket(pin, pinnedConnector(pin, connectTimeoutMs), {
        ...dial,
        headers: { ...dial.headers, ...(own ? { [HOPS_HEADER]: own.hops() } : {}) },
      }),
    async request({
      url,
      method = 'GET',
      headers = {},
      body,
      deadlineMs,
      maxBytes,
      onStart,
      onChunk,
      pin,
      field,
      trusted,
      owner = '',
    }) {
      const to = pin
        ? pool(pin, owner)
        : pools.passing(await pinUrl(url, trusted ? { allowPrivate: true } : reach, resolve, field), optionsOf(owner))
      const { pathname, search } = parseHttpUrl(url, field)
      return exchange(to, {
        method,
        path: pathname + search,
        headers,
        deadlineMs,
        maxBytes,
        ...(body === undefined ? {} : { body }),
        ...(onStart === undefined ? {} : { onStart }),
        ...(onChunk === undefined ? {} : { onChunk }),
      })
    },
    pool,
    dispatch: send,
    exchange,
    drop: (owner) => pools.drop(owner),
    close() {
      unwatch?.()
      return pools.close()
    },
  }
}
