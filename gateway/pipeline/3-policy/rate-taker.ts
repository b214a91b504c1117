// A rate window as the policies take from it. A rehearsal (dry run) looks at the window and counts nothing.
import type { RateWindow } from '../../http/rate-window.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { RateTaker } from './rate-limit.ts'

export const rateTakerOf = (
  window: RateWindow,
  tier: 'tool' | 'end_user',
  metrics: Pick<Metrics, 'inc'>,
): RateTaker => ({
  take(bucket, limit, rehearsed) {
    const verdict = rehearsed ? window.look(bucket, limit) : window.take(bucket, limit)
    if (verdict.allowed) return { ok: true }
    if (!rehearsed) metrics.inc('mcp_rate_limit_hits_total', { tier })
    return { ok: false, retryAfterMs: verdict.retryAfterMs }
  },
})
