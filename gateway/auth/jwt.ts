// Tokens of MCP clients: RS256 or ES256 against the key set, strict claims, and each remembered until it ends. Contract 2.1.

import { compactVerify } from 'jose'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { type Credential, createEndings, type DataPlaneCaller } from './credential.ts'
import type { Jwks, KeySet, TrustedKey } from './jwks.ts'
import { createSteadyClock, type WallClock } from './steady-clock.ts'
import { NOBODY } from './unknown-user.ts'

export type Tokens = {
  /** A token that was verified before, by the digest of all of it. */
  find(digest: string): Credential | undefined
  /** Undefined for whatever is wrong with it. */
  verify(token: string, digest: string): Promise<DataPlaneCaller | undefined>
}

type TokensDeps = Pick<Base, 'monotonic'> & {
  readonly jwks: Jwks
  readonly settings: Pick<Settings, 'JWT_ISSUER' | 'JWT_AUDIENCE'>
  readonly clock: WallClock
}

type Entry = Credential & {
  readonly print: string
  readonly end: () => void
  readonly listening: () => boolean
}

const SKEW_MS = 60_000
const MOST_TOKENS = 10_000
const MOST_SUBJECT = 255
/** A clock that is set is noticed within this. */
const LONGEST_WAIT_MS = 60_000
const SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

export const looksLikeToken = (text: string): boolean => SHAPE.test(text)

type Json = Readonly<Record<string, unknown>>

/** One spelling per value: base64url that decodes and would not be written so is refused. */
function decoded(part: string): Json | undefined {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) return undefined
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  // Just found to be one, and no array.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

type Header = { readonly alg: 'RS256' | 'ES256'; readonly kid: string | undefined }

/** What changes how a token is to be read is refused; what only names keys (`jwk`, `jku`, `x5u`) is not looked at. */
function headerOf(part: string): Header | undefined {
  const { alg, kid, ...rest } = decoded(part) ?? {}
  if (alg !== 'RS256' && alg !== 'ES256') return undefined
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > 512)) return undefined
  return ['crit', 'b64', 'zip', 'enc'].some((name) => name in rest) ? undefined : { alg, kid }
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

export function createTokens({ jwks, settings, clock: wall, monotonic }: TokensDeps): Tokens {
  const { JWT_ISSUER, JWT_AUDIENCE } = settings
  const clock = createSteadyClock(wall, monotonic)
  const tokens = new Map<string, Entry>()
  /** Entries with somebody who listens for their end, remembered whatever happens to the rest. */
  const listened = new Set<Entry>()

  function audienceFits(aud: unknown): boolean {
    if (JWT_AUDIENCE === null) return true
    if (typeof aud === 'string') return aud === JWT_AUDIENCE
    return Array.isArray(aud) && aud.every((one) => typeof one === 'string') && aud.includes(JWT_AUDIENCE)
  }

  /** Whom a set of claims stands for and until when; undefined when it stands for nobody now. */
  function accepted({ exp, nbf, iat, iss, aud, sub }: Json): { subject: string; endsAtMs: number } | undefined {
    const nowMs = clock.now()
    if (!isTime(exp) || nowMs >= exp * 1000 + SKEW_MS) return undefined
    for (const start of [nbf, iat])
      if (start !== undefined && (!isTime(start) || nowMs < start * 1000 - SKEW_MS)) return undefined
    if (JWT_ISSUER !== null && iss !== JWT_ISSUER) return undefined
    if (!audienceFits(aud)) return undefined
    if (typeof sub !== 'string' || sub === '' || sub.length > MOST_SUBJECT || /\p{C}/u.test(sub)) return undefined
    return { subject: sub, endsAtMs: exp * 1000 + SKEW_MS }
  }

  /** In the set as it is; another look is taken for a name it does not hold. */
  async function trusted({ alg, kid }: Header): Promise<{ set: KeySet; key: TrustedKey } | undefined> {
    const set = await jwks.get()
    const key = set?.find(alg, kid)
    if (set && key) return { set, key }
    const renewed = set && (await jwks.renew())
    const found = renewed?.find(alg, kid)
    return renewed && found && { set: renewed, key: found }
  }

  function remember(digest: string, entry: Entry): void {
    for (const [oldest] of tokens) {
      if (tokens.size < MOST_TOKENS) break
      tokens.delete(oldest)
    }
    tokens.set(digest, entry)
  }

  function entryOf(
    caller: DataPlaneCaller,
    print: string,
    verifiedBy: KeySet,
    endsAtMs: number,
  ): Entry & { caller: DataPlaneCaller } {
    const endings = createEndings()
    let set = verifiedBy
    let over = false
    let waiting = 0
    let timer: NodeJS.Timeout | undefined
    const wait = (): void => {
      timer = setTimeout(
        () => (clock.now() >= endsAtMs ? entry.end() : wait()),
        Math.min(LONGEST_WAIT_MS, Math.max(0, endsAtMs - clock.now())),
      )
      timer.unref()
    }
    const entry = {
      print,
      listening: () => waiting > 0,
      end() {
        over = true
        clearTimeout(timer)
        listened.delete(entry)
        endings.end()
      },
      caller: {
        ...caller,
        onEnd(end: () => void) {
          const forget = endings.add(end)
          waiting += 1
          listened.add(entry)
          if (timer === undefined && !over) wait()
          return () => {
            forget()
            waiting -= 1
            if (waiting > 0) return
            listened.delete(entry)
            clearTimeout(timer)
            timer = undefined
          }
        },
      },
      current() {
        const now = jwks.current()
        if (over || now === undefined) return undefined
        if (clock.now() >= endsAtMs) {
          entry.end()
          return undefined
        }
        if (set !== now) {
          if (!now.holds(print)) {
            entry.end()
            return undefined
          }
          set = now
        }
        return entry.caller
      },
    }
    return entry
  }

  // A key that was withdrawn takes along whoever still listens by a token of it.
  jwks.onChange((set) => {
    for (const entry of listened) if (!set.holds(entry.print)) entry.end()
  })

  async function check(token: string, digest: string): Promise<DataPlaneCaller | undefined> {
    const [head = '', body = '', signature = ''] = token.split('.')
    const header = headerOf(head)
    const claims = decoded(body)
    if (header === undefined || claims === undefined) return undefined
    if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined
    // Before anything is fetched or computed for it.
    const stands = accepted(claims)
    if (stands === undefined) return undefined
    const found = await trusted(header)
    if (found === undefined) return undefined
    await compactVerify(token, await found.key.import(), { algorithms: [header.alg] })
    const caller: DataPlaneCaller = { ...NOBODY, name: `jwt:${stands.subject}`, kind: 'jwt', keyHash: digest }
    const entry = entryOf(caller, found.key.print, found.set, stands.endsAtMs)
    remember(digest, entry)
    return entry.caller
  }

  return {
    find: (digest) => tokens.get(digest),
    async verify(token, digest) {
      try {
        const known = tokens.get(digest)
        // Its key set may only have grown old; the fresh one says whether the key still stands.
        if (known && (await jwks.get())) {
          const caller = known.current()
          if (caller) return caller
          tokens.delete(digest)
        }
        return await check(token, digest)
      } catch {
        // Whatever was wrong with it: the answer is the same.
        return undefined
      }
    },
  }
}
