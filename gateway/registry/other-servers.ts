// Operations on another server than their backend's: checked and pinned separately, or refused individually.
import { isIP } from 'node:net'
import { GatewayError } from '../contract/error.ts'
import type { Discovery } from '../discovery/tool.ts'
import type { Outbound } from '../net/outbound.ts'
import type { Pin } from '../net/pin.ts'

/** Each needs a DNS lookup. */
const MOST_SERVERS = 16

export async function pinOtherServers(
  outbound: Outbound,
  { tools }: Discovery,
  base: Pin,
  warnings: string[],
): Promise<Record<string, Pin>> {
  const origins = new Set(tools.flatMap(({ baseUrl }) => (baseUrl === undefined ? [] : [new URL(baseUrl).origin])))
  origins.delete(base.origin)
  const vetted = await Promise.all([...origins].slice(0, MOST_SERVERS).map((origin) => vet(outbound, origin)))
  for (const [origin, pin] of vetted)
    warnings.push(
      pin
        ? `Some operations live on ${origin}; the credential of this backend is not sent there.`
        : `Some operations live on ${origin}, which does not lead to a permitted address; they are refused until a re-discovery finds that it does.`,
    )
  if (origins.size > MOST_SERVERS)
    warnings.push(`Operations on more than ${MOST_SERVERS} other servers are refused; give a base_url for them.`)
  return Object.fromEntries(vetted.flatMap(([origin, pin]) => (pin ? [[origin, pin]] : [])))
}

/** A forbidden literal address is rejected; a name that does not resolve now is never dialled. */
async function vet(outbound: Outbound, origin: string): Promise<readonly [string, Pin | undefined]> {
  try {
    return [origin, await outbound.pin(origin, 'servers')]
  } catch (error) {
    const hostname = new URL(origin).hostname.replace(/^\[|\]$|\.$/g, '')
    const literal = isIP(hostname) !== 0 || hostname === 'localhost' || hostname.endsWith('.localhost')
    if (literal || !(error instanceof GatewayError) || error.code !== 'SSRF_BLOCKED') throw error
    return [origin, undefined]
  }
}
