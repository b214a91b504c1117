// The last stage of a call: the breaker, and then the backend's own server or the one that stands in for it.

import { INTERNAL } from '../outcome/failed.ts'
import type { Outcome, Refused } from '../outcome/outcome.ts'
import type { Base } from '../records/base.ts'
import { ssrfBlocked } from './1-ssrf/index.ts'
import type { Breaker, Permit } from './5-breaker/breaker.ts'
import type { Breakers } from './5-breaker/breakers.ts'
import { verdictOf } from './5-breaker/verdict.ts'
import type { Destination, Targets } from './6-targets/index.ts'
import type { Dispatch } from './7-dispatch/index.ts'
import type { OnRetry } from './7-dispatch/retry.ts'
import { type RelayedRequest, subjectOf, type ToolCall } from './call.ts'
import { type AdmittedCall, type Happening, unnoted } from './call-state.ts'

export type AskBackend = (admitted: AdmittedCall) => Outcome | Promise<Outcome>

export type AskParts = Pick<Base, 'metrics' | 'log'> & {
  readonly breakers: Breakers
  readonly dispatch: Dispatch
  readonly targets: Pick<Targets, 'pick' | 'note'>
  /** Whether this instance may probe a backend, where several could. Resolves, also when it cannot be found out. */
  readonly claimProbe?: ((client: string, forMs: number) => Promise<boolean>) | undefined
  /** Monotonic. */
  readonly monotonic: () => number
}

const DRY: Outcome = {
  kind: 'ok',
  result: { content: [{ type: 'text', text: 'Dry run: the call would be dispatched.' }] },
}

export function createAskBackend({
  breakers,
  dispatch,
  targets,
  metrics,
  log,
  claimProbe,
  monotonic,
}: AskParts): AskBackend {
  function guarded(admitted: AdmittedCall): Outcome | Promise<Outcome> {
    const { call, dryRun, context, note } = admitted
    const breaker = breakers.of(call.backend)
    const since = note === unnoted ? 0 : monotonic()
    if (call.relayed && !isJudged(call.relayed)) return unjudged(admitted, breaker)
    if (dryRun) {
      const state = breaker.current()
      note('breaker', state === 'open' ? 'refuse' : 'pass', since)
      if (state !== 'open') return DRY
      return instead(admitted, circuitOpen(call, 'open', breaker.halfOpenInMs() ?? 0))
    }
    const admission = breaker.admit()
    note('breaker', admission.admitted ? 'pass' : 'refuse', since)
    if (!admission.admitted) {
      context.happenings?.push({
        name: 'breaker_refused',
        at: monotonic(),
        attributes: { 'gantry.reason': admission.reason },
      })
      if (admission.reason === 'probing') metrics.inc('mcp_breaker_probe_rejected_total', { client: call.backend.name })
      return instead(admitted, circuitOpen(call, admission.reason, admission.retryAfterMs))
    }
    if (admission.probe && claimProbe) return probed(admitted, breaker, admission, claimProbe)
    return admittedTo(admitted, admission)
  }

  async function probed(
    admitted: AdmittedCall,
    breaker: Breaker,
    permit: Permit,
    claim: NonNullable<AskParts['claimProbe']>,
  ): Promise<Outcome> {
    const { call } = admitted
    const forMs = permit.probe?.deadlineMs ?? 0
    if (await claim(call.backend.name, forMs)) return admittedTo(admitted, permit)
    breaker.giveAway(permit)
    metrics.inc('mcp_breaker_probe_rejected_total', { client: call.backend.name })
    return instead(admitted, circuitOpen(call, 'probing', forMs))
  }

  function admittedTo(admitted: AdmittedCall, admission: Permit): Outcome | Promise<Outcome> {
    const { call, chain } = admitted
    const { route } = chain
    if (route === undefined || route.kind === 'pool') return dispatched(admitted, admission, route)
    // What a breaker waits for is an answer of the backend's own server.
    const second = admission.probe ? undefined : targets.pick(call, route, false)
    return second && !route.permitted ? ssrfBlocked(call.backend) : dispatched(admitted, admission, second)
  }

  /** Says nothing about the backend, so it is no probe and no failure; while the breaker is not closed it is not sent. */
  function unjudged(admitted: AdmittedCall, breaker: Breaker): Outcome | Promise<Outcome> {
    const { call, dryRun } = admitted
    const state = breaker.current()
    if (state === 'closed') return dryRun ? DRY : dispatched(admitted, undefined, undefined)
    return circuitOpen(call, state === 'open' ? 'open' : 'probing', breaker.halfOpenInMs() ?? 0)
  }

  /** While the backend's own server is not asked: what its failover answers, where it has one. */
  function instead(admitted: AdmittedCall, refused: Refused): Outcome | Promise<Outcome> {
    const { call, dryRun } = admitted
    const { route } = admitted.chain
    if (route?.kind !== 'failover') return refused
    if (!route.permitted) return ssrfBlocked(call.backend)
    if (dryRun) return DRY
    return dispatched(admitted, undefined, targets.pick(call, route, true))
  }

  /** Without a permit it is of no consequence to the breaker. */
  async function dispatched(
    { call, context, note }: AdmittedCall,
    permit: Permit | undefined,
    to: Destination | undefined,
  ): Promise<Outcome> {
    const since = monotonic()
    const { happenings } = context
    const onRetry: OnRetry | undefined =
      happenings &&
      ((attempt, before) =>
        happenings.push({
          name: 'retry',
          at: monotonic(),
          attributes: { 'gantry.attempt': attempt, ...failureOf(before) },
        }))
    let outcome: Outcome = INTERNAL
    try {
      const done = await dispatch({
        call,
        probeTimeoutMs: permit?.probe?.deadlineMs,
        account: context.account,
        to,
        onRetry,
        stages: context.stages,
      })
      outcome = done.outcome
      // A refused call reached no backend.
      context.attempts = outcome.kind === 'refused' ? done.attempts - 1 : done.attempts
    } catch (error) {
      log.error('a dispatch failed', {
        request_id: call.requestId,
        client: call.backend.name,
        tool: call.tool.name,
        error,
      })
    } finally {
      context.dispatchMs = monotonic() - since
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

  return (admitted) => {
    const away = admitted.chain.reach?.(admitted.call)
    return away ? instead(admitted, away) : guarded(admitted)
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
