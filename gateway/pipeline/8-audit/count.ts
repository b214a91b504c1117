// What is counted of every call, with the counters taken once.

import type { Outcome } from '../../outcome/outcome.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { ToolCall } from '../call.ts'

export type Label = 'success' | 'error' | 'refused' | 'cancelled'

const LABEL = { ok: 'success', failed: 'error', refused: 'refused' } as const

export function outcomeLabel(outcome: Outcome): Label {
  return outcome.kind === 'failed' && outcome.failure === 'cancelled' ? 'cancelled' : LABEL[outcome.kind]
}

type Count = (call: ToolCall, outcome: Outcome, label: Label, durationMs: number, dispatchMs: number) => void

export function counters(metrics: Metrics): Count {
  const totals = perLabel((outcome) => ({
    inc: metrics.counter('mcp_tool_calls_total', { outcome }),
    observe: metrics.histogram('mcp_tool_call_duration_seconds', { outcome }),
  }))
  const overhead = metrics.histogram('mcp_gateway_overhead_seconds')
  // A snapshot is replaced when its backend changes: its counters go with it.
  const clients = new WeakMap<ToolCall['backend'], Readonly<Record<Label, () => void>>>()
  return ({ backend, relayed }, outcome, label, durationMs, dispatchMs) => {
    if (outcome.kind === 'refused' && outcome.code === 'guardrail_input')
      metrics.inc('mcp_guardrail_hits_total', { direction: 'input' })
    if (relayed) {
      metrics.inc('mcp_relayed_requests_total', { method: relayed.method, outcome: label })
      return
    }
    let client = clients.get(backend)
    if (client === undefined) {
      client = perLabel((each) =>
        metrics.counter('mcp_client_tool_calls_total', { client: backend.name, outcome: each }),
      )
      clients.set(backend, client)
    }
    const total = totals[label]
    total.inc()
    client[label]()
    if (outcome.kind === 'refused') metrics.inc('mcp_tool_refusals_total', { code: outcome.code })
    total.observe(durationMs / 1000)
    overhead(Math.max(0, durationMs - dispatchMs) / 1000)
  }
}

const perLabel = <T>(make: (label: Label) => T): Readonly<Record<Label, T>> => ({
  success: make('success'),
  error: make('error'),
  refused: make('refused'),
  cancelled: make('cancelled'),
})
