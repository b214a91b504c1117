// Dispatch: the one stage that reaches the backend. Sends, and retries what may be retried, within the tool's timeout per attempt.

import type { Account } from '../../net/memory-budget.ts'
import { failed } from '../../outcome/failed.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { Overgrown } from '../../outcome/transform.ts'
import type { Base } from '../../records/base.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { traceparentOf } from '../../telemetry/trace.ts'
import type { AdmitAgain } from '../0-admission/again.ts'
import type { Destination, Targets } from '../6-targets/index.ts'
import type { ToolCall } from '../call.ts'
import type { StageRecord } from '../stage-record.ts'
import { createConcurrencyLimit, MOST_UNDER_WAY } from './concurrency-limit.ts'
import { createObserved } from './observed.ts'
import { prepared } from './prepared.ts'
import { relayLocal } from './relay-local.ts'
import { type Cancellation, mayRetry, type OnRetry, type RetrySettings, withRetries } from './retry.ts'
import { createHttpSender, type SendSettings } from './send-http.ts'
import { sendLocal } from './send-local.ts'
import { createSocketSender } from './send-socket.ts'

export type DispatchSettings = RetrySettings & SendSettings & { readonly TOOL_CALL_TIMEOUT_MS: number }

/** Calls a tool of an MCP upstream. */
export type McpSender = (
  call: ToolCall,
  context: { readonly timeoutMs: number; readonly account: Account; readonly onStart: (cancel: () => void) => void },
) => Promise<Outcome>

type Parts = Pick<Base, 'outbound' | 'metrics' | 'clock' | 'monotonic' | 'random'> & {
  readonly registry: LiveRegistry
  readonly sendMcp: McpSender
  readonly admitAgain: AdmitAgain
  readonly targets: Pick<Targets, 'attempts'>
  readonly settings: DispatchSettings
  /** Whether spans are made of calls. */
  readonly traced?: boolean
}

export type Dispatched = { readonly outcome: Outcome; readonly attempts: number }
export type DispatchRequest = {
  readonly call: ToolCall
  /** How long a probe of the breaker may take. */
  readonly probeTimeoutMs?: number | undefined
  readonly account: Account
  /** Absent for the backend's own server. */
  readonly to?: Destination | undefined
  readonly onRetry?: OnRetry | undefined
  /** Where a span is made of the call. */
  readonly stages?: StageRecord | undefined
}
export type Dispatch = (request: DispatchRequest) => Promise<Dispatched>

/** A query is a read however it travels; a mutation is never sent twice. */
function mayBeSentAgain({ backend, tool: { definition } }: ToolCall): boolean {
  if (definition.graphql) return definition.graphql.operation === 'query'
  return mayRetry(definition.method ?? 'POST', backend.registration?.retry_non_safe_methods ?? false)
}

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

const OVERGROWN: Dispatched = {
  outcome: failed('response_too_large', 'The transform of this tool makes the answer too large to be handed on', false),
  attempts: 1,
}
const GIVEN_UP: Dispatched = { outcome: failed('cancelled', 'Cancelled', false), attempts: 1 }

export function createDispatch(parts: Parts): Dispatch {
  const { admitAgain } = parts
  const send = createSend(parts)
  const places = createConcurrencyLimit()

  const sent: Dispatch = async (request) => {
    const { call } = request
    const { name } = call.backend
    const place = places.take(name)
    // Nearly always there is one, and nothing to wait for.
    if (place !== true && !(await place)) return crowded(call)
    try {
      const held = place === true ? undefined : await admitAgain(call)
      if (held) return { outcome: held, attempts: 1 }
      return await send(request)
    } catch (error) {
      if (error instanceof Overgrown) return OVERGROWN
      throw error
    } finally {
      places.leave(name)
    }
  }

  return (request) => (request.call.tool.config.progress?.cancel === false ? leftBehind(sent, request) : sent(request))
}

/** A caller who gives up has its answer at once; what was sent runs to its end, and what comes of it is dropped. */
function leftBehind(sent: Dispatch, request: DispatchRequest): Promise<Dispatched> {
  const { call, account } = request
  const given = Promise.withResolvers<Dispatched>()
  let gone = false
  const onCancel: ToolCall['onCancel'] = (cancel) =>
    call.onCancel(() => {
      gone = true
      cancel()
      given.resolve(GIVEN_UP)
    })
  const own = sent({ ...request, call: { ...call, onCancel } }).finally(() => {
    // The call is over by now, and has given back what it held then.
    if (gone) account.free()
  })
  return Promise.race([own, given.promise])
}

function createSend(parts: Parts): Dispatch {
  const {
    outbound,
    registry,
    sendMcp,
    admitAgain,
    targets,
    settings,
    metrics,
    clock,
    monotonic,
    random,
    traced = false,
  } = parts
  const sendHttp = createHttpSender({ outbound, registry, settings, clock, monotonic })
  const sendSocket = createSocketSender({ outbound, registry, settings, monotonic })
  const observedOf = createObserved(metrics)

  return async ({ call: given, probeTimeoutMs, account, to, onRetry, stages }) => {
    const shaping = prepared(given.tool, settings.MAX_RESPONSE_BYTES)
    const call = shaping.rewrite ? shaping.rewrite(given) : given
    if ('kind' in call) return { outcome: call, attempts: 0 }
    const { backend, tool } = call
    const own = tool.config.guards?.timeoutMs ?? settings.TOOL_CALL_TIMEOUT_MS
    const timeoutMs = Math.min(own, probeTimeoutMs ?? own)
    const stop = new Stop(shaping.runsOn)
    call.onCancel(stop.now)
    const { onStart } = stop
    const observed = observedOf(call)
    const only = (work: () => Promise<Outcome>): Promise<Outcome> =>
      stages ? stages.attempt(work, ({ kind }) => kind !== 'ok', monotonic) : work()
    const since = monotonic()
    if (backend.kind === 'mcp') {
      const outcome = await only(() => sendMcp(call, { timeoutMs, account, onStart }))
      observed.attempt(outcome, monotonic() - since)
      return { outcome, attempts: 1 }
    }
    const local = registry.local(backend.name)
    if (local) {
      if (call.relayed) return { outcome: relayLocal(local, call.relayed, call.args), attempts: 1 }
      const structured = settings.STRUCTURED_OUTPUT
      const sent = () => sendLocal(local, call, { timeoutMs, shaping, structured, onStart, admitAgain })
      const outcome = await only(sent)
      observed.attempt(outcome, monotonic() - since)
      return { outcome, attempts: 1 }
    }
    const traceparent = traceparentOf(call.span, traced)
    const context = { timeoutMs, shaping, traceparent, account, onStart, timing: stages?.timing }
    if (tool.config.ws?.enabled) {
      const { ws } = tool.config
      const outcome = await only(() => sendSocket(call, ws, context))
      observed.attempt(outcome, monotonic() - since)
      return { outcome, attempts: 1 }
    }
    const request = to
      ? targets.attempts(to, call, (target) => sendHttp(call, context, target))
      : () => sendHttp(call, context)
    const attempt = stages ? () => stages.attempt(request, ({ outcome }) => outcome.kind !== 'ok', monotonic) : request
    const first = await attempt()
    const firstMs = monotonic() - since
    observed.attempt(first.outcome, firstMs)
    return withRetries({
      settings,
      first,
      firstMs,
      timeoutMs,
      // A half-open breaker waits for this one answer, and for no longer than its own timeout.
      allowed: probeTimeoutMs === undefined && mayBeSentAgain(call),
      attempt,
      mayGoOn: async () => (await admitAgain(call)) === undefined,
      observed,
      onRetry,
      monotonic,
      stop,
      random,
    })
  }
}

/** How a call is cut off, wherever it is: before its request, in it, or waiting for another attempt. */
class Stop implements Cancellation {
  cancelled = false
  private act: () => void = () => undefined
  private readonly runsOn: boolean

  /** `runsOn`: what is under way is not cut off, but nothing new begins. */
  constructor(runsOn: boolean) {
    this.runsOn = runsOn
  }

  readonly now = (): void => {
    this.cancelled = true
    if (!this.runsOn) this.act()
  }

  readonly onStart = (cancel: () => void): void => {
    this.act = cancel
    if (this.cancelled && !this.runsOn) cancel()
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
