// Whether the listener is reachable beyond loopback, and has a configured name to compare requests with.
import { BlockList, isIP } from 'node:net'
import type { Settings } from './table.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

export const isLoopback = (host: string): boolean => loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')

/**
 * Beyond loopback without a configured name. An open endpoint is then closed, because a request of a web page after
 * DNS rebinding cannot be distinguished from a legitimate one.
 */
export const isNameless = ({
  HOST,
  ALLOWED_HOSTS,
  GATEWAY_PUBLIC_URL,
}: Pick<Settings, 'HOST' | 'ALLOWED_HOSTS' | 'GATEWAY_PUBLIC_URL'>): boolean =>
  !isLoopback(HOST) && ALLOWED_HOSTS.length === 0 && GATEWAY_PUBLIC_URL === null
