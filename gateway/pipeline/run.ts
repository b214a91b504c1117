// The guard stack. A call is a list: admission, arguments, the guards in the specification's order, breaker, dispatch, audit.
import type { Account, Room } from '../net/room.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { AdmitAgain } from './0-admission/again.ts'
import type { Quota } from './3-policy/quota.ts'
import type { Permit, Verdict } from './4-breaker/breaker.ts'
import type { Breakers } from './4-breaker/breakers.ts'
import type { Dispatch } from './5-dispatch/index.ts'
import type { Scan } from './5-dispatch/scan.ts'
import type { CallAudit } from './6-audit/call-audit.ts'
import type { CallLog, CallRow } from './6-audit/call-log.ts'
import { counters, outcomeLabel } from './6-audit/count.ts'
import { rowOf } from './6-audit/row.ts'
import type { Failed, Outcome, Refused, ToolCall } from './call.ts'
import type { Chain, NamedGuard } from './chain.ts'

export type StageTrace = {
  readonly stage: string
  /** `hit`: it found what it looks for, and the call goes on. */
  readonly outcome: 'pass' | 'refuse' | 'fail' | 'hit'
  readonly durationMs: number
}
export type Ran = { readonly outcome: Outcome; readonly durationMs: number; readonly attempts: number }
export type RunOptions = {
  /** Notes each stage, for the try-it runner. */
  readonly onStage?: (stage: StageTrace) => void
  /** Everything up to the dispatch, and no further. */
  readonly dryRun?: boolean
}
export type Run = (call: ToolCall, options?: RunOptions) => Promise<Ran>

type Parts = {
  readonly chainOf: (backend: ToolCall['backend'], tool: ToolCall['tool']) => Chain
  readonly admitAgain: AdmitAgain
  /** Counts the calls that passed every gate. */
  readonly quota: Pick<Quota, 'settle'>
  readonly breakers: Breakers
  readonly dispatch: Dispatch
  /** For what is answered, until the call is over. */
  readonly room: Room
  readonly callLog: CallLog
  /** Undefined where no call enters the audit chain. */
  readonly audit: Pick<CallAudit, 'note'> | undefined
  readonly metrics: Metrics
  readonly log: Log
  /** Monotonic. */
  readonly now: () => number
  readonly wallClock: () => number
  /** Sees every finished call: the live tail, later the traffic table and spans. */
  readonly onEnd: (row: CallRow) => void
}

const INTERNAL: Failed = { kind: 'failed', failure: 'internal', text: 'Internal error', retryable: false }

/** What a call says about its backend. Contract 5.9, column "Breaker". */
function verdictOf(outcome: Outcome): Verdict {
  if (outcome.kind === 'ok') return 'success'
  if (outcome.kind === 'refused' || outcome.unasked) return 'none'
  switch (outcome.failure) {
    case 'timeout':
    case 'network':
    case 'bad_response':
    case 'editor_unavailable':
      return 'failure'
    case 'upstream_status':
      return outcome.retryable ? 'failure' : 'success'
    case 'upstream_error':
      return outcome.saysUpstreamFailed ? 'failure' : 'success'
    case 'response_too_large':
      return 'success'
    case 'invalid_arguments':
    case 'cancelled':
    case 'editor_busy':
    case 'internal':
      return 'none'
  }
}

type Ending = Refused | Failed
type Note = (stage: string, outcome: StageTrace['outcome'], since: number) => void
/** What the stages find out on the way. `passed`: every gate let it through. */
type Facts = {
  dispatchMs: number
  attempts: number
  passed: boolean
  sensitive: boolean
  args: ToolCall['args']
  readonly account: Account
}

const unnoted: Note = () => undefined
const PLAIN: RunOptions = {}

function told({ stage }: NamedGuard, refused: Ending | undefined, note: Note, since: number): Ending | undefined {
  note(stage, refused === undefined ? 'pass' : refused.kind === 'refused' ? 'refuse' : 'fail', since)
  return refused
}

export function createRun(parts: Parts): Run {
  const { chainOf, admitAgain, quota, breakers, dispatch, room, callLog, audit } = parts
  const { metrics, log, now, wallClock, onEnd } = parts

  /** A guard that throws refuses the call: it could not say that it may pass. Waits only for a guard that has to. */
  function firstRefusal(
    guards: readonly NamedGuard[],
    call: ToolCall,
    note: Note,
    from = 0,
  ): Ending | undefined | Promise<Ending | undefined> {
    for (let at = from; at < guards.length; at++) {
      const named = guards[at]
      if (named === undefined) continue
      const since = note === unnoted ? 0 : now()
      try {
        const answer = named.guard(call)
        if (answer instanceof Promise)
          return answer
            .catch((error: unknown) => broken(named, call, error))
            .then((refused) => told(named, refused, note, since) ?? firstRefusal(guards, call, note, at + 1))
        if (told(named, answer, note, since)) return answer
      } catch (error) {
        return told(named, broken(named, call, error), note, since)
      }
    }
    return undefined
  }

  function broken({ stage }: NamedGuard, { requestId }: ToolCall, error: unknown): Failed {
    log.error('a guard failed; the call is refused', { request_id: requestId, stage, error })
    return INTERNAL
  }

  async function stack(given: ToolCall, { onStage, dryRun = false }: RunOptions, facts: Facts): Promise<Outcome> {
    const note: Note = onStage
      ? (stage, outcome, since) => onStage({ stage, outcome, durationMs: now() - since })
      : unnoted
    const chain = chainOf(given.backend, given.tool)
    facts.sensitive = chain.sensitive
    const admission = firstRefusal(chain.admission, given, note)
    const refused = admission instanceof Promise ? await admission : admission
    if (refused) return refused
    const since = note === unnoted ? 0 : now()
    const checked = chain.validate(given.args)
    note('arguments', checked.ok ? 'pass' : 'fail', since)
    if (!checked.ok)
      return {
        kind: 'failed',
        failure: 'invalid_arguments',
        text: `Invalid arguments: ${checked.problems.join('; ')}`,
        retryable: false,
      }
    facts.args = checked.args
    // Guardrails look at what was sent; policy, and the backend, at what was validated.
    const call = checked.args === given.args ? given : { ...given, args: checked.args }
    const guarding = firstRefusal(chain.guards, given, note)
    const unsafe = guarding instanceof Promise ? await guarding : guarding
    if (unsafe) return unsafe
    const deciding = firstRefusal(chain.policy, call, note)
    const held = deciding instanceof Promise ? await waited(call, deciding, note) : deciding
    if (held) return held
    const spending = dryRun ? undefined : firstRefusal(chain.spend, call, note)
    const spent = spending instanceof Promise ? await spending : spending
    if (spent) return spent
    facts.passed = !dryRun
    const outcome = await guarded(call, dryRun, facts, note)
    return chain.scan && !dryRun ? scanned(outcome, chain.scan, note) : outcome
  }

  /** A person may have thought about it for long. */
  async function waited(
    call: ToolCall,
    deciding: Promise<Ending | undefined>,
    note: Note,
  ): Promise<Ending | undefined> {
    const held = await deciding
    if (held) return held
    const since = now()
    const refused = await admitAgain(call)
    if (refused) note('availability', 'refuse', since)
    return refused
  }

  async function scanned(outcome: Outcome, scan: Scan, note: Note): Promise<Outcome> {
    if (outcome.kind === 'refused') return outcome
    const since = now()
    const after = await scan(outcome, now)
    note('shape', after.kind !== 'refused' && after.flagged ? 'hit' : 'pass', since)
    return after
  }

  function guarded(call: ToolCall, dryRun: boolean, facts: Facts, note: Note): Outcome | Promise<Outcome> {
    const breaker = breakers.of(call.backend)
    const since = note === unnoted ? 0 : now()
    if (dryRun) {
      const state = breaker.current()
      note('breaker', state === 'open' ? 'refuse' : 'pass', since)
      return state === 'open'
        ? circuitOpen(call, 'open', breaker.halfOpenInMs() ?? 0)
        : { kind: 'ok', result: { content: [{ type: 'text', text: 'Dry run: the call would be dispatched.' }] } }
    }
    const admission = breaker.admit()
    note('breaker', admission.admitted ? 'pass' : 'refuse', since)
    if (!admission.admitted) {
      if (admission.reason === 'probing') metrics.inc('mcp_breaker_probe_rejected_total', { client: call.backend.name })
      return circuitOpen(call, admission.reason, admission.retryAfterMs)
    }
    return dispatched(call, admission, facts, note)
  }

  async function dispatched(call: ToolCall, permit: Permit, facts: Facts, note: Note): Promise<Outcome> {
    const since = now()
    let outcome: Outcome = INTERNAL
    try {
      const done = await dispatch(call, permit.probe?.deadlineMs, facts.account)
      outcome = done.outcome
      facts.attempts = done.attempts
    } catch (error) {
      log.error('a dispatch failed', {
        request_id: call.requestId,
        client: call.backend.name,
        tool: call.tool.name,
        error,
      })
    } finally {
      facts.dispatchMs = now() - since
      const verdict = verdictOf(outcome)
      breakers.of(call.backend).settle(verdict, permit)
      if (verdict === 'failure') breakers.noteToolFailure(call.backend.name, call.tool.name)
      note('dispatch', outcome.kind === 'ok' ? 'pass' : 'fail', since)
    }
    return outcome
  }

  const count = counters(metrics)

  return async (call, options = PLAIN) => {
    const started = now()
    const account = room.account()
    const facts: Facts = { dispatchMs: 0, attempts: 0, passed: false, sensitive: false, args: call.args, account }
    try {
      const outcome = await stack(call, options, facts).catch((error: unknown) => {
        log.error('a call failed inside the gateway', {
          request_id: call.requestId,
          client: call.backend.name,
          tool: call.tool.name,
          error,
        })
        return INTERNAL
      })
      quota.settle(call, facts.passed && outcome.kind !== 'refused')
      const durationMs = now() - started
      // What was only imagined is no call.
      if (options.dryRun) return { outcome, durationMs, attempts: 0 }
      const label = outcomeLabel(outcome)
      const row = rowOf(call, outcome, durationMs, facts.attempts, wallClock())
      count(call, outcome, label, durationMs, facts.dispatchMs)
      audit?.note(call, outcome, label, durationMs, facts)
      await callLog.write(row)
      onEnd(row)
      return { outcome, durationMs, attempts: facts.attempts }
    } finally {
      account.free()
    }
  }
}

function circuitOpen({ backend, calledAs }: ToolCall, reason: 'open' | 'probing', retryAfterMs: number): Refused {
  return {
    kind: 'refused',
    code: 'circuit_open',
    text: `Tool '${calledAs}' is paused: "${backend.name}" failed repeatedly. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    reason,
    retryAfterMs,
  }
}
