// What the metrics tell of upstream requests: each attempt's time, retries and what came of them, bodies that were too large. Contract 14.

import type { Outcome } from '../../outcome/outcome.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { ToolCall } from '../call.ts'

/** The counters of one tool, each taken when it is first needed. */
export type Observed = {
  attempt(outcome: Outcome, durationMs: number): void
  retrying(): void
  settled(outcome: Outcome, attempts: number): void
}

const CLASSES = ['none', '2xx', '3xx', '4xx', '5xx'] as const
type StatusClass = (typeof CLASSES)[number]

export function statusClass(outcome: Outcome): StatusClass {
  if (outcome.kind === 'ok') return '2xx'
  const hundreds = outcome.kind === 'failed' ? Math.floor((outcome.status ?? 0) / 100) : 0
  return CLASSES.find((known) => known === `${hundreds}xx`) ?? 'none'
}

function methodOf({ backend, tool: { definition } }: ToolCall): string {
  if (backend.kind === 'mcp') return 'MCP'
  if (backend.kind === 'pcg') return 'PCG'
  return definition.method ?? 'POST'
}

export function createObserved(metrics: Pick<Metrics, 'inc' | 'histogram'>): (call: ToolCall) => Observed {
  const kept = new WeakMap<ToolCall['tool'], Observed>()

  function observed(call: ToolCall): Observed {
    const client = call.backend.name
    const method = methodOf(call)
    const times: Partial<Record<StatusClass, (seconds: number) => void>> = {}
    return {
      attempt(outcome, durationMs) {
        const status_class = statusClass(outcome)
        times[status_class] ??= metrics.histogram('mcp_proxy_request_duration_seconds', {
          client,
          method,
          status_class,
        })
        times[status_class](durationMs / 1000)
        if (outcome.kind === 'failed' && outcome.failure === 'response_too_large')
          metrics.inc('mcp_proxy_body_cap_rejections_total', { client })
      },
      retrying: () => metrics.inc('mcp_proxy_retry_attempts_total', { client, method, outcome: 'retry' }),
      settled(outcome, attempts) {
        if (attempts < 2) return
        const end = outcome.kind === 'ok' ? 'success' : 'exhausted'
        metrics.inc('mcp_proxy_retry_attempts_total', { client, method, outcome: end })
      },
    }
  }

  return (call) => {
    const known = kept.get(call.tool)
    if (known) return known
    const made = observed(call)
    kept.set(call.tool, made)
    return made
  }
}
