// Calls of a month that this instance took from the quotas of all instances, in batches, and what it returns of them.

export type QuotaStore = {
  take(
    id: number,
    period: string,
    wish: { readonly quota: number; readonly want: number },
  ): Promise<{ readonly granted: number; readonly left: number }>
  giveBack(id: number, period: string, count: number): Promise<void>
}

export type QuotaShare = {
  /** One call of the month; false when the quota is used up over all instances. */
  take(id: number, period: string, quota: number): boolean | Promise<boolean>
  /** The call is not counted. */
  back(id: number, period: string): void
  close(): Promise<void>
}

type State = {
  readonly period: string
  permits: number
  left: number
  taking: Promise<number> | undefined
  waiting: number
  /** Calls since the last look, which size the next batch. */
  recent: number
  quota: number
  emptyUntil: number
}

/** Of what is left, one instance takes one part of so many ahead: the last calls are taken one by one. */
const PARTS = 8
const LOOK_MS = 1000

export function createQuotaShare(parts: {
  readonly store: QuotaStore
  readonly instances: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly onFailed: (error: unknown) => void
}): QuotaShare {
  const { store, instances, monotonic, onFailed } = parts
  const states = new Map<number, State>()

  function stateOf(id: number, period: string): State {
    const known = states.get(id)
    if (known?.period === period) return known
    const made: State = {
      period,
      permits: 0,
      left: 0,
      taking: undefined,
      waiting: 0,
      recent: 0,
      quota: 0,
      emptyUntil: 0,
    }
    states.set(id, made)
    return made
  }

  async function takeMore(id: number, state: State, quota: number): Promise<number> {
    const ahead = Math.min(state.recent, Math.floor(state.left / (PARTS * Math.max(1, instances()))))
    const { granted, left } = await store.take(id, state.period, { quota, want: Math.max(1, state.waiting, ahead) })
    state.permits += granted
    state.left = left
    state.quota = quota
    // Refused calls do not ask the database one by one; another instance may return some within this time.
    if (granted === 0) state.emptyUntil = monotonic() + LOOK_MS / 4
    return granted
  }

  async function waited(id: number, state: State, quota: number): Promise<boolean> {
    state.waiting += 1
    try {
      for (;;) {
        state.taking ??= takeMore(id, state, quota).finally(() => {
          state.taking = undefined
        })
        const granted = await state.taking
        if (state.permits > 0) {
          state.permits -= 1
          return true
        }
        if (granted === 0) return false
      }
    } finally {
      state.waiting -= 1
    }
  }

  async function returnIdle(all: boolean): Promise<void> {
    for (const [id, state] of states) {
      const idle = state.recent === 0 || all
      state.recent = 0
      const count = state.permits
      if (!idle || count === 0 || state.taking) continue
      state.permits = 0
      await store.giveBack(id, state.period, count).catch(onFailed)
    }
  }

  let returning: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    returning = returning.then(() => returnIdle(false))
  }, LOOK_MS)
  timer.unref()

  return {
    take(id, period, quota) {
      const state = stateOf(id, period)
      state.recent += 1
      if (state.permits > 0 && state.quota === quota) {
        state.permits -= 1
        return true
      }
      if (monotonic() < state.emptyUntil && state.quota === quota) return false
      return waited(id, state, quota)
    },
    back(id, period) {
      const state = states.get(id)
      if (state?.period === period) state.permits += 1
    },
    async close() {
      clearInterval(timer)
      await returning
      await returnIdle(true)
    },
  }
}
