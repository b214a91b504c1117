// Turns a URL into a pin: its addresses, checked once and stored. Contract 4.3.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { GatewayError } from '../contract/error.ts'
import { isAllowedLocal, isLocalAddress, type LocalService, mayDial, type Reach } from './address.ts'

/** The destination of an origin. Host and SNI use the name; connections use the addresses. */
export type Pin = {
  readonly origin: string
  readonly hostname: string
  readonly port: number
  readonly tls: boolean
  readonly addresses: readonly string[]
  readonly reach: Reach
}

export type Resolve = (hostname: string) => Promise<readonly string[]>

const RESOLVE_TIMEOUT_MS = 5_000
const MOST_ADDRESSES = 32

export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

/** Ports of other protocols, where an HTTP request could be misread (WHATWG's list). */
const BAD_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** An absolute http(s) URL without credentials or fragment, or `INVALID_URL` with what is wrong. */
export function parseHttpUrl(text: string, field = 'url'): URL {
  const refuse = (why: string): never => {
    throw new GatewayError('INVALID_URL', `${field} ${why}`, { fields: [{ path: field, message: why }] })
  }
  if (text.length > 2048) refuse('is longer than 2048 characters')
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return refuse('is not a valid absolute URL')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('must start with http:// or https://')
  if (url.username !== '' || url.password !== '')
    refuse('must not carry a user name or password; set an upstream credential instead')
  if (url.hash !== '') refuse('must not have a fragment')
  if (url.port !== '' && BAD_PORTS.has(Number(url.port)))
    refuse(`must not use port ${url.port}, which belongs to another protocol`)
  return url
}

/** An absolute ws(s) URL as the http(s) one it is dialled as, or `INVALID_URL` with what is wrong. */
export function parseSocketUrl(text: string, field = 'url'): URL {
  const found = /^ws(s?):\/\//i.exec(text)
  if (found) return parseHttpUrl(`http${found[1] ?? ''}://${text.slice(found[0].length)}`, field)
  const why = 'must start with ws:// or wss://'
  throw new GatewayError('INVALID_URL', `${field} ${why}`, { fields: [{ path: field, message: why }] })
}

/** A pin of addresses checked before; they are checked again when dialled. */
export function pinAt(url: URL, addresses: readonly string[], reach: Reach): Pin {
  return { origin: url.origin, ...placeOf(url), addresses, reach }
}

function placeOf({ hostname, port, protocol }: URL): Pick<Pin, 'hostname' | 'port' | 'tls'> {
  const tls = protocol === 'https:'
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (tls ? 443 : 80), tls }
}

/** One text for every reason, so that an answer reveals nothing about the internal network. */
const blocked = (field: string): GatewayError =>
  new GatewayError(
    'SSRF_BLOCKED',
    `${field} does not lead to a permitted public address; ALLOW_PRIVATE_IPS permits local ones, and an admin can allow one for a backend`,
    {
      fields: [{ path: field, message: 'does not lead to a permitted public address' }],
    },
  )

export async function pinUrl(text: string, reach: Reach, resolve: Resolve, field = 'url'): Promise<Pin> {
  const url = parseHttpUrl(text, field)
  const { hostname, port } = placeOf(url)
  const found = await addressesOf(hostname, resolve, field)
  // Of a name with several addresses, only the allowed one is dialled.
  const allowed = found.filter((address) => isAllowedLocal(address, port, reach))
  const addresses = allowed.length > 0 ? allowed : found
  if (addresses.length === 0 || !addresses.every((address) => mayDial(address, port, reach))) throw blocked(field)
  // All addresses were checked; at most this many are tried.
  return pinAt(url, addresses.slice(0, MOST_ADDRESSES), reach)
}

/** The local addresses of a URL, IPv4 first: what an admin can allow, without the own listener. */
export async function localServices(
  text: string,
  { isListener }: Reach,
  resolve: Resolve,
  field = 'url',
): Promise<readonly LocalService[]> {
  const { hostname, port } = placeOf(parseHttpUrl(text, field))
  const addresses = await addressesOf(hostname, resolve, field)
  return [...new Set(addresses)]
    .filter((address) => isLocalAddress(address) && !isListener?.(address, port))
    .sort((a, b) => isIP(a) - isIP(b))
    .slice(0, MOST_ADDRESSES)
    .map((address) => ({ address, port }))
}

/** Whether the name's current addresses may be dialled; a name that does not resolve now stays permitted. */
export async function stillPermitted({ hostname, port, addresses, reach }: Pin, resolve: Resolve): Promise<boolean> {
  const may = (address: string): boolean => mayDial(address, port, reach)
  if (!addresses.every(may)) return false
  try {
    return (await addressesOf(hostname, resolve, 'url')).every(may)
  } catch {
    return true
  }
}

async function addressesOf(hostname: string, resolve: Resolve, field: string): Promise<readonly string[]> {
  if (isIP(hostname)) return [hostname]
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('name resolution timed out')), RESOLVE_TIMEOUT_MS)
  })
  try {
    return await Promise.race([resolve(hostname.replace(/\.$/, '')), late])
  } catch {
    throw blocked(field)
  } finally {
    clearTimeout(timer)
  }
}
