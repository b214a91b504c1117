// The time one request has, over everything it takes: a handshake, the request itself, a second try after a lost session.

import { ExchangeError } from '../net/exchange.ts'
import { milliseconds } from '../text/amounts.ts'

export type Budget = {
  /** Throws when nothing is left, or when the request was cancelled. */
  readonly remainingMs: () => number
  /** Takes the way to cut the current exchange off. */
  readonly arm: (cancel: () => void) => void
  /** Waits for work that others wait for too: giving up does not end it. */
  readonly within: <T>(work: Promise<T>) => Promise<T>
  /** While its own client is waited for, an upstream's time stands still. Answers the way to go on. */
  readonly hold: () => () => void
  /** What an exchange that was cut off here really was. */
  readonly verdict: (error: unknown) => unknown
  readonly end: () => void
}

type Options = {
  readonly onStart?: ((cancel: () => void) => void) | undefined
  /** How long it may stand still altogether; nothing is held without it. */
  readonly patienceMs?: number
}

const timedOut = (timeoutMs: number): ExchangeError =>
  new ExchangeError('timeout', `no complete answer within ${milliseconds(timeoutMs)}`)
const cancelled = (): ExchangeError => new ExchangeError('cancelled', 'the request was cancelled')

export function createBudget(
  timeoutMs: number,
  monotonic: () => number,
  { onStart, patienceMs = 0 }: Options = {},
): Budget {
  let endsAt = monotonic() + timeoutMs
  let over: 'cancelled' | 'late' | undefined
  let cut: () => void = () => undefined
  let holds = 0
  let heldSince = 0
  let timer: NodeJS.Timeout | undefined

  const stop = (why: 'cancelled' | 'late'): void => {
    over ??= why
    clearTimeout(timer)
    cut()
  }
  // An exchange has a deadline of its own; one that may stand still is watched from here instead.
  const watch = (): void => {
    if (patienceMs > 0) timer = setTimeout(() => stop('late'), Math.max(0, endsAt - monotonic()))
  }
  watch()
  onStart?.(() => stop('cancelled'))
  const remainingMs = (): number => {
    if (over !== undefined) throw over === 'late' ? timedOut(timeoutMs) : cancelled()
    const left = Math.ceil(endsAt - monotonic())
    if (left <= 0 && holds === 0) throw timedOut(timeoutMs)
    return Math.max(1, left) + patienceMs
  }
  return {
    remainingMs,
    arm(cancel) {
      cut = cancel
      if (over !== undefined) cancel()
    },
    async within(work) {
      const waiting = Promise.withResolvers<never>()
      const left = remainingMs()
      const late = patienceMs > 0 ? undefined : setTimeout(() => waiting.reject(timedOut(timeoutMs)), left)
      cut = () => waiting.reject(cancelled())
      try {
        return await Promise.race([work, waiting.promise])
      } finally {
        clearTimeout(late)
        cut = () => undefined
      }
    },
    hold() {
      if (patienceMs === 0) return () => undefined
      holds += 1
      if (holds === 1) {
        heldSince = monotonic()
        clearTimeout(timer)
      }
      let held = true
      return () => {
        if (!held) return
        held = false
        holds -= 1
        if (holds > 0 || over !== undefined) return
        endsAt += monotonic() - heldSince
        watch()
      }
    },
    verdict: (error) =>
      over === 'late' && error instanceof ExchangeError && error.kind === 'cancelled' ? timedOut(timeoutMs) : error,
    end: () => clearTimeout(timer),
  }
}
