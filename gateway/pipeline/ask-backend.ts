// The last of the way: the breaker, and then the backend's own server or the one that stands in for it.

import { INTERNAL } from '../outcome/failed.ts'
import type { Outcome, Refused } from '../outcome/outcome.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { ssrfBlocked } from './1-ssrf/index.ts'
import type { Breaker, Permit } from './5-breaker/breaker.ts'
import type { Breakers } from './5-breaker/breakers.ts'
import { verdictOf } from './5-breaker/verdict.ts'
import type { Destination, Targets } from './6-targets/index.ts'
import type { Dispatch } from './7-dispatch/index.ts'
import type { OnRetry } from './7-dispatch/retry.ts'
import { type RelayedRequest, subjectOf, type ToolCall } from './call.ts'
import { type Happening, unnoted, type Way } from './call-state.ts'

export type AskBackend = (way: Way) => Outcome | Promise<Outcome>

export type AskParts = {
  readonly breakers: Breakers
  readonly dispatch: Dispatch
  readonly targets: Pick<Targets, 'pick' | 'note'>
  readonly metrics: Metrics
  readonly log: Log
  /** Monotonic. */
  readonly now: () => number
}

const DRY: Outcome = {
  kind: 'ok',
  result: { content: [{ type: 'text', text: 'Dry run: the call would be dispatched.' }] },
}

export function createAskBackend({ breakers, dispatch, targets, metrics, log, now }: AskParts): AskBackend {
  function guarded(way: Way): Outcome | Promise<Outcome> {
    const { chain, call, dryRun, facts, note } = way
    const breaker = breakers.of(call.backend)
    const since = note === unnoted ? 0 : now()
    if (call.relayed && !isJudged(call.relayed)) return unjudged(way, breaker)
    if (dryRun) {
      const state = breaker.current()
      note('breaker', state === 'open' ? 'refuse' : 'pass', since)
      if (state !== 'open') return DRY
      return instead(way, circuitOpen(call, 'open', breaker.halfOpenInMs() ?? 0))
    }
    const admission = breaker.admit()
    note('breaker', admission.admitted ? 'pass' : 'refuse', since)
    if (!admission.admitted) {
      facts.happenings?.push({
        name: 'breaker_refused',
        at: now(),
        attributes: { 'gantry.reason': admission.reason },
      })
      if (admission.reason === 'probing') metrics.inc('mcp_breaker_probe_rejected_total', { client: call.backend.name })
      return instead(way, circuitOpen(call, admission.reason, admission.retryAfterMs))
    }
    const { route } = chain
    if (route === undefined || route.kind === 'pool') return dispatched(way, admission, route)
    // What a breaker waits for is an answer of the backend's own server.
    const second = admission.probe ? undefined : targets.pick(call, route, false)
    return second && !route.permitted ? ssrfBlocked(call.backend) : dispatched(way, admission, second)
  }

  /** Says nothing about the backend, so it is no probe and no failure; while the breaker is not closed it is not sent. */
  function unjudged(way: Way, breaker: Breaker): Outcome | Promise<Outcome> {
    const { call, dryRun } = way
    const state = breaker.current()
    if (state === 'closed') return dryRun ? DRY : dispatched(way, undefined, undefined)
    return circuitOpen(call, state === 'open' ? 'open' : 'probing', breaker.halfOpenInMs() ?? 0)
  }

  /** While the backend's own server is not asked: what its failover answers, where it has one. */
  function instead(way: Way, refused: Refused): Outcome | Promise<Outcome> {
    const { call, dryRun } = way
    const { route } = way.chain
    if (route?.kind !== 'failover') return refused
    if (!route.permitted) return ssrfBlocked(call.backend)
    if (dryRun) return DRY
    return dispatched(way, undefined, targets.pick(call, route, true))
  }

  /** Without a permit it is of no consequence to the breaker. */
  async function dispatched(
    { call, facts, note }: Way,
    permit: Permit | undefined,
    to: Destination | undefined,
  ): Promise<Outcome> {
    const since = now()
    const { happenings } = facts
    const onRetry: OnRetry | undefined =
      happenings &&
      ((attempt, before) =>
        happenings.push({ name: 'retry', at: now(), attributes: { 'gantry.attempt': attempt, ...failureOf(before) } }))
    let outcome: Outcome = INTERNAL
    try {
      const done = await dispatch(call, permit?.probe?.deadlineMs, facts.account, to, onRetry)
      outcome = done.outcome
      // The one that was refused reached nobody, as a refusal never does.
      facts.attempts = outcome.kind === 'refused' ? done.attempts - 1 : done.attempts
    } catch (error) {
      log.error('a dispatch failed', {
        request_id: call.requestId,
        client: call.backend.name,
        tool: call.tool.name,
        error,
      })
    } finally {
      facts.dispatchMs = now() - since
      if (to?.kind === 'second') targets.note(call, to, outcome)
      else if (permit) settle(call, outcome, permit)
      note('dispatch', outcome.kind === 'ok' ? 'pass' : 'fail', since)
    }
    return outcome
  }

  function settle({ backend, tool, relayed }: ToolCall, outcome: Outcome, permit: Permit): void {
    const verdict = verdictOf(outcome)
    breakers.of(backend).settle(verdict, permit)
    if (verdict === 'failure' && !relayed) breakers.noteToolFailure(backend.name, tool.name)
  }

  return (way) => {
    const away = way.chain.reach?.(way.call)
    return away ? instead(way, away) : guarded(way)
  }
}

/** A notification has no answer, and servers that work well end or refuse streams. */
const isJudged = ({ kind }: RelayedRequest): boolean => kind === 'request' || kind === 'handshake'

/** Why there is another attempt. */
function failureOf(before: Outcome): Happening['attributes'] {
  if (before.kind !== 'failed') return {}
  const { failure, status } = before
  return { 'gantry.failure_kind': failure, ...(status !== undefined && { 'http.response.status_code': status }) }
}

function circuitOpen(call: ToolCall, reason: 'open' | 'probing', retryAfterMs: number): Refused {
  return {
    kind: 'refused',
    code: 'circuit_open',
    text: `${subjectOf(call)} is paused: "${call.backend.name}" failed repeatedly. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    reason,
    retryAfterMs,
  }
}
