// The monthly quota of a consumer and the rate of its end users. Counted are the calls that pass every gate. Contract 5.8, 10.4.

import type { Refused } from '../../outcome/outcome.ts'
import type { Clock } from '../../telemetry/clock.ts'
import { after } from '../after.ts'
import type { ToolCall } from '../call.ts'
import type { QuotaShare } from './quota-share.ts'
import type { RateTaker } from './rate-limit.ts'

type ConsumerLimits = {
  readonly id: number
  readonly monthlyQuota: number | null
  readonly endUserRateLimitPerMin: number | null
}
type Month = { readonly name: string; readonly startMs: number; readonly endMs: number }

export type Quota = {
  /** A guard. It waits only where instances share quotas and limits. */
  guard(call: ToolCall): Refused | undefined | Promise<Refused | undefined>
  /** Every call that met the guard comes here once: it gives its place back, and is counted for the month that is returned. */
  settle(call: ToolCall, passed: boolean): string | null
  /** The limits as they are from now on; null when the consumer is gone. `used` is what it had used before this process began. */
  set(id: number, limits: ConsumerLimits | null, used?: number): void
  used(id: number): number
  month(): Month
  /** Returns what was taken and is not used. */
  close(): Promise<void>
}

type Parts = {
  readonly clock: Clock
  readonly endUsers: RateTaker
  /** Where several instances use one database. */
  readonly share?: QuotaShare | undefined
}

type State = { limits: ConsumerLimits; month: string; used: number; underWay: number }
/** `taken`: the month whose quota of all instances gave the place. */
type Held = { readonly state: State; readonly taken: string | null }

/** UTC calendar months. */
function monthOf(ms: number): Month {
  const at = new Date(ms)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  const startMs = Date.UTC(year, month, 1)
  return { name: new Date(startMs).toISOString().slice(0, 7), startMs, endMs: Date.UTC(year, month + 1, 1) }
}

export function createQuota({ clock, endUsers, share }: Parts): Quota {
  const states = new Map<number, State>()
  const held = new Map<ToolCall, Held>()
  let current = monthOf(clock.now())

  /** A clock that is set back begins no month a second time. */
  function month(): Month {
    const nowMs = clock.now()
    if (nowMs >= current.endMs) current = monthOf(nowMs)
    return current
  }

  /** What is counted in it belongs to this month. */
  function begin(state: State): void {
    const { name } = month()
    if (state.month === name) return
    state.month = name
    state.used = 0
  }

  function overRate(
    { limits }: State,
    { reserved: { endUser }, rehearsed }: ToolCall,
  ): Refused | undefined | Promise<Refused | undefined> {
    const { id, endUserRateLimitPerMin: limit } = limits
    if (limit === null || endUser === null) return undefined
    return after(endUsers.take(`${id}|${endUser}`, limit, rehearsed), (taken): Refused | undefined =>
      taken.ok
        ? undefined
        : {
            kind: 'refused',
            code: 'quota',
            reason: 'end_user',
            text: `This end user may make ${limit} calls per minute; try again in ${Math.ceil(taken.retryAfterMs / 1000)} s.`,
            retryAfterMs: taken.retryAfterMs,
            limit,
          },
    )
  }

  const usedUp = (limit: number): Refused => ({
    kind: 'refused',
    code: 'quota',
    reason: 'monthly',
    text: `The quota of this key for the month is used up; it resets on ${new Date(current.endMs).toISOString().slice(0, 10)}.`,
    retryAfterMs: Math.max(1, current.endMs - clock.now()),
    limit,
  })

  /** Another instance made the consumer; its quota is read within a second. */
  const notYet = (): Refused => ({
    kind: 'refused',
    code: 'quota',
    reason: 'monthly',
    text: 'The quota of this key is not loaded yet; try again in 1 s.',
    retryAfterMs: 1000,
    limit: 0,
  })

  /** The call has a place in the quota of the month; `taken` is set where all instances share it. */
  function placed(call: ToolCall, state: State, taken: string | null): ReturnType<Quota['guard']> {
    return after(overRate(state, call), (refused) => {
      if (refused) {
        if (taken !== null) share?.back(state.limits.id, taken)
        return refused
      }
      state.underWay += 1
      held.set(call, { state, taken })
      return undefined
    })
  }

  return {
    guard(call) {
      const { consumerId } = call.caller
      const state = consumerId === null ? undefined : states.get(consumerId)
      if (state === undefined) return consumerId !== null && share ? notYet() : undefined
      begin(state)
      const { id, monthlyQuota } = state.limits
      if (monthlyQuota === null) return placed(call, state, null)
      if (share) {
        const period = state.month
        return after(share.take(id, period, monthlyQuota), (taken) =>
          taken ? placed(call, state, period) : usedUp(monthlyQuota),
        )
      }
      // Calls under way have their places: together they cannot pass the last one.
      return state.used + state.underWay >= monthlyQuota ? usedUp(monthlyQuota) : placed(call, state, null)
    },
    settle(call, passed) {
      if (held.size === 0) return null
      const place = held.get(call)
      if (place === undefined) return null
      const { state, taken } = place
      held.delete(call)
      state.underWay -= 1
      if (!passed) {
        if (taken !== null) share?.back(state.limits.id, taken)
        return null
      }
      begin(state)
      state.used += 1
      return state.month
    },
    set(id, limits, used = 0) {
      const known = states.get(id)
      if (limits === null) states.delete(id)
      else if (known) {
        known.limits = limits
        begin(known)
        // Other instances count as well, and what this one counted last may not be stored yet.
        if (share) known.used = Math.max(known.used, used)
      } else states.set(id, { limits, month: month().name, used, underWay: 0 })
    },
    used(id) {
      const state = states.get(id)
      if (state === undefined) return 0
      begin(state)
      return state.used
    },
    month,
    close: () => share?.close() ?? Promise.resolve(),
  }
}
