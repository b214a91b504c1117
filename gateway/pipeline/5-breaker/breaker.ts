// A backend's circuit breaker: failures in a sliding window open it, one probe at a time closes it. Contract 5.13.
export type BreakerState = 'closed' | 'open' | 'half_open'

export type BreakerLimits = {
  readonly failureThreshold: number
  readonly windowMs: number
  readonly resetTimeoutMs: number
  readonly halfOpenTimeoutMs: number
}

export type Admission =
  | Permit
  | { readonly admitted: false; readonly reason: 'open' | 'probing'; readonly retryAfterMs: number }

/**
 * The right to make a call, handed back with its result. All calls of one closed time share one, so that
 * calls begun before a trip differ from those begun after it.
 */
export type Permit = { readonly admitted: true; readonly probe: Probe | undefined }

/** What makes a permit the one of the half-open call. It ends once: with an outcome, or without one. */
export type Probe = { readonly deadlineMs: number; readonly startedAt: number; remote?: true }

const freshPermit = (): Permit => ({ admitted: true, probe: undefined })

/** `none`: the call ended without saying anything about the backend (cancelled, invalid arguments). */
export type Verdict = 'success' | 'failure' | 'none'

type Options = {
  readonly limits: BreakerLimits
  /** Monotonic. */
  readonly monotonic: () => number
  /** `followed`: another instance moved first. */
  readonly onTransition?: (from: BreakerState, to: BreakerState, followed: boolean) => void
}

export class Breaker {
  private state: BreakerState = 'closed'
  private limits: BreakerLimits
  private readonly monotonic: () => number
  private readonly onTransition: NonNullable<Options['onTransition']>
  /** When failures happened, oldest first; never more than the threshold. */
  private failures: number[] = []
  private openedAt = 0
  private permit = freshPermit()
  private probe: Probe | undefined
  private followed = false

  constructor({ limits, monotonic, onTransition = () => undefined }: Options) {
    this.limits = limits
    this.monotonic = monotonic
    this.onTransition = onTransition
  }

  admit(): Admission {
    if (this.state === 'closed') return this.permit
    const now = this.monotonic()
    if (this.state === 'open') {
      const left = this.openedAt + this.limits.resetTimeoutMs - now
      if (left > 0) return { admitted: false, reason: 'open', retryAfterMs: Math.ceil(left) }
      this.move('half_open')
    }
    if (this.probe) {
      const left = this.probe.startedAt + this.probe.deadlineMs - now
      if (left > 0) return { admitted: false, reason: 'probing', retryAfterMs: Math.ceil(left) }
      // Its holder should have reported a timeout by now; silence is one. Of another instance it may mean a crash.
      if (this.probe.remote) this.probe = undefined
      else this.reopen()
      return this.admit()
    }
    this.probe = { deadlineMs: this.limits.halfOpenTimeoutMs, startedAt: now }
    return { admitted: true, probe: this.probe }
  }

  /** Once per call, with the permit it was admitted with. */
  settle(verdict: Verdict, permit: Permit): void {
    const { probe } = permit
    if (probe) {
      // A probe that was overtaken by a reset or its own deadline has nothing to say any more.
      if (probe !== this.probe) return
      this.probe = undefined
      if (verdict === 'success') this.close()
      else if (verdict === 'failure') this.reopen()
      return
    }
    // A call may end after the breaker opened, or opened and closed again: its result is about a time that is over.
    if (verdict !== 'failure' || this.state !== 'closed' || permit !== this.permit) return
    this.failures.push(this.monotonic())
    this.forgetOld()
    if (this.failures.length >= this.limits.failureThreshold) this.open()
  }

  reset(): BreakerState {
    const previous = this.current()
    this.close()
    return previous
  }

  /** Another instance probes: this permit waits for what that one announces, as long as a probe may take. */
  giveAway({ probe }: Permit): void {
    if (probe !== undefined && probe === this.probe) probe.remote = true
  }

  /** Applies the breaker state that another instance announced. An own probe outranks an older failure there. */
  follow(to: 'open' | 'closed'): void {
    if (to === 'open' && this.probe && !this.probe.remote) return
    this.followed = true
    if (to === 'closed') this.close()
    else this.reopen()
    this.followed = false
  }

  /** Applied to the live breaker without resetting it. */
  setLimits(limits: BreakerLimits): void {
    this.limits = limits
  }

  /** An open breaker whose time is over is half-open, also before the next call. */
  current(): BreakerState {
    return this.state === 'open' && this.halfOpenInMs() === 0 ? 'half_open' : this.state
  }

  failuresInWindow(): number {
    this.forgetOld()
    return this.failures.length
  }

  halfOpenInMs(): number | null {
    return this.state === 'open'
      ? Math.max(0, Math.ceil(this.openedAt + this.limits.resetTimeoutMs - this.monotonic()))
      : null
  }

  private forgetOld(): void {
    const since = this.monotonic() - this.limits.windowMs
    while (this.failures.length > 0 && (this.failures[0] ?? 0) <= since) this.failures.shift()
  }

  private open(): void {
    this.openedAt = this.monotonic()
    this.move('open')
  }

  private reopen(): void {
    this.probe = undefined
    this.open()
  }

  private close(): void {
    this.probe = undefined
    this.failures = []
    this.permit = freshPermit()
    this.move('closed')
  }

  private move(to: BreakerState): void {
    if (this.state === to) return
    const from = this.state
    this.state = to
    this.onTransition(from, to, this.followed)
  }
}
