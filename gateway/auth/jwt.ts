// Tokens of MCP clients: RS256 or ES256 against the key set, strict claims, cached until they expire. Contract 2.1.

import { compactVerify } from 'jose'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { type Credential, createEndings, type DataPlaneCaller } from './credential.ts'
import type { Jwks, KeySet, TrustedKey } from './jwks.ts'
import { createSteadyClock } from './steady-clock.ts'
import { NO_USER } from './unknown-user.ts'

export type Tokens = ReturnType<typeof createTokens>

type TokensDeps = Pick<Base, 'monotonic' | 'clock'> & {
  readonly jwks: Jwks
  readonly settings: Pick<Settings, 'JWT_ISSUER' | 'JWT_AUDIENCE'>
}

type Entry = Credential & {
  readonly print: string
  readonly end: () => void
  readonly listening: () => boolean
}

const SKEW_MS = 60_000
const MOST_TOKENS = 10_000
const MOST_SUBJECT = 255
/** A clock change is noticed within this time. */
const LONGEST_WAIT_MS = 60_000
const SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

export const looksLikeToken = (text: string): boolean => SHAPE.test(text)

type Json = Readonly<Record<string, unknown>>

/** Accepts only canonical base64url. */
function decoded(part: string): Json | undefined {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) return undefined
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  // Checked above: an object, not an array.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

type Header = { readonly alg: 'RS256' | 'ES256'; readonly kid: string | undefined }

/** Rejects headers that change the token's interpretation; ignores those that name keys (`jwk`, `jku`, `x5u`). */
function headerOf(part: string): Header | undefined {
  const { alg, kid, ...rest } = decoded(part) ?? {}
  if (alg !== 'RS256' && alg !== 'ES256') return undefined
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > 512)) return undefined
  return ['crit', 'b64', 'zip', 'enc'].some((name) => name in rest) ? undefined : { alg, kid }
}

/** RFC 9068 has one text; some providers send a list, or call it `scp`. */
function scopesOf({ scope, scp }: Json): readonly string[] {
  const given = [scope, scp].flat().filter((each) => typeof each === 'string')
  return given.flatMap((each) => each.split(' ')).filter((each) => each !== '')
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

export function createTokens({ jwks, settings, clock: wall, monotonic }: TokensDeps) {
  const { JWT_ISSUER, JWT_AUDIENCE } = settings
  const clock = createSteadyClock(wall, monotonic)
  const tokens = new Map<string, Entry>()
  /** Entries with listeners, kept regardless of cache eviction. */
  const listened = new Set<Entry>()

  function audienceFits(aud: unknown): boolean {
    if (JWT_AUDIENCE === null) return true
    if (typeof aud === 'string') return aud === JWT_AUDIENCE
    return Array.isArray(aud) && aud.every((one) => typeof one === 'string') && aud.includes(JWT_AUDIENCE)
  }

  /** The subject and expiry of a set of claims; undefined if not valid now. */
  function accepted({
    exp,
    nbf,
    iat,
    iss,
    aud,
    sub,
  }: Json): { subject: string; issuer: string | undefined; endsAtMs: number } | undefined {
    const nowMs = clock.now()
    if (!isTime(exp) || nowMs >= exp * 1000 + SKEW_MS) return undefined
    for (const start of [nbf, iat])
      if (start !== undefined && (!isTime(start) || nowMs < start * 1000 - SKEW_MS)) return undefined
    if (JWT_ISSUER !== null && iss !== JWT_ISSUER) return undefined
    if (!audienceFits(aud)) return undefined
    if (typeof sub !== 'string' || sub === '' || sub.length > MOST_SUBJECT || /\p{C}/u.test(sub)) return undefined
    return { subject: sub, issuer: typeof iss === 'string' ? iss : undefined, endsAtMs: exp * 1000 + SKEW_MS }
  }

  /** Looks in the current set; refetches for an unknown name. */
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

  // A withdrawn key ends the streams of its tokens.
  jwks.onChange((set) => {
    for (const entry of listened) if (!set.holds(entry.print)) entry.end()
  })

  async function check(token: string, digest: string): Promise<DataPlaneCaller | undefined> {
    const [head = '', body = '', signature = ''] = token.split('.')
    const header = headerOf(head)
    const claims = decoded(body)
    if (header === undefined || claims === undefined) return undefined
    if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined
    // Checked before any fetch or verification.
    const stands = accepted(claims)
    if (stands === undefined) return undefined
    const found = await trusted(header)
    if (found === undefined) return undefined
    await compactVerify(token, await found.key.import(), { algorithms: [header.alg] })
    const caller: DataPlaneCaller = {
      ...NO_USER,
      name: `jwt:${stands.subject}`,
      kind: 'jwt',
      keyHash: digest,
      person: stands.issuer === undefined ? null : { kind: 'subject', issuer: stands.issuer, subject: stands.subject },
      tokenScopes: scopesOf(claims),
      subjectToken: () => token,
    }
    const entry = entryOf(caller, found.key.print, found.set, stands.endsAtMs)
    remember(digest, entry)
    return entry.caller
  }

  return {
    /** Looks up a verified token by the digest of its whole text. */
    find: (digest: string): Credential | undefined => tokens.get(digest),
    /** Undefined for any error. */
    async verify(token: string, digest: string): Promise<DataPlaneCaller | undefined> {
      try {
        const known = tokens.get(digest)
        // The key set may have expired; the fresh one shows whether the key is still valid.
        if (known && (await jwks.get())) {
          const caller = known.current()
          if (caller) return caller
          tokens.delete(digest)
        }
        return await check(token, digest)
      } catch {
        // The answer is the same for every reason.
        return undefined
      }
    },
  }
}
