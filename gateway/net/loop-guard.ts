// Loop protection: the gateway never dials its own listener, and does not forward a request that already passed through it.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, BlockList, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { GatewayError } from '../contract/error.ts'
import { isLoopback } from './address.ts'

/** The gateways a request passed through, in order. */
export const HOPS_HEADER = 'gantry-hops'
const MOST_HOPS = 3
const MARK = /^[0-9a-f]{8}$/

export type LoopGuard = ReturnType<typeof createLoopGuard>

/** Compared as numbers: one address has many spellings. */
function isSame(a: string, b: string): boolean {
  const one = new BlockList()
  one.addAddress(a, isIPv4(a) ? 'ipv4' : 'ipv6')
  return one.check(b, isIPv4(b) ? 'ipv4' : 'ipv6')
}

const isUnspecified = (address: string): boolean => isSame('0.0.0.0', address) || isSame('::', address)

function isOfThisMachine(address: string): boolean {
  return (
    isLoopback(address) ||
    Object.values(networkInterfaces()).some((own) => own?.some((one) => isSame(one.address, address)))
  )
}

export function createLoopGuard(instanceId: string) {
  // Sent to every upstream, so it identifies the instance without revealing anything about it.
  const mark = createHash('sha256').update(`hop ${instanceId}`).digest('hex').slice(0, 8)
  const way = new AsyncLocalStorage<readonly string[]>()
  let listener: Pick<AddressInfo, 'address' | 'port'> | undefined

  return {
    /** Sets the address of the listener, once known. */
    listensAt(address: Pick<AddressInfo, 'address' | 'port'>): void {
      listener = address
    },

    /** Undefined before it listens. */
    port: (): number | undefined => listener?.port,

    isListener(address: string, port: number): boolean {
      if (listener?.port !== port) return false
      // The unspecified address reaches this machine.
      if (isUnspecified(address)) return true
      return isUnspecified(listener.address) ? isOfThisMachine(address) : isSame(listener.address, address)
    },

    /** The hops header of an outgoing request: the hops of the request it serves, then our own. */
    hops(): string {
      const before = way.getStore()
      return before === undefined ? mark : [...before, mark].join(', ')
    },

    refusal(headers: IncomingHttpHeaders): GatewayError | undefined {
      const hops = hopsOf(headers)
      if (!hops.includes(mark) && hops.length < MOST_HOPS) return undefined
      return new GatewayError(
        'INVALID_REQUEST',
        'loop_detected: this request comes from a gateway that it would be sent to again. Change the address of one of the backends on its way',
        { details: { reason: 'loop_detected' } },
      )
    },

    /** Requests sent during `work`, including handshakes, carry the hops of the request it serves. */
    within(headers: IncomingHttpHeaders, work: () => void): void {
      const hops = headers[HOPS_HEADER] === undefined ? [] : hopsOf(headers)
      if (hops.length === 0) work()
      else way.run(hops, work)
    },
  }
}

/** Keeps unknown hop values: dropping them would allow a loop. */
function hopsOf(headers: IncomingHttpHeaders): readonly string[] {
  const given = headers[HOPS_HEADER]
  if (given === undefined) return []
  return String(given)
    .split(',', MOST_HOPS + 1)
    .map((text) => text.trim())
    .map((text) => (MARK.test(text) ? text : 'unknown'))
}
