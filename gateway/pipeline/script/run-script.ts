// Runs a composite that is a script: in an isolate, with the tools of its list, each call through the whole guard stack as the caller.
import { GatewayError } from '../../contract/error.ts'
import type { FailureKind } from '../../contract/refusal.ts'
import type { Outcome, Refused } from '../../outcome/outcome.ts'
import type { Log } from '../../telemetry/log.ts'
import { byteCount, milliseconds } from '../../text/amounts.ts'
import { argumentsWithoutReserved } from '../0-admission/reserved.ts'
import { schemaValidator } from '../0-admission/validator.ts'
import type { KeptResults, Owner } from '../4-answers/kept-results.ts'
import { outcomeLabel } from '../8-audit/count.ts'
import type { CompositeCall, CompositeOptions } from '../composite/run-composite.ts'
import type { RunStep } from '../composite/run-step.ts'
import { factsOf, failed, resultOf, stoppedBy, textOf } from '../composite/step-result.ts'
import type { Asked, RunEnd, RunFailure, ScriptRun } from './isolates.ts'

type Arguments = Readonly<Record<string, unknown>>
/** An answer in place of a call, in a dry run. */
export type StandIn = (client: string, tool: string, args: Arguments) => Promise<Outcome>
export type ScriptOptions = {
  readonly standIn?: StandIn
  readonly onLog?: (line: string) => void
}
export type RunScript = (call: CompositeCall, options: CompositeOptions) => Promise<Outcome>

type Parts = {
  readonly runStep: RunStep
  /** Arguments with the values that their references to kept results stand for; undefined where there is none. */
  readonly resolved: (
    owner: Owner,
    args: Arguments,
  ) => Promise<{ readonly args: Arguments; readonly problem?: string }> | undefined
  readonly keep: KeptResults['keep']
  readonly settings: {
    readonly SCRIPT_TIMEOUT_MS: number
    readonly SCRIPT_CPU_MS: number
    readonly SCRIPT_MEMORY_BYTES: number
    readonly SCRIPT_MAX_CALLS: number
    readonly MAX_RESPONSE_BYTES: number
    readonly STRUCTURED_OUTPUT: boolean
  }
  readonly log: Pick<Log, 'error'>
  readonly now: () => number
  readonly wallClock: () => number
}

type Made = { readonly outcome: Outcome; readonly client: string; readonly tool: string }

const PARALLEL = 16
/** What a kept value shows of itself inside the script. */
const KEPT_BYTES = 2_048

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const unapproved = (name: string): Refused => ({
  kind: 'refused',
  code: 'script_unapproved',
  text: `"${name}" was not run: its script has changed and waits for the approval of a person.`,
})

export function createRunScript({ runStep, resolved, keep, settings, log, now, wallClock }: Parts): RunScript {
  const limits = {
    timeoutMs: settings.SCRIPT_TIMEOUT_MS,
    cpuMs: settings.SCRIPT_CPU_MS,
    memoryBytes: settings.SCRIPT_MEMORY_BYTES,
    calls: settings.SCRIPT_MAX_CALLS,
    parallel: PARALLEL,
  }

  function createCalls(call: CompositeCall, { onStep, standIn }: CompositeOptions) {
    const { steps } = call.composite
    const targets = new Map(
      steps.map(({ targetClient: client, targetTool: tool }) => [`${client}__${tool}`, { client, tool }]),
    )
    const owner: Owner = { principal: call.caller.name, sessionHash: call.sessionHash }
    const outcomes = new Map<number, Made>()
    const cancels = new Set<() => void>()
    let unrecorded: unknown
    let done = 0
    let flagged = false

    async function made(given: Arguments, target: { client: string; tool: string }, id: number): Promise<Outcome> {
      const found = await resolved(owner, given)
      if (found?.problem !== undefined) return failed('invalid_arguments', `Invalid arguments: ${found.problem}`)
      const args = argumentsWithoutReserved(found?.args ?? given)
      if (standIn) return standIn(target.client, target.tool, args)
      let cancel: (() => void) | undefined
      try {
        return await runStep(call, { ...target, at: id - 1, approvalId: call.reserved.approvalId }, args, (how) => {
          cancel = how
          cancels.add(how)
        })
      } finally {
        if (cancel) cancels.delete(cancel)
      }
    }

    async function called({ id, tool: name, json }: Asked): Promise<object> {
      const target = targets.get(name)
      if (target === undefined)
        return {
          isError: true,
          code: 'unknown_tool',
          tool: name,
          text: `"${name.slice(0, 200)}" is not a tool of this script`,
        }
      const args: unknown = JSON.parse(json)
      const since = now()
      const outcome = isObject(args)
        ? await made(args, target, id)
        : failed('invalid_arguments', 'Invalid arguments: they must be an object')
      const facts = factsOf(outcome)
      outcomes.set(id, { outcome, ...target })
      flagged ||= outcome.kind !== 'refused' && outcome.flagged === true
      onStep?.({
        index: id - 1,
        ...target,
        args: isObject(args) ? args : {},
        outcome: outcomeLabel(outcome),
        durationMs: Math.round(now() - since),
        text: facts.text,
      })
      done += 1
      call.onProgress?.(done, undefined, name)
      const code = outcome.kind === 'refused' ? outcome.code : outcome.kind === 'failed' ? outcome.failure : undefined
      return { isError: facts.isError, text: facts.text, json: facts.json(), tool: name, code }
    }

    async function kept({ json }: Asked): Promise<object> {
      const made = await keep({ content: [{ type: 'text', text: json }] }, owner, KEPT_BYTES)
      if (made === undefined) return { isError: true, text: 'There is no room to keep this value' }
      const { handle, bytes, outline } = made
      return {
        isError: false,
        text: '',
        json: { $ref: `${handle}#`, handle, bytes, holds: outline.slice(0, KEPT_BYTES) },
      }
    }

    return {
      outcomes,
      isFlagged: () => flagged,
      unrecorded: () => unrecorded,
      cancel: () => {
        for (const stop of cancels) stop()
      },
      async answer(asked: Asked): Promise<string> {
        try {
          return JSON.stringify(asked.what === 'keep' ? await kept(asked) : await called(asked))
        } catch (error) {
          unrecorded ??= error
          return JSON.stringify({ isError: true, code: 'internal', tool: asked.tool, text: 'Internal error' })
        }
      },
    }
  }

  const stopped = ({ outcome, client, tool }: Made, at: number): Outcome =>
    outcome.kind === 'ok' ? outcome : stoppedBy(outcome, textOf(outcome), { at, client, tool })

  function judged(call: CompositeCall, end: RunEnd, calls: ReturnType<typeof createCalls>): Outcome {
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
    const calls = createCalls(call, options)
    const run: ScriptRun = {
      js: script.js,
      input: JSON.stringify(call.args),
      startedMs: wallClock(),
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
