// Who may call, and what ends with the right to: the credentials of the data plane.
import { createDataPlane } from '../auth/data-plane.ts'
import { createJwks } from '../auth/jwks.ts'
import { createTokens, type Tokens } from '../auth/jwt.ts'
import { createManagedKeys } from '../auth/managed-keys.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

const OPEN_WARNING =
  'the data plane is open: any client that reaches this address may call tools; ' +
  'create a key, or set MCP_API_KEYS or REQUIRE_MCP_AUTH=true, to close it'

const NAMELESS_WARNING =
  'the data plane is closed: there is no MCP key and the gateway listens beyond loopback; ' +
  'create a key, or set ALLOWED_HOSTS or GATEWAY_PUBLIC_URL to serve clients without one'

const JWKS_MAX_BYTES = 1_048_576

/** The key set's address comes from the environment: it is infrastructure and not questioned. */
function tokensOf(base: Foundation): Tokens | null {
  const { settings, outbound } = base
  const { JWT_JWKS_URL: url, JWT_JWKS_CACHE_MS: cacheMs, JWT_JWKS_TIMEOUT_MS: deadlineMs } = settings
  if (url === null) return null
  const jwks = createJwks({
    ...base,
    cacheMs,
    async fetch() {
      const headers = { accept: 'application/jwk-set+json, application/json' }
      const answer = await outbound.request({ url, headers, deadlineMs, maxBytes: JWKS_MAX_BYTES, trusted: true })
      if (answer.status !== 200) throw new Error(`it answered ${answer.status}`)
      return answer.body.toString('utf8')
    },
  })
  // Fetched before the first token arrives; a failure is reported at once.
  void jwks.get()
  return createTokens({ ...base, jwks })
}

export async function createAccess(
  base: Foundation,
  { registry, wsTargets, sessions }: Pick<Calls, 'registry' | 'wsTargets' | 'sessions'>,
): Promise<Pick<Calls, 'managedKeys' | 'dataPlane'>> {
  const { settings, log } = base
  const end = (gone: string): void => sessions.endWhere(({ principal }) => principal === gone)
  const managedKeys = createManagedKeys({
    ...base,
    // The two share their names.
    teamOf: (client) => registry.known(client)?.teamId ?? wsTargets.get(client)?.teamId,
    onEnded: end,
    onRows: () => dataPlane.keysChanged(),
  })
  await managedKeys.load()
  const dataPlane = createDataPlane({
    settings,
    managed: managedKeys,
    tokens: tokensOf(base),
    onOpen(open) {
      if (open) log.warn(OPEN_WARNING)
      else end('anonymous')
    },
  })
  if (dataPlane.open) log.warn(OPEN_WARNING)
  if (dataPlane.nameless) log.warn(NAMELESS_WARNING)
  return { managedKeys, dataPlane }
}
