// The key set (JWKS) that verifies tokens: cached, refetched for an unknown key, rate-limited. Contract 2.1.
import { createHash } from 'node:crypto'
import { importJWK } from 'jose'
import type { Log } from '../telemetry/log.ts'

type Algorithm = 'RS256' | 'ES256'
type VerifyKey = Awaited<ReturnType<typeof importJWK>>

export type TrustedKey = {
  /** Identity: equal bytes under the same name are the same key in a later set. */
  readonly print: string
  readonly import: () => Promise<VerifyKey>
}
export type KeySet = {
  /** The key a token names, or the only one of its kind if it names none. */
  readonly find: (algorithm: Algorithm, kid: string | undefined) => TrustedKey | undefined
  readonly holds: (print: string) => boolean
}
export type Jwks = ReturnType<typeof createJwks>

type JwksDeps = {
  /** Returns the document's text; rejects on failure. */
  readonly fetch: () => Promise<string>
  readonly cacheMs: number
  /** Monotonic. */
  readonly monotonic: () => number
  readonly log: Pick<Log, 'warn' | 'info'>
}

const RENEW_EVERY_MS = 30_000
/** The minimum cache time: unauthenticated tokens must not cost a fetch each. */
const LEAST_TIME_MS = 1_000
/** The minimum time between fetches from a failing service, for any number of callers. */
const RETRY_AFTER_MS = 1_000
/** After this share of its lifetime, the next set is fetched in the background. */
const AHEAD = 0.75
const MOST_KEYS = 500
const LEAST_RSA_BYTES = 256

type Jwk = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Jwk => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keeps strong public signature keys of the two algorithms; ignores others. */
function algorithmOf({ kty, crv, use, alg, key_ops, n, e, x, y }: Jwk): Algorithm | undefined {
  const algorithm = kty === 'RSA' ? 'RS256' : kty === 'EC' && crv === 'P-256' ? 'ES256' : undefined
  if (algorithm === undefined || (alg !== undefined && alg !== algorithm)) return undefined
  if (use !== undefined && use !== 'sig') return undefined
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) return undefined
  const numbers = algorithm === 'RS256' ? [n, e] : [x, y]
  if (!numbers.every((number) => typeof number === 'string')) return undefined
  if (algorithm === 'ES256') return algorithm
  const modulus = Buffer.from(String(n), 'base64url')
  return modulus.subarray(modulus.findIndex((byte) => byte !== 0)).length >= LEAST_RSA_BYTES ? algorithm : undefined
}

/** Throws if it is not a key set; skips unusable keys. */
export function readKeySet(text: string): KeySet {
  const document: unknown = JSON.parse(text)
  if (!isObject(document) || !Array.isArray(document.keys)) throw new Error('it is not a JSON Web Key Set')
  if (document.keys.length > MOST_KEYS) throw new Error(`it holds more than ${MOST_KEYS} keys`)
  const trusted = document.keys.filter(isObject).flatMap((jwk) => {
    const algorithm = algorithmOf(jwk)
    const { kid, kty, crv, n, e, x, y } = jwk
    if (algorithm === undefined || (kid !== undefined && typeof kid !== 'string')) return []
    const bare = algorithm === 'RS256' ? { kty, n, e } : { kty, crv, x, y }
    const print = createHash('sha256')
      .update(JSON.stringify([kid, bare]))
      .digest('base64url')
    let imported: Promise<VerifyKey> | undefined
    // `algorithmOf` checked the members' types.
    const key: TrustedKey = {
      print,
      import: () => (imported ??= importJWK(bare as Parameters<typeof importJWK>[0], algorithm)),
    }
    return [{ algorithm, kid, key }]
  })
  const prints = new Set(trusted.map(({ key }) => key.print))
  return {
    find(algorithm, kid) {
      const fitting = trusted.filter((one) => one.algorithm === algorithm && (kid === undefined || one.kid === kid))
      // Ignores duplicate key names: trying both is unsafe.
      return fitting.length === 1 ? fitting[0]?.key : undefined
    },
    holds: (print) => prints.has(print),
  }
}

export function createJwks({ fetch, cacheMs, monotonic, log }: JwksDeps) {
  const timeMs = Math.max(LEAST_TIME_MS, cacheMs)
  const listeners = new Set<(set: KeySet) => void>()
  let held: { readonly set: KeySet; readonly text: string; readonly atMs: number } | undefined
  let fetching: Promise<void> | undefined
  let askedAtMs = Number.NEGATIVE_INFINITY
  let failedAtMs = Number.NEGATIVE_INFINITY
  let renewedAtMs = Number.NEGATIVE_INFINITY
  let failing = false

  async function load(): Promise<void> {
    askedAtMs = monotonic()
    try {
      const text = await fetch()
      const same = held?.text === text ? held.set : undefined
      const set = same ?? readKeySet(text)
      held = { set, text, atMs: askedAtMs }
      if (failing) log.info('the key set of JWT_JWKS_URL can be had again')
      failing = false
      if (same === undefined) for (const tell of listeners) tell(set)
    } catch (error) {
      failedAtMs = monotonic()
      // Logged once per outage: unauthenticated callers trigger it.
      if (!failing)
        log.warn('the key set of JWT_JWKS_URL cannot be had; no token is accepted once the known one is too old', {
          error,
        })
      failing = true
    }
  }

  /** Single-flight for all callers. */
  function loadOnce(): Promise<void> {
    fetching ??= load().finally(() => (fetching = undefined))
    return fetching
  }

  function current(): KeySet | undefined {
    if (held === undefined) return undefined
    const ageMs = monotonic() - held.atMs
    if (ageMs >= timeMs) return undefined
    if (ageMs >= timeMs * AHEAD && fetching === undefined && monotonic() - askedAtMs >= RENEW_EVERY_MS) void loadOnce()
    return held.set
  }

  return {
    /** The cached set, while fresh. */
    current,
    /** The set, refetched when expired; undefined if unavailable. */
    async get(): Promise<KeySet | undefined> {
      const known = current()
      if (known) return known
      if (fetching === undefined && monotonic() - failedAtMs < RETRY_AFTER_MS) return undefined
      await loadOnce()
      return current()
    },
    /** Refetches for an unknown key: at most once in 30 s. */
    async renew(): Promise<KeySet | undefined> {
      if (fetching) await fetching
      else if (monotonic() - renewedAtMs >= RENEW_EVERY_MS) {
        renewedAtMs = monotonic()
        await loadOnce()
      }
      return current()
    },
    /** Called when the set changed. */
    onChange: (listener: (set: KeySet) => void): void => void listeners.add(listener),
  }
}
