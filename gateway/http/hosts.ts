// The Host rule: a browser that was rebound to us still says the attacker's name, and is refused before its body is read.
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../contract/error.ts'

/** A name, an IPv4 address or a bracketed IPv6 one, with an optional port: the plain lower-case form only. */
const HOST =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*|\[[0-9a-f:]+(?:\.\d+){0,3}\])(?::\d{1,5})?$/
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/
/** Node drops header lines past a count without a word; refusing them is honest. */
const MAX_HEADER_LINES = 128

export type HostRule = ReturnType<typeof createHostRule>

export type HostRuleOptions = {
  readonly boundTo: string
  readonly allowed: readonly string[]
  readonly publicUrl: string | null
}

/** Hosts that no foreign web page can have: an address, or the name of the browser's own machine. */
const ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\]|localhost)(?::\d{1,5})?$/

const malformed = (message: string) => new GatewayError('INVALID_REQUEST', message)

function hostOfUrl(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).host : undefined
}

/** Refusals that need no look at the name: two Host lines, none, an absolute-form target. */
function shapeRefusal(raw: IncomingMessage): GatewayError | undefined {
  const lines = raw.rawHeaders
  if (lines.length > 2 * MAX_HEADER_LINES) return malformed(`Send at most ${MAX_HEADER_LINES} header lines`)
  let hosts = 0
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts !== 1) return malformed('Send exactly one Host header')
  return raw.url?.charCodeAt(0) === 47 ? undefined : malformed('Send the path as request target, not a whole URL')
}

export function createHostRule({ boundTo, allowed, publicUrl }: HostRuleOptions) {
  const derived = allowed.length === 0 && LOOPBACK.test(boundTo)
  const enforced = derived || allowed.length > 0
  const names = new Set(allowed.map((entry) => entry.toLowerCase()))
  const advertised = hostOfUrl(publicUrl)
  if (advertised !== undefined) names.add(advertised)
  // An entry without a port stands for every port; a derived loopback name never does.
  const known = (host: string) => names.has(host) || (!derived && names.has(host.replace(/:\d+$/, '')))
  const notServed = () =>
    new GatewayError('HOST_NOT_ALLOWED', 'This host name is not served here; add it to ALLOWED_HOSTS')
  // A client says the same few hosts over and over; those that passed are not examined again.
  let passed = new Set<string>()

  return {
    /** Whether a Host value is one of ours by configuration; false when any host is accepted. */
    names: known,
    /** Gives the rule the port it is reached at, which the derived loopback names carry. */
    bind: (port: number): void => {
      passed = new Set()
      if (!derived) return
      for (const name of ['127.0.0.1', 'localhost', '[::1]', boundTo]) {
        names.add(`${name}:${port}`)
        if (port === 80) names.add(name)
      }
    },
    /**
     * The same for a surface that asks for no credential: unless names are enforced for every request already, it takes
     * an IP address, localhost or a configured name. A page that was rebound to us sends the name of its own site.
     */
    openRefusal: ({ headers: { host = '' } }: IncomingMessage): GatewayError | undefined =>
      enforced || known(host) || ADDRESS.test(host) ? undefined : notServed(),
    /** What is wrong with the request's authority, if anything. Usable for upgrades too. */
    refusal: (raw: IncomingMessage): GatewayError | undefined => {
      const wrong = shapeRefusal(raw)
      if (wrong !== undefined) return wrong
      const host = raw.headers.host ?? ''
      if (passed.has(host)) return undefined
      if (!HOST.test(host)) return malformed('The Host header is not a plain lower-case host name')
      if (enforced && !known(host)) return notServed()
      if (passed.size < 100) passed.add(host)
      return undefined
    },
  }
}
