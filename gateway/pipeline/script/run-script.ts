// Runs a composite that is a script: in an isolate, with the tools of its list, each call through the whole guard stack as the caller.

import { GatewayError } from '../../contract/error.ts'
import type { FailureKind } from '../../contract/refusal.ts'
import type { Outcome, Refused } from '../../outcome/outcome.ts'
import type { Clock } from '../../telemetry/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import { byteCount, milliseconds } from '../../text/amounts.ts'
import { schemaValidator } from '../0-admission/validator.ts'
import type { CompositeCall, CompositeOptions } from '../composite/run-composite.ts'
import { failed, resultOf, stoppedBy, textOf } from '../composite/step-result.ts'
import { createScriptCalls, isObject, type Made, type ScriptCallDeps, type StandIn } from './calls.ts'
import type { RunEnd, RunFailure, ScriptRun } from './isolates.ts'

export type ScriptOptions = {
  readonly standIn?: StandIn
  readonly onLog?: (line: string) => void
}
export type RunScript = (call: CompositeCall, options: CompositeOptions) => Promise<Outcome>

export type ScriptLimits = {
  readonly SCRIPT_TIMEOUT_MS: number
  readonly SCRIPT_CPU_MS: number
  readonly SCRIPT_MEMORY_BYTES: number
  readonly SCRIPT_MAX_CALLS: number
}

type Parts = ScriptCallDeps & {
  readonly settings: ScriptLimits & {
    readonly MAX_RESPONSE_BYTES: number
    readonly STRUCTURED_OUTPUT: boolean
  }
  readonly log: Pick<Log, 'error'>
  readonly clock: Clock
}

const PARALLEL = 16
const FAILURES: Readonly<Record<RunFailure['reason'], FailureKind>> = {
  threw: 'script_error',
  cpu: 'timeout',
  timeout: 'timeout',
  memory: 'script_error',
  calls: 'script_error',
  crashed: 'script_error',
  cancelled: 'cancelled',
  busy: 'script_error',
}

const unapproved = (name: string): Refused => ({
  kind: 'refused',
  code: 'script_unapproved',
  text: `"${name}" was not run: its script has changed and waits for the approval of a person.`,
})

export const limitsOf = (settings: ScriptLimits) => ({
  timeoutMs: settings.SCRIPT_TIMEOUT_MS,
  cpuMs: settings.SCRIPT_CPU_MS,
  memoryBytes: settings.SCRIPT_MEMORY_BYTES,
  calls: settings.SCRIPT_MAX_CALLS,
  parallel: PARALLEL,
})

export function createRunScript({ settings, log, clock, ...deps }: Parts): RunScript {
  const limits = limitsOf(settings)

  const stopped = ({ outcome, client, tool }: Made, at: number): Outcome =>
    outcome.kind === 'ok' ? outcome : stoppedBy(outcome, textOf(outcome), { at, client, tool })

  function judged(call: CompositeCall, end: RunEnd, calls: ReturnType<typeof createScriptCalls>): Outcome {
    if ('failure' in end) {
      const { reason, message, callId } = end.failure
      const known = callId === undefined ? undefined : calls.outcomes.get(callId)
      if (known) return stopped(known, callId ?? 0)
      if (reason === 'timeout') return failed('timeout', `Timed out after ${milliseconds(limits.timeoutMs)}`)
      return failed(FAILURES[reason], message)
    }
    const { json, callId } = end.result
    const passed = callId === undefined ? undefined : calls.outcomes.get(callId)
    const flagged = calls.isFlagged() ? { flagged: true as const } : {}
    if (passed?.outcome.kind === 'ok') return { ...passed.outcome, ...flagged }
    if (passed) return stopped(passed, callId ?? 0)
    if (Buffer.byteLength(json) > settings.MAX_RESPONSE_BYTES)
      return failed('response_too_large', `The result of the script exceeds ${byteCount(settings.MAX_RESPONSE_BYTES)}`)
    const value: unknown = JSON.parse(json)
    const problems = outputProblems(call, value)
    if (problems)
      return failed('script_error', `The result of the script is not what its output schema says: ${problems}`)
    return { kind: 'ok', result: resultOf(value, settings.STRUCTURED_OUTPUT), ...flagged }
  }

  return async (call, options) => {
    const { composite } = call
    const { script } = composite
    if (script === null) throw new Error('a composite of steps')
    if (!composite.approved && !options.standIn) return unapproved(composite.name)
    const calls = createScriptCalls(call, options, deps)
    const run: ScriptRun = {
      js: script.js,
      input: JSON.stringify(call.args),
      startedMs: clock.now(),
      limits,
      onAsked: calls.answer,
      onLog: options.onLog ?? (() => undefined),
      onCancel: call.onCancel,
    }
    // Loaded with the first script: it starts threads.
    const { runIsolated } = await import('./isolates.ts')
    const end = await runIsolated(run)
    // Calls that the script did not wait for end with it.
    calls.cancel()
    const error = calls.unrecorded()
    // Its own row could not be written either: the answer is 503, as for a tool.
    if (error instanceof GatewayError && error.code === 'DATABASE_UNAVAILABLE') throw error
    if (error !== undefined)
      log.error('a call of a script failed inside the gateway', {
        request_id: call.requestId,
        composite: composite.name,
        error,
      })
    return judged(call, end, calls)
  }
}

const validators = new WeakMap<object, ReturnType<typeof schemaValidator>>()

function outputProblems({ composite: { script } }: CompositeCall, value: unknown): string | undefined {
  const schema = script?.outputSchema
  if (schema == null) return undefined
  if (!isObject(value)) return 'it must be an object'
  const validate = validators.get(schema) ?? schemaValidator(schema, false)
  validators.set(schema, validate)
  const checked = validate(value)
  return checked.ok ? undefined : checked.problems.join('; ')
}
