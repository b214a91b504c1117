// The guard stack. A call is a list: admission, arguments, the guards in the specification's order, breaker, dispatch, audit.

import type { StageOutcome } from '../contract/admin/tool-test.ts'
import type { MemoryBudget } from '../net/memory-budget.ts'
import { INTERNAL } from '../outcome/failed.ts'
import type { Outcome } from '../outcome/outcome.ts'
import type { Scan } from '../outcome/scan.ts'
import type { Clock } from '../telemetry/clock.ts'
import type { AdmitAgain } from './0-admission/again.ts'
import type { Budgets, Left } from './3-policy/budgets.ts'
import type { Quota } from './3-policy/quota.ts'
import { keptBudget, keptOutcome } from './4-answers/context-budget.ts'
import type { KeptResults } from './4-answers/kept-results.ts'
import type { NoteLayer } from './4-answers/layer.ts'
import type { CallAudit } from './8-audit/call-audit.ts'
import { type CallLog, recorded } from './8-audit/call-log.ts'
import { counters, outcomeLabel } from './8-audit/count.ts'
import type { OnEnd } from './8-audit/ended.ts'
import { rowOf } from './8-audit/row.ts'
import { after } from './after.ts'
import { type AskParts, createAskBackend } from './ask-backend.ts'
import type { ToolCall } from './call.ts'
import { type AdmittedCall, type CallContext, type Note, unnoted } from './call-state.ts'
import type { Chain } from './chain.ts'
import { createFirstRefusal, type Ending } from './first-refusal.ts'
import { StageRecord } from './stage-record.ts'

export type StageTrace = {
  readonly stage: string
  /** `hit`: it found what it looks for. */
  readonly outcome: StageOutcome
  readonly durationMs: number
  readonly words?: string | undefined
}
export type Ran = {
  readonly outcome: Outcome
  readonly durationMs: number
  readonly attempts: number
  /** What is left of the budgets that count it. */
  readonly budgets?: readonly Left[] | undefined
}
export type RunOptions = {
  /** Notes each stage, for the try-it runner. */
  readonly onStage?: (stage: StageTrace) => void
  /** Everything up to the dispatch, and no further. */
  readonly dryRun?: boolean
}
export type Run = (call: ToolCall, options?: RunOptions) => Promise<Ran>

type Parts = AskParts & {
  readonly chainOf: (backend: ToolCall['backend'], tool: ToolCall['tool']) => Chain
  readonly admitAgain: AdmitAgain
  /** Counts the calls that passed every gate. */
  readonly quota: Pick<Quota, 'settle'>
  /** Adds up what their answers cost, and says from which size they are kept. */
  readonly budgets: Pick<Budgets, 'settle' | 'keepsAbove'>
  readonly keep: KeptResults['keep']
  /** For what is answered, until the call is over. */
  readonly room: MemoryBudget
  readonly callLog: Pick<CallLog, 'requireOpen' | 'write'>
  /** Undefined where no call enters the audit chain. */
  readonly audit: Pick<CallAudit, 'note'> | undefined
  readonly clock: Clock
  /** Whether spans are made of calls. */
  readonly traced?: boolean
  readonly onEnd: OnEnd
}

const PLAIN: RunOptions = {}

export function createRun(parts: Parts): Run {
  const {
    chainOf,
    admitAgain,
    quota,
    budgets,
    keep,
    room,
    callLog,
    audit,
    metrics,
    log,
    monotonic,
    clock,
    traced = false,
    onEnd,
  } = parts
  const firstRefusal = createFirstRefusal(parts)
  const ask = createAskBackend(parts)

  function noteFor(onStage: RunOptions['onStage'], stages: StageRecord | undefined): Note {
    if (!onStage && !stages) return unnoted
    return (stage, outcome, since, words) => {
      const to = monotonic()
      stages?.noted.push({ stage, from: since, to })
      onStage?.({ stage, outcome, durationMs: to - since, words })
    }
  }

  function stack(
    given: ToolCall,
    { onStage, dryRun = false }: RunOptions,
    context: CallContext,
  ): Outcome | Promise<Outcome> {
    const note = noteFor(onStage, context.stages)
    const chain = chainOf(given.backend, given.tool)
    context.gated = chain.gated()
    context.watch = chain.watch
    const asked = { chain, call: given, dryRun, context, note }
    return after(firstRefusal(chain.admission, given, note), (refused) => refused ?? validated(asked))
  }

  function validated(asked: AdmittedCall): Outcome | Promise<Outcome> {
    const { chain, call: given, context, note } = asked
    const since = note === unnoted ? 0 : monotonic()
    const { argumentProblem: problem } = given
    const checked = problem === undefined ? chain.validate(given.args) : ({ ok: false, problems: [problem] } as const)
    note('arguments', checked.ok ? 'pass' : 'fail', since)
    if (!checked.ok)
      return {
        kind: 'failed',
        failure: 'invalid_arguments',
        text: `Invalid arguments: ${checked.problems.join('; ')}`,
        retryable: false,
      }
    // Guardrails look at what was sent; policy, and the backend, at what was validated.
    const same = checked.args === given.args
    const valid = same ? asked : { ...asked, call: { ...given, args: checked.args } }
    context.call = valid.call
    context.counted = valid.call
    return after(firstRefusal(chain.guards, given, note), (unsafe) => {
      if (unsafe === undefined) return decided(valid)
      if (unsafe.kind === 'refused' && unsafe.code === 'guardrail_input') context.hit = 'input'
      return unsafe
    })
  }

  function decided(valid: AdmittedCall): Outcome | Promise<Outcome> {
    const { chain, call, note } = valid
    const deciding = firstRefusal(chain.policy, call, note)
    const held = deciding instanceof Promise ? waited(call, deciding, note) : deciding
    return after(held, (refused) => refused ?? spent(valid))
  }

  function spent(valid: AdmittedCall): Outcome | Promise<Outcome> {
    const { chain, call, dryRun, context, note } = valid
    return after(dryRun ? undefined : firstRefusal(chain.spend, call, note), (refused) => {
      if (refused) return refused
      context.ticket = chain.ticketOf(call)
      context.passed = !dryRun
      const budget = keptBudget(call, budgets.keepsAbove(call))
      return budget ? kept(valid, budget) : layered(valid, 0)
    })
  }

  /** The answer of a tool that keeps large ones, or whose caller has them kept. The tightest size counts. */
  async function kept(valid: AdmittedCall, budget: Parameters<typeof keptOutcome>[2]): Promise<Outcome> {
    const outcome = await layered(valid, 0)
    const since = monotonic()
    const note: NoteLayer = (found, words) => valid.note('shape', found, since, words)
    return outcome.kind === 'ok' && !outcome.asks ? keptOutcome(outcome, valid.call, budget, { keep, note }) : outcome
  }

  /** Through the layers, the outermost first, to the backend. */
  function layered(admitted: AdmittedCall, at: number): Outcome | Promise<Outcome> {
    const layer = admitted.chain.layers[at]
    if (layer === undefined) return asked(admitted)
    const { call, context, note } = admitted
    const since = note === unnoted ? 0 : monotonic()
    const next = async (as = call): Promise<Outcome> => {
      const on = as === call ? admitted : { ...admitted, call: as }
      if (as.acting && !call.acting) {
        context.call = as
        context.gated = true
      }
      return layer.shares ? apart(on, at + 1) : layered(on, at + 1)
    }
    const noted: NoteLayer = (outcome, words) => {
      if (layer.stage === 'cache' && outcome === 'hit')
        context.happenings?.push({ name: 'cache_hit', at: monotonic(), attributes: {} })
      note(layer.stage, outcome, since, words)
    }
    return layer.answer(call, next, noted, context.account)
  }

  /** What several calls wait for: it holds what it reads until it is over, whichever of them is left. */
  async function apart(admitted: AdmittedCall, at: number): Promise<Outcome> {
    const { context, call } = admitted
    const account = room.account()
    const own: CallContext = { ...context, account }
    try {
      const outcome = await layered({ ...admitted, context: own }, at)
      // Once for all of them.
      if (own.hit) await own.watch?.(call, own.hit)
      return outcome
    } finally {
      context.dispatchMs = own.dispatchMs
      context.attempts = own.attempts
      account.free()
    }
  }

  function asked(admitted: AdmittedCall): Outcome | Promise<Outcome> {
    const { scan } = admitted.chain
    const outcome = ask(admitted)
    return scan && !admitted.dryRun ? after(outcome, (given) => scanned(given, scan, admitted)) : outcome
  }

  /** A person may have thought about it for long. */
  async function waited(
    call: ToolCall,
    deciding: Promise<Ending | undefined>,
    note: Note,
  ): Promise<Ending | undefined> {
    const held = await deciding
    if (held) return held
    const since = monotonic()
    const refused = await admitAgain(call)
    if (refused) note('availability', 'refuse', since)
    return refused
  }

  async function scanned(outcome: Outcome, scan: Scan, { context, note }: AdmittedCall): Promise<Outcome> {
    if (outcome.kind === 'refused') return outcome
    const since = monotonic()
    const after = await scan(outcome, monotonic)
    const flagged = after.kind !== 'refused' && after.flagged === true
    if (flagged) {
      context.hit = 'output'
      metrics.inc('mcp_guardrail_hits_total', { direction: 'output' })
    }
    note('shape', flagged ? 'hit' : 'pass', since)
    return after
  }

  /** A call that was refused, or whose answer was flagged when another caller asked for it, is neither a hit nor clean. */
  function watched(
    watch: NonNullable<Chain['watch']>,
    context: CallContext,
    outcome: Outcome,
  ): Promise<void> | undefined {
    const clean = context.passed && outcome.kind !== 'refused' && !outcome.flagged
    return context.hit !== undefined || clean ? watch(context.call, context.hit) : undefined
  }

  async function outcomeOf(call: ToolCall, options: RunOptions, context: CallContext): Promise<Outcome> {
    try {
      return await stack(call, options, context)
    } catch (error) {
      log.error('a call failed inside the gateway', {
        request_id: call.requestId,
        client: call.backend.name,
        tool: call.tool.name,
        error,
      })
      return INTERNAL
    }
  }

  const count = counters(metrics)

  return async (given, options = PLAIN) => {
    if (!options.dryRun) callLog.requireOpen()
    const call: ToolCall = options.dryRun ? { ...given, rehearsed: true } : given
    const started = monotonic()
    const account = room.account()
    const context: CallContext = {
      dispatchMs: 0,
      attempts: 0,
      passed: false,
      gated: false,
      ticket: null,
      hit: undefined,
      watch: undefined,
      happenings: traced ? [] : undefined,
      stages: traced ? new StageRecord() : undefined,
      call,
      counted: call,
      account,
    }
    try {
      const outcome = await outcomeOf(call, options, context)
      const counted = quota.settle(context.counted, context.passed && outcome.kind !== 'refused' && isCounted(call))
      const left = budgets.settle(context.counted, outcome, context.passed && outcome.kind !== 'refused')
      const durationMs = monotonic() - started
      // What was only imagined is no call.
      if (options.dryRun) return { outcome, durationMs, attempts: 0 }
      // Before the answer is sent: the next caller meets what this call did.
      if (context.watch) await watched(context.watch, context, outcome)
      const label = outcomeLabel(outcome)
      const row = rowOf(call, outcome, { durationMs, attempts: context.attempts, counted }, clock.now())
      // A call that shared another's request waited for the backend as well.
      const dispatchMs = outcome.from?.cache === 'coalesced' ? durationMs : context.dispatchMs
      count(call, outcome, label, durationMs, dispatchMs)
      audit?.note(context.call, outcome, label, durationMs, context)
      await recorded(callLog, row)
      onEnd({
        of: call.relayed ? 'relayed' : 'tool',
        row,
        call: context.call,
        outcome,
        happenings: context.happenings,
        stages: context.stages,
        startedAt: started,
        durationMs,
        dispatchMs,
      })
      return { outcome, durationMs, attempts: context.attempts, budgets: left }
    } finally {
      account.free()
    }
  }
}

/** Whether a quota counts it: lists and the upkeep of a connection are free. */
const isCounted = ({ relayed }: ToolCall): boolean =>
  relayed === undefined || (relayed.kind === 'request' && relayed.counted)
