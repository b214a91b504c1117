// A composite's steps in order, each a call of its own through the whole guard stack, under the caller's credential. Contract 10.8.

import { GatewayError } from '../../contract/error.ts'
import type { CallToolResult, Failed, Outcome } from '../../outcome/outcome.ts'
import type { Composite } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Span } from '../../telemetry/trace.ts'
import { milliseconds } from '../../text/amounts.ts'
import { argumentsWithoutReserved } from '../0-admission/reserved.ts'
import { declined } from '../3-policy/confirmation.ts'
import { consent, question } from '../3-policy/consent.ts'
import { outcomeLabel } from '../8-audit/count.ts'
import type { ToolCall } from '../call.ts'
import type { Ran } from '../run.ts'
import type { RunScript, ScriptOptions } from '../script/run-script.ts'
import { type Compiled, type CompiledStep, compiledOf } from './compiled.ts'
import type { RunStep } from './run-step.ts'
import { factsOf, failed, resultOf, stoppedBy, TooLarge } from './step-result.ts'
import type { Scope, StepFacts } from './template.ts'

export type CompositeCall = Pick<
  ToolCall,
  | 'requestId'
  | 'surface'
  | 'bundle'
  | 'sessionHash'
  | 'program'
  | 'caller'
  | 'calledAs'
  | 'args'
  | 'argumentProblem'
  | 'reserved'
  | 'requestBytes'
  | 'onCancel'
  | 'onProgress'
  | 'talk'
> & {
  readonly composite: Composite
  readonly span: Span
  /** One of its steps wants a confirmation, which a person behind `talk` may give. */
  readonly sensitive?: boolean
}

export type StepRan = {
  readonly index: number
  readonly client: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly outcome: ReturnType<typeof outcomeLabel> | 'skipped'
  readonly durationMs: number
  readonly text: string
}
export type CompositeOptions = ScriptOptions & {
  readonly onStep?: (step: StepRan) => void
  /** Templates are resolved with nulls for what steps would give; nothing is called. */
  readonly dryRun?: boolean
}
export type RunComposite = (call: CompositeCall, options?: CompositeOptions) => Promise<Ran>

type Parts = {
  readonly runStep: RunStep
  readonly registry: Pick<LiveRegistry, 'known'>
  /** Runs a composite that is a script. */
  readonly runScript: RunScript
  /** Leaves the row of the composite itself. */
  readonly noteComposite: (
    call: CompositeCall,
    outcome: Outcome,
    startedAt: number,
    durationMs: number,
  ) => Promise<void>
  readonly settings: {
    readonly TOOL_CALL_TIMEOUT_MS: number
    readonly MAX_RESPONSE_BYTES: number
    readonly STRUCTURED_OUTPUT: boolean
  }
  readonly log: Pick<Log, 'error'>
  /** Monotonic. */
  readonly monotonic: () => number
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const SKIPPED: StepFacts = { json: () => undefined, text: '', isError: false, skipped: true }

export function createRunComposite(parts: Parts): RunComposite {
  const { runStep, registry, runScript, noteComposite, settings, log, monotonic } = parts

  const budget = (): Scope['spend'] => {
    let left = settings.MAX_RESPONSE_BYTES
    return (length) => {
      left -= length
      if (left < 0) throw new TooLarge(settings.MAX_RESPONSE_BYTES)
    }
  }

  /** All that its steps may take together. */
  const allowedMs = ({ steps }: Compiled): number =>
    steps.reduce((sum, { client, tool }) => {
      const own = registry.known(client)?.tools.get(tool)?.config.guards?.timeoutMs
      return sum + (own ?? settings.TOOL_CALL_TIMEOUT_MS)
    }, 0)

  /** Skipped, imagined or called: what came of it, or nothing when it was not called. */
  async function take(
    call: CompositeCall,
    step: CompiledStep,
    scope: Scope,
    onCancel: ToolCall['onCancel'],
    dryRun: boolean,
  ): Promise<Taken> {
    if (step.when && !step.when(scope)) return { facts: SKIPPED, args: {}, outcome: undefined }
    const resolved = step.args(scope)
    const args = isRecord(resolved) ? argumentsWithoutReserved(resolved) : undefined
    if (dryRun) return { facts: undefined, args: args ?? {}, outcome: undefined }
    const outcome =
      args === undefined
        ? failed('invalid_arguments', 'Invalid arguments: the template gave no object')
        : await runStep(call, { ...step, at: scope.steps.length, approvalId: null }, args, onCancel)
    return { facts: factsOf(outcome), args: args ?? {}, outcome }
  }

  async function steps(
    call: CompositeCall,
    compiled: Compiled,
    ending: Ending,
    { onStep, dryRun = false }: CompositeOptions,
  ): Promise<Outcome> {
    const facts: (StepFacts | undefined)[] = []
    const scope: Scope = { input: call.args, steps: facts, spend: budget() }
    let last: Outcome | undefined
    let flagged = false
    for (const [index, step] of compiled.steps.entries()) {
      const since = monotonic()
      const taken = await take(call, step, scope, ending.onCancel, dryRun)
      const { outcome, args } = taken
      const text = taken.facts?.text ?? ''
      facts.push(taken.facts)
      const { client, tool } = step
      const label = outcome === undefined ? 'skipped' : outcomeLabel(outcome)
      onStep?.({ index, client, tool, args, outcome: label, durationMs: Math.round(monotonic() - since), text })
      const ended = ending.ended()
      if (ended) return ended
      if (outcome === undefined) continue
      if (outcome.kind !== 'ok' && !step.goesOn) return stoppedBy(outcome, text, { client, tool, at: index + 1 })
      last = outcome
      flagged ||= outcome.kind !== 'refused' && outcome.flagged === true
      call.onProgress?.(index + 1, compiled.steps.length, `${client}__${tool}`)
    }
    if (dryRun) return { kind: 'ok', result: textResult('Dry run: no step was called.') }
    if (compiled.output) {
      const result = resultOf(compiled.output(scope), settings.STRUCTURED_OUTPUT)
      return { kind: 'ok', result, ...(flagged ? { flagged } : {}) }
    }
    return last ?? { kind: 'ok', result: textResult('Every step was skipped.') }
  }

  async function within(call: CompositeCall, compiled: Compiled, options: CompositeOptions): Promise<Outcome> {
    const ending = createEnding(call.onCancel, allowedMs(compiled))
    try {
      return await steps(call, compiled, ending, options)
    } catch (error) {
      // Its own row could not be written either: the answer is 503, as for a tool.
      if (error instanceof GatewayError && error.code === 'DATABASE_UNAVAILABLE') throw error
      if (error instanceof TooLarge) return failed('response_too_large', error.message)
      log.error('a composite failed inside the gateway', {
        request_id: call.requestId,
        composite: call.composite.name,
        error,
      })
      return failed('internal', 'Internal error')
    } finally {
      ending.close()
    }
  }

  return async (call, options = {}) => {
    const started = monotonic()
    const compiled = compiledOf(call.composite)
    const { argumentProblem: problem } = call
    const checked = problem === undefined ? compiled.validate(call.args) : ({ ok: false, problems: [problem] } as const)
    const outcome: Outcome = checked.ok
      ? await agreed({ ...call, args: checked.args }, (agreedTo) =>
          call.composite.script === null ? within(agreedTo, compiled, options) : runScript(agreedTo, options),
        )
      : failed('invalid_arguments', `Invalid arguments: ${checked.problems.join('; ')}`)
    const durationMs = monotonic() - started
    if (!options.dryRun) await noteComposite(call, outcome, started, durationMs)
    return { outcome, durationMs, attempts: 0 }
  }
}

/** Asked once, before the first step: consent to the whole includes its sensitive steps. Unasked, they refuse. */
async function agreed(call: CompositeCall, work: (call: CompositeCall) => Promise<Outcome>): Promise<Outcome> {
  const { sensitive, reserved, caller, talk, calledAs, args } = call
  if (!sensitive || reserved.confirm || caller.elevated || talk === undefined) return work(call)
  const answer = await consent(call, question(`Run "${calledAs}"? Some of its steps are marked as sensitive.`, args))
  if (answer === 'declined') return declined(call)
  return work(answer === 'given' ? { ...call, reserved: { ...reserved, confirm: true } } : call)
}

type Taken = {
  readonly facts: StepFacts | undefined
  readonly args: Readonly<Record<string, unknown>>
  readonly outcome: Outcome | undefined
}
type Ending = {
  /** Why no further step is taken; undefined while there is no reason. */
  readonly ended: () => Failed | undefined
  /** Hands over how the step under way is stopped. */
  readonly onCancel: (cancel: () => void) => void
  readonly close: () => void
}

/** The caller's cancellation and the deadline end whichever step is under way, and those to come. */
function createEnding(onCancel: ToolCall['onCancel'], limitMs: number): Ending {
  let ended: Failed | undefined
  let stop: (() => void) | undefined
  const end = (how: Failed): void => {
    ended ??= how
    stop?.()
  }
  onCancel(() => end(failed('cancelled', 'Cancelled')))
  const timer = setTimeout(() => end(failed('timeout', `Timed out after ${milliseconds(limitMs)}`)), limitMs)
  return {
    ended: () => ended,
    onCancel(cancel) {
      stop = cancel
      if (ended) cancel()
    },
    close: () => clearTimeout(timer),
  }
}

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
