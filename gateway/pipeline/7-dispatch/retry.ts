// Which failures are worth another attempt, and how long to wait for it. Contract 5.13.
import type { Failed, Outcome } from '../../outcome/outcome.ts'
import type { Observed } from './observed.ts'

export type RetrySettings = {
  readonly RETRY_MAX_ATTEMPTS: number
  readonly RETRY_BASE_DELAY_MS: number
  readonly RETRY_AFTER_MAX_MS: number
}

const SAFE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
const STATUSES = new Set([408, 429, 502, 503, 504])

export function mayRetry(method: string, retryNonSafe: boolean): boolean {
  return SAFE.has(method) || (retryNonSafe && (method === 'POST' || method === 'PATCH'))
}

/** One attempt: how it ended, and when the upstream asked to come back. */
export type Attempt = { readonly outcome: Outcome; readonly retryAfterMs?: number }

function worthAnother(failed: Failed): boolean {
  if (failed.failure === 'network' || failed.failure === 'timeout') return true
  return failed.failure === 'upstream_status' && STATUSES.has(failed.status ?? 0)
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds or a date to come; only the statuses that define it are believed. */
export function retryAfter(status: number, header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || (status !== 429 && status !== 503)) return undefined
  const given = header.trim()
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000
  const left = HTTP_DATE.test(given) ? Date.parse(given) - nowMs : Number.NaN
  return left >= 0 ? left : undefined
}

export type Cancellation = {
  readonly cancelled: boolean
  /** Resolves early when the call is cancelled. */
  wait(ms: number): Promise<void>
}

/** Called with the number of the next attempt, and how the one before ended. */
export type OnRetry = (attempt: number, before: Outcome) => void

type Options = {
  readonly settings: RetrySettings
  /** How the one attempt ended that every call has. */
  readonly first: Attempt
  /** How long it took. */
  readonly firstMs: number
  /** Of each attempt. */
  readonly timeoutMs: number
  readonly allowed: boolean
  readonly attempt: () => Attempt | Promise<Attempt>
  /** Asked after each wait: what let the call in may not hold any more. */
  readonly mayGoOn: () => Promise<boolean>
  readonly observed: Observed
  readonly onRetry?: OnRetry | undefined
  /** Monotonic. */
  readonly monotonic: () => number
  readonly stop: Cancellation
  readonly random: () => number
}

/**
 * What a call may take in all: every attempt its whole time and every wait its longest. An upstream that asks for a
 * longer wait than is left of it is not asked again.
 */
export function boundMs({ RETRY_MAX_ATTEMPTS: more, RETRY_BASE_DELAY_MS: base }: RetrySettings, timeoutMs: number) {
  return (more + 1) * timeoutMs + base * (2 ** more - 1 + more)
}

type Retried = { readonly outcome: Outcome; readonly attempts: number }

export function withRetries(options: Options): Retried | Promise<Retried> {
  const { outcome } = options.first
  // Nearly every call ends here.
  if (outcome.kind !== 'failed' || !options.allowed) return { outcome, attempts: 1 }
  return again(options)
}

async function again(options: Options): Promise<Retried> {
  const { settings, first, firstMs, timeoutMs, attempt, mayGoOn, observed, onRetry, monotonic, stop, random } = options
  const allMs = boundMs(settings, timeoutMs)
  // What was allowed, not what the clock says: a late timer must not cost a call its last attempt.
  let usedMs = Math.min(firstMs, timeoutMs)
  let last = first
  for (let attempts = 1; ; attempts++) {
    const { outcome, retryAfterMs } = last
    const backoffMs = settings.RETRY_BASE_DELAY_MS * 2 ** (attempts - 1) + random() * settings.RETRY_BASE_DELAY_MS
    const waitMs = retryAfterMs === undefined ? backoffMs : Math.min(retryAfterMs, settings.RETRY_AFTER_MAX_MS)
    usedMs += waitMs
    const ended =
      outcome.kind !== 'failed' ||
      !worthAnother(outcome) ||
      attempts > settings.RETRY_MAX_ATTEMPTS ||
      usedMs + timeoutMs > allMs ||
      stop.cancelled
    if (!ended) await stop.wait(waitMs)
    // A caller that is refused now still receives how the last attempt ended.
    if (ended || stop.cancelled || !(await mayGoOn())) {
      observed.settled(outcome, attempts)
      return { outcome, attempts }
    }
    observed.retrying()
    onRetry?.(attempts + 1, outcome)
    const since = monotonic()
    last = await attempt()
    const tookMs = monotonic() - since
    observed.attempt(last.outcome, tookMs)
    usedMs += Math.min(tookMs, timeoutMs)
  }
}
