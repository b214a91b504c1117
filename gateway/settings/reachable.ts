// Who can reach the listener, and whether the gateway has been given a name that a request can be compared with.
import { BlockList, isIP } from 'node:net'
import type { Settings } from './table.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

export const isLoopback = (host: string): boolean => loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')

/**
 * Beyond loopback and without a name of its own. An open surface is then closed: nothing tells a request of a web page
 * that was rebound to this address from one that was meant for it.
 */
export const isNameless = ({
  HOST,
  ALLOWED_HOSTS,
  GATEWAY_PUBLIC_URL,
}: Pick<Settings, 'HOST' | 'ALLOWED_HOSTS' | 'GATEWAY_PUBLIC_URL'>): boolean =>
  !isLoopback(HOST) && ALLOWED_HOSTS.length === 0 && GATEWAY_PUBLIC_URL === null
