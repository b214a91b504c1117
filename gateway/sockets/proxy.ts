// The WebSocket proxy: permissions, limits and ends of connections. Contract 9.6.

import type { DataPlaneCaller } from '../auth/credential.ts'
import { GatewayError } from '../contract/error.ts'
import type { Streams } from '../http/streams.ts'
import type { WebSocket } from '../net/sockets.ts'
import { Breaker, type BreakerState, type Permit } from '../pipeline/5-breaker/breaker.ts'
import type { Base } from '../records/base.ts'
import type { LiveWsTarget, WsTargets } from '../registry/ws-targets.ts'
import type { Settings } from '../settings/table.ts'
import type { Log } from '../telemetry/log.ts'
import { type Connection, connection } from './connection.ts'
import type { Ending } from './relay.ts'

type ProxySettings = Pick<
  Settings,
  | 'WS_PROXY_MAX_GLOBAL_CONNECTIONS'
  | 'WS_PROXY_DIAL_TIMEOUT_MS'
  | 'WS_PROXY_REVALIDATE_INTERVAL_MS'
  | 'CIRCUIT_BREAKER_FAILURE_THRESHOLD'
  | 'CIRCUIT_BREAKER_WINDOW_MS'
  | 'CIRCUIT_BREAKER_RESET_TIMEOUT_MS'
  | 'CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS'
>
type ProxyDeps = Pick<Base, 'outbound' | 'metrics'> & {
  readonly targets: WsTargets
  readonly streams: Pick<Streams, 'add'>
  readonly settings: ProxySettings
  readonly log: Pick<Log, 'warn'>
  /** Monotonic. */
  readonly monotonic: () => number
}

export type ProxyRequest = { readonly caller: DataPlaneCaller; readonly protocol: string | undefined }
export type Proxy = ReturnType<typeof createProxy>

const NOT_PERMITTED: Ending = { code: 1008, reason: 'the address of this target is not permitted any more' }
const DISCONNECTED: Ending = { code: 1001, reason: 'an administrator closed this connection' }
const RETRY_MS = 5_000

const full = (message: string, retryAfterMs: number, reason: string): GatewayError =>
  new GatewayError('SESSION_CAPACITY', message, { retryAfterMs, details: { reason } })

export function createProxy({ targets, outbound, streams, settings, metrics, log, monotonic }: ProxyDeps) {
  const open = new Map<string, Set<Connection>>()
  const breakers = new Map<string, Breaker>()
  /** Targets whose names resolve to forbidden addresses; rechecked with each pass. */
  const blocked = new Set<string>()
  let total = 0

  const breakerOf = (name: string): Breaker => {
    const known = breakers.get(name)
    if (known) return known
    const made = new Breaker({
      monotonic,
      limits: {
        failureThreshold: settings.CIRCUIT_BREAKER_FAILURE_THRESHOLD,
        windowMs: settings.CIRCUIT_BREAKER_WINDOW_MS,
        resetTimeoutMs: settings.CIRCUIT_BREAKER_RESET_TIMEOUT_MS,
        halfOpenTimeoutMs: settings.CIRCUIT_BREAKER_HALF_OPEN_TIMEOUT_MS,
      },
    })
    breakers.set(name, made)
    return made
  }

  const disconnect = (name: string, ending: Ending): number => {
    let ended = 0
    for (const each of open.get(name) ?? []) if (each.end(ending)) ended += 1
    return ended
  }

  function admit({ name, maxConnections }: LiveWsTarget): Permit {
    if (total >= settings.WS_PROXY_MAX_GLOBAL_CONNECTIONS)
      throw full('Too many WebSocket connections are open; try again shortly', RETRY_MS, 'global')
    if ((open.get(name)?.size ?? 0) >= maxConnections)
      throw full('This target has all the connections it may have; try again shortly', RETRY_MS, 'target')
    const admission = breakerOf(name).admit()
    if (admission.admitted) return admission
    throw full('This target failed repeatedly and is paused', admission.retryAfterMs, 'circuit_open')
  }

  function keep(target: LiveWsTarget, { caller, protocol }: ProxyRequest, client: WebSocket, permit: Permit): void {
    const { name, pin, path, maxMessageBytes, idleTimeoutMs } = target
    const breaker = breakerOf(name)
    const mine = open.get(name) ?? new Set()
    open.set(name, mine)
    total += 1
    const made = connection({
      client,
      dialling: outbound.socket(pin, {
        path,
        protocol,
        maxMessageBytes,
        deadlineMs: settings.WS_PROXY_DIAL_TIMEOUT_MS,
      }),
      idleTimeoutMs,
      onBytes: (direction, bytes) => metrics.add('mcp_ws_proxy_bytes_total', bytes, { target: name, direction }),
      onBackend: (verdict) => breaker.settle(verdict, permit),
      onGone() {
        total -= 1
        mine.delete(made)
        if (mine.size === 0) open.delete(name)
        forget()
        unhear?.()
      },
    })
    mine.add(made)
    const end = (): void => void made.end({ code: 1001, reason: 'the gateway is stopping' })
    const forget = streams.add({ ping: made.ping, end, destroy: made.destroy })
    const unhear = caller.onEnd?.(() => made.end({ code: 1008, reason: 'the credential ended' }))
    if (blocked.has(name)) made.end(NOT_PERMITTED)
  }

  async function revalidate(): Promise<void> {
    for (const name of new Set([...open.keys(), ...blocked])) {
      const target = targets.get(name)
      if (target === undefined) continue
      const permitted = await outbound.isPermitted(target.pin)
      // It was changed in the meantime: the result is for another address.
      if (targets.get(name) !== target) continue
      if (permitted) blocked.delete(name)
      else {
        if (!blocked.has(name))
          log.warn('a WebSocket target leads to an address that is not permitted', { target: name })
        blocked.add(name)
        disconnect(name, NOT_PERMITTED)
      }
    }
  }

  targets.subscribe((name, what) => {
    breakers.delete(name)
    blocked.delete(name)
    disconnect(
      name,
      what === 'removed'
        ? { code: 1001, reason: 'this target was removed' }
        : { code: 1008, reason: 'this target was changed' },
    )
  })
  const timer = setInterval(() => void revalidate(), settings.WS_PROXY_REVALIDATE_INTERVAL_MS)
  timer.unref()

  return {
    /** Reserves a slot of the target and accepts the connection; throws SESSION_CAPACITY if full. */
    open(target: LiveWsTarget, wanted: ProxyRequest, accept: () => WebSocket): void {
      const permit = admit(target)
      let client: WebSocket
      try {
        client = accept()
      } catch (error) {
        breakerOf(target.name).settle('none', permit)
        throw error
      }
      keep(target, wanted, client, permit)
    },
    active: (name: string): number => open.get(name)?.size ?? 0,
    state: (name: string): BreakerState => breakers.get(name)?.current() ?? 'closed',
    /** The number of connections. */
    disconnect: (name: string, ending: Ending = DISCONNECTED): number => disconnect(name, ending),
    /** Rechecks the addresses of all open connections. */
    revalidate,
    close: (): void => clearInterval(timer),
  }
}
