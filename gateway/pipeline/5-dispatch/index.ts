// Dispatch: the one stage that reaches the backend. Sends, retries what may be retried, within the tool's time-out per attempt.
import type { Outbound } from '../../net/outbound.ts'
import type { Account } from '../../net/room.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { AdmitAgain } from '../0-admission/again.ts'
import type { Outcome, ToolCall } from '../call.ts'
import { createObserved } from './observed.ts'
import { redaction } from './redact.ts'
import { type Cancellation, mayRetry, type RetrySettings, withRetries } from './retry.ts'
import { createHttpSender, type SendSettings } from './send-http.ts'
import { sendLocal } from './send-local.ts'

export type DispatchSettings = RetrySettings & SendSettings & { readonly TOOL_CALL_TIMEOUT_MS: number }

/** Calls a tool of an MCP upstream. */
export type McpSender = (
  call: ToolCall,
  context: { readonly timeoutMs: number; readonly account: Account; readonly onStart: (cancel: () => void) => void },
) => Promise<Outcome>

type Parts = {
  readonly outbound: Outbound
  readonly registry: LiveRegistry
  readonly sendMcp: McpSender
  readonly admitAgain: AdmitAgain
  readonly settings: DispatchSettings
  readonly metrics: Pick<Metrics, 'inc' | 'histogram'>
  readonly now: () => number
  readonly monotonic: () => number
  readonly random: () => number
}

export type Dispatched = { readonly outcome: Outcome; readonly attempts: number }
export type Dispatch = (call: ToolCall, timeoutMs: number | undefined, account: Account) => Promise<Dispatched>

/** A query is a read however it travels; a mutation is never sent twice. */
function mayBeSentAgain({ backend, tool: { definition } }: ToolCall): boolean {
  if (definition.graphql) return definition.graphql.operation === 'query'
  return mayRetry(definition.method ?? 'POST', backend.registration?.retry_non_safe_methods ?? false)
}

/** Calls of one backend under way: one that hangs must not take the place of all others. */
export const MOST_UNDER_WAY = 1_024

const crowded = ({ backend: { name } }: ToolCall): Dispatched => ({
  outcome: {
    kind: 'failed',
    failure: 'network',
    text: `Could not reach ${name}: ${MOST_UNDER_WAY} calls wait for it already; call again shortly`,
    retryable: true,
    unasked: true,
  },
  attempts: 0,
})

export function createDispatch(parts: Parts): Dispatch {
  const send = createSend(parts)
  const underWay = new Map<string, number>()

  return async (call, probeTimeoutMs, account) => {
    const { name } = call.backend
    const before = underWay.get(name) ?? 0
    if (before >= MOST_UNDER_WAY) return crowded(call)
    underWay.set(name, before + 1)
    try {
      return await send(call, probeTimeoutMs, account)
    } finally {
      const left = (underWay.get(name) ?? 1) - 1
      if (left > 0) underWay.set(name, left)
      else underWay.delete(name)
    }
  }
}

function createSend(parts: Parts): Dispatch {
  const { outbound, registry, sendMcp, admitAgain, settings, metrics, now, monotonic, random } = parts
  const sendHttp = createHttpSender({ outbound, registry, settings, now, monotonic })
  const observedOf = createObserved(metrics)

  return async (call, probeTimeoutMs, account) => {
    const { backend, tool } = call
    const own = tool.config.guards?.timeoutMs ?? settings.TOOL_CALL_TIMEOUT_MS
    const timeoutMs = Math.min(own, probeTimeoutMs ?? own)
    const stop = new Stop()
    call.onCancel(stop.now)
    const { onStart } = stop
    const observed = observedOf(call)
    const since = monotonic()
    if (backend.kind === 'mcp') {
      const outcome = await sendMcp(call, { timeoutMs, account, onStart })
      observed.attempt(outcome, monotonic() - since)
      return { outcome, attempts: 1 }
    }
    const redact = redaction(tool.config.redactPaths)
    const local = registry.local(backend.name)
    if (local) {
      const structured = settings.STRUCTURED_OUTPUT
      const outcome = await sendLocal(local, call, { timeoutMs, redact, structured, onStart, admitAgain })
      observed.attempt(outcome, monotonic() - since)
      return { outcome, attempts: 1 }
    }
    const context = { timeoutMs, redact, traceparent: call.traceparent, account, onStart }
    const first = await sendHttp(call, context)
    const firstMs = monotonic() - since
    observed.attempt(first.outcome, firstMs)
    return withRetries({
      settings,
      first,
      firstMs,
      timeoutMs,
      // A half-open breaker waits for this one answer, and for no longer than its own time-out.
      allowed: probeTimeoutMs === undefined && mayBeSentAgain(call),
      attempt: () => sendHttp(call, context),
      mayGoOn: async () => (await admitAgain(call)) === undefined,
      observed,
      now: monotonic,
      stop,
      random,
    })
  }
}

/** How a call is cut off, wherever it is: before its request, in it, or waiting for another attempt. */
class Stop implements Cancellation {
  cancelled = false
  private act: () => void = () => undefined

  readonly now = (): void => {
    this.cancelled = true
    this.act()
  }

  readonly onStart = (cancel: () => void): void => {
    this.act = cancel
    if (this.cancelled) cancel()
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.onStart(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}
