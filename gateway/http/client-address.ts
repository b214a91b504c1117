// Who is calling, by address: forwarded headers are believed only from peers the trust function accepts.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Asked about each address, nearest first: hop 0 is the peer of the connection. */
export type TrustPeer = (address: string | undefined, hop: number) => boolean

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** One spelling per address: no zone, lower case, IPv4 as IPv4 even when an IPv6 socket carries it. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address
  const bare = address.replace(/%.*$/, '').toLowerCase()
  return MAPPED.exec(bare)?.[1] ?? bare
}

/** The nearest address that no trusted proxy vouches past. A forged or garbled entry ends the walk. */
export function clientAddress(raw: IncomingMessage, trust: TrustPeer | undefined): string {
  let address = plainAddress(raw.socket.remoteAddress ?? '')
  const forwarded = trust === undefined ? undefined : raw.headers['x-forwarded-for']
  if (trust === undefined || forwarded === undefined) return address
  const chain = String(forwarded).split(',')
  for (let hop = 0; chain.length > 0 && trust(address, hop); hop += 1) {
    const next = plainAddress(chain.pop()?.trim() ?? '')
    if (isIP(next) === 0) break
    address = next
  }
  return address
}

/** `https` on a TLS socket, or when a trusted peer states it; a proxy appends, so its own entry is the last one. */
export function requestScheme(raw: IncomingMessage, trust: TrustPeer | undefined): 'http' | 'https' {
  if ('encrypted' in raw.socket && raw.socket.encrypted === true) return 'https'
  const forwarded = raw.headers['x-forwarded-proto']
  if (forwarded === undefined || trust === undefined || !trust(plainAddress(raw.socket.remoteAddress ?? ''), 0))
    return 'http'
  return String(forwarded).split(',').at(-1)?.trim().toLowerCase() === 'https' ? 'https' : 'http'
}

function groups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array<string>(gap).fill('0'), ...right].map((group) => Number.parseInt(group, 16))
}

/** What a per-IP budget is counted under: one customer holds a whole IPv6 /64, so that is one key. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const g = groups(address)
  const mapped = g.length === 8 && g.slice(0, 5).every((group) => group === 0) && g[5] === 0xffff
  if (mapped) return [g[6], g[7]].flatMap((group = 0) => [group >> 8, group & 255]).join('.')
  return `${g
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
