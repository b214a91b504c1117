// Classifies IP addresses. An allow-list: only known public unicast counts as public.
import { isIPv4, isIPv6 } from 'node:net'

export type AddressClass =
  /** Public unicast. */
  | 'public'
  /** Loopback, private, link-local, shared, reserved, documentation, multicast… */
  | 'private'
  /** A cloud metadata address: never dialled, under any settings. */
  | 'metadata'

type Range4 = readonly [base: number, bits: number]

const ip4 = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const range4 = (cidr: string): Range4 => {
  const [base = '', bits = '32'] = cidr.split('/')
  return [ip4(base), Number(bits)]
}

const inRange = (ranges: readonly Range4[], value: number): boolean =>
  ranges.some(([base, bits]) => Math.floor(value / 2 ** (32 - bits)) === Math.floor(base / 2 ** (32 - bits)))

const NOT_PUBLIC_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(range4)

/** AWS, GCP and Azure. Azure's wire server and Alibaba's service look public or shared, but are neither. */
const METADATA_4 = ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200'].map(ip4)
const METADATA_6 = ['fd00:ec2::254', 'fd20:ce::254']

function classify4(value: number): AddressClass {
  if (METADATA_4.includes(value)) return 'metadata'
  return inRange(NOT_PUBLIC_4, value) ? 'private' : 'public'
}

/** The eight groups of a valid IPv6 text without a zone. */
function groups6(text: string): number[] {
  const dotted = text.match(/(?<!\d)(?:\d{1,3}\.){3}\d{1,3}$/)?.[0]
  const plain = dotted === undefined ? text : text.slice(0, -dotted.length) + tail4(ip4(dotted))
  const [head = '', rest] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = rest === undefined || rest === '' ? [] : rest.split(':')
  const gap = rest === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(gap).fill('0'), ...right].map((group) => Number.parseInt(group, 16))
}

const tail4 = (value: number): string => `${Math.floor(value / 65536).toString(16)}:${(value % 65536).toString(16)}`
const join4 = (high = 0, low = 0): number => high * 65536 + low

/** The embedded IPv4 address of an IPv6 address, if its prefix has one. */
function embedded4(g: readonly number[]): number | undefined {
  const zeros = (from: number, to: number): boolean => g.slice(from, to).every((group) => group === 0)
  if (zeros(0, 5) && (g[5] === 0xffff || g[5] === 0)) return join4(g[6], g[7])
  if (zeros(0, 4) && g[4] === 0xffff && g[5] === 0) return join4(g[6], g[7])
  if (g[0] === 0x64 && g[1] === 0xff9b) return join4(g[6], g[7])
  if (g[0] === 0x2002) return join4(g[1], g[2])
  // Teredo hides the client's address inverted.
  if (g[0] === 0x2001 && g[1] === 0) return join4((g[6] ?? 0) ^ 0xffff, (g[7] ?? 0) ^ 0xffff)
  if ((g[4] === 0 || g[4] === 0x200) && g[5] === 0x5efe) return join4(g[6], g[7])
  return undefined
}

function classify6(text: string): AddressClass {
  const g = groups6(text)
  if (METADATA_6.some((known) => groups6(known).every((group, index) => group === g[index]))) return 'metadata'
  const inner = embedded4(g)
  if (inner !== undefined) {
    const verdict = classify4(inner)
    if (verdict !== 'public') return verdict
    // A translated public address needs a translator to be reachable; only plain mapping is ordinary.
    return g[5] === 0xffff ? 'public' : 'private'
  }
  const [first = 0, second = 0] = g
  const globalUnicast = first >= 0x2000 && first <= 0x3fff
  const special = (first === 0x2001 && (second < 0x200 || second === 0xdb8)) || (first === 0x3fff && second < 0x1000)
  return globalUnicast && !special ? 'public' : 'private'
}

/** `undefined` if the text is not an IP address. A zone id makes an address local, so it does not count here. */
export function classifyAddress(text: string): AddressClass | undefined {
  if (isIPv4(text)) return classify4(ip4(text))
  if (text.includes('%') || !isIPv6(text)) return undefined
  return classify6(text.toLowerCase())
}

/** Loopback, private networks, carrier-grade NAT and unique local addresses: those an admin can allow for one backend. */
const LOCAL_4 = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].map(range4)

/** Link-local addresses are none: clouds serve metadata there. Nor are IPv4 addresses spelled as IPv6. */
export function isLocalAddress(text: string): boolean {
  if (classifyAddress(text) !== 'private') return false
  if (isIPv4(text)) return inRange(LOCAL_4, ip4(text))
  const g = groups6(text.toLowerCase())
  const canonical = new URL(`http://[${text}]`).hostname === `[${text}]`
  const loopback = text === '::1'
  return canonical && (loopback || (((g[0] ?? 0) & 0xfe00) === 0xfc00 && embedded4(g) === undefined))
}

export function isLoopback(text: string): boolean {
  if (isIPv4(text)) return Math.floor(ip4(text) / 2 ** 24) === 127
  if (!isIPv6(text) || text.includes('%')) return false
  const g = groups6(text.toLowerCase())
  return g.slice(0, 7).every((group) => group === 0)
    ? g[7] === 1
    : g[5] === 0xffff && Math.floor((g[6] ?? 0) / 256) === 127
}

/** An address and port on this computer or its network. */
export type LocalService = { readonly address: string; readonly port: number }

export type Reach = {
  /** `ALLOW_PRIVATE_IPS`: private and loopback addresses may be dialled. */
  readonly allowPrivate: boolean
  /** The one local service that an admin allowed for this backend. */
  readonly local?: LocalService | undefined
  /** Our own listener: never dialled, under any settings. */
  readonly isListener?: ((address: string, port: number) => boolean) | undefined
}

export function mayDial(address: string, port: number, reach: Reach): boolean {
  if (reach.isListener?.(address, port)) return false
  const verdict = classifyAddress(address)
  if (verdict === 'public') return true
  return verdict === 'private' && (reach.allowPrivate || isAllowedLocal(address, port, reach))
}

/** Exactly the allowed address, in its canonical spelling, and its port. */
export function isAllowedLocal(address: string, port: number, { local }: Reach): boolean {
  return local !== undefined && address === local.address && port === local.port && isLocalAddress(address)
}
