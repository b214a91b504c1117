// A rate window as the policies take from it. A rehearsal (dry run) looks at the window and counts nothing.
import type { Budget } from '../../http/limits.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { RateTaker } from './rate-limit.ts'

const TAKEN = { ok: true } as const

export const rateTakerOf = (budget: Budget, tier: 'tool' | 'end_user', metrics: Pick<Metrics, 'inc'>): RateTaker => ({
  take(key, limit, rehearsed) {
    if (rehearsed) {
      const seen = budget.look({ key, limit })
      return seen.allowed ? TAKEN : { ok: false, retryAfterMs: seen.retryAfterMs }
    }
    const judged = (verdict: Awaited<ReturnType<Budget['take']>>) => {
      if (verdict.allowed) return TAKEN
      metrics.inc('mcp_rate_limit_hits_total', { tier })
      return { ok: false, retryAfterMs: verdict.retryAfterMs } as const
    }
    const verdict = budget.take([{ key, limit }])
    return verdict instanceof Promise ? verdict.then(judged) : judged(verdict)
  },
})
