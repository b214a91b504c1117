// TRUST_PROXY: which peers may set X-Forwarded-* headers.
import { BlockList, isIP } from 'node:net'
import { custom, entriesOf, type Parsed, type Row } from './row.ts'

/** None, a number of hops, or ranges (presets expanded). */
export type TrustProxy = false | number | readonly string[]

/** Called by Fastify for each address, nearest first: `hop` 0 is the connection's peer. */
export type TrustFunction = (address: string | undefined, hop: number) => boolean

const PRESETS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
const NEAR = Object.values(PRESETS).flat()
const MAX_HOPS = 32

type Range = { readonly network: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' }

function rangeOf(text: string): Range | null {
  const [network = '', bitsText, ...rest] = text.split('/')
  const version = isIP(network)
  if (version === 0 || rest.length > 0 || network.includes('%')) return null
  const most = version === 4 ? 32 : 128
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return null
  const bits = bitsText === undefined ? most : Number(bitsText)
  return bits > most ? null : { network, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}

function parseTrustProxy(text: string): Parsed<TrustProxy> {
  if (text === 'false') return { value: false }
  if (text.toLowerCase() === 'true')
    return { wrong: 'would let every client choose its own address', refuse: 'outside development' }
  if (/^\d+$/.test(text)) {
    const hops = Number(text)
    if (hops > MAX_HOPS) return { wrong: 'is out of range' }
    return { value: hops === 0 ? false : hops }
  }
  const ranges: string[] = []
  for (const entry of entriesOf(text)) {
    const preset = Object.hasOwn(PRESETS, entry) ? PRESETS[entry] : undefined
    if (preset === undefined && rangeOf(entry) === null)
      return { wrong: 'holds an entry that is neither a CIDR range nor a preset' }
    ranges.push(...(preset ?? [entry]))
  }
  return { value: ranges.length === 0 ? false : ranges }
}

function matcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges.map(rangeOf)) if (range !== null) list.addSubnet(range.network, range.bits, range.family)
  return (address) => {
    // A dual-stack socket reports an IPv4 peer as ::ffff:a.b.c.d, a link-local one with its zone.
    const bare = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
    const version = isIP(bare)
    return version !== 0 && list.check(bare, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * With a hop count alone, a client that connects directly could forge its address. So the peer
 * must have a loopback or private address before further hops count.
 */
export function trustFunction(trust: TrustProxy): TrustFunction {
  if (trust === false) return () => false
  const near = matcher(typeof trust === 'number' ? NEAR : trust)
  if (typeof trust === 'number')
    return (address, hop) => hop < trust && (hop > 0 || (address !== undefined && near(address)))
  return (address) => address !== undefined && near(address)
}

/** Whether the ranges cover a large part of the internet. */
export function trustsTooWidely(trust: TrustProxy): boolean {
  if (trust === false || typeof trust === 'number') return false
  return trust.some((text) => {
    const range = rangeOf(text)
    return range !== null && range.bits < (range.family === 'ipv4' ? 8 : 7)
  })
}

export function trustProxy(meaning: string): Row<TrustProxy> {
  return custom<TrustProxy>(false, {
    type: 'hop count or list of ranges',
    range: `false, 0..${MAX_HOPS}, or CIDR ranges and presets (${Object.keys(PRESETS).join(', ')}), comma-separated; never true`,
    shownDefault: 'false',
    meaning,
    parse: parseTrustProxy,
  })
}
