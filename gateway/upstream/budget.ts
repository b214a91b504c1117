// The time one request has, over everything it takes: a handshake, the request itself, a second try after a lost session.
import { ExchangeError } from '../net/exchange.ts'

export type Budget = {
  /** Throws when nothing is left, or when the request was cancelled. */
  readonly remainingMs: () => number
  /** Takes the way to cut the current exchange off. */
  readonly arm: (cancel: () => void) => void
  /** Waits for work that others wait for too: giving up does not end it. */
  readonly within: <T>(work: Promise<T>) => Promise<T>
}

const timedOut = (timeoutMs: number): ExchangeError =>
  new ExchangeError('timeout', `no complete answer within ${timeoutMs} ms`)
const cancelled = (): ExchangeError => new ExchangeError('cancelled', 'the request was cancelled')

export function createBudget(timeoutMs: number, now: () => number, onStart?: (cancel: () => void) => void): Budget {
  const endsAt = now() + timeoutMs
  let over = false
  let cut: () => void = () => undefined
  onStart?.(() => {
    over = true
    cut()
  })
  const remainingMs = (): number => {
    if (over) throw cancelled()
    const left = Math.ceil(endsAt - now())
    if (left <= 0) throw timedOut(timeoutMs)
    return left
  }
  return {
    remainingMs,
    arm(cancel) {
      cut = cancel
      if (over) cancel()
    },
    async within(work) {
      const waiting = Promise.withResolvers<never>()
      const timer = setTimeout(() => waiting.reject(timedOut(timeoutMs)), remainingMs())
      cut = () => waiting.reject(cancelled())
      try {
        return await Promise.race([work, waiting.promise])
      } finally {
        clearTimeout(timer)
        cut = () => undefined
      }
    },
  }
}
