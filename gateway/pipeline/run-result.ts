// A question to a kept result, or the reading of its data: it meets no guard of a tool, and is a call all the same: counted by budgets, with its row, its metrics and its entry in the audit chain.

import { RESULT_TOOL } from '../contract/names.ts'
import { failed, INTERNAL } from '../outcome/failed.ts'
import type { Outcome } from '../outcome/outcome.ts'
import type { Base } from '../records/base.ts'
import type { Budgets, CountedCall } from './3-policy/budgets.ts'
import type { Answer, Origin } from './4-answers/kept-results.ts'
import type { CallAudit } from './8-audit/call-audit.ts'
import { type CallLog, recorded } from './8-audit/call-log.ts'
import { outcomeLabel } from './8-audit/count.ts'
import type { OnEnd } from './8-audit/ended.ts'
import { countOwn, ownRow } from './8-audit/own-row.ts'
import type { ToolCall } from './call.ts'
import type { Ran } from './run.ts'

export type ResultCall = Pick<
  ToolCall,
  | 'requestId'
  | 'span'
  | 'surface'
  | 'bundle'
  | 'sessionHash'
  | 'program'
  | 'caller'
  | 'calledAs'
  | 'args'
  | 'requestBytes'
> & {
  /** Set where it is no tool call. */
  readonly method: string | null
}
export type RunResult = (call: ResultCall, ask: () => Promise<Answer>) => Promise<Ran>

type Parts = Pick<Base, 'metrics' | 'log' | 'clock'> & {
  readonly budgets: Pick<Budgets, 'guard' | 'settle'>
  readonly callLog: Pick<CallLog, 'requireOpen' | 'write'>
  readonly audit: Pick<CallAudit, 'noteResult'> | undefined
  /** Monotonic. */
  readonly monotonic: () => number
  readonly onEnd: OnEnd
}

const NO_CONFIG = { name: RESULT_TOOL, config: {} }

export function createRunResult(parts: Parts): RunResult {
  const { budgets, callLog, audit, metrics, log, monotonic, clock, onEnd } = parts

  async function outcomeOf(call: ResultCall, ask: () => Promise<Answer>): Promise<[Outcome, Origin | undefined]> {
    try {
      const answer = await ask()
      return 'text' in answer
        ? [{ kind: 'ok', result: { content: [{ type: 'text', text: answer.text }] } }, answer.of]
        : [failed('invalid_arguments', answer.problem, false), answer.of]
    } catch (error) {
      log.error('a kept result could not be queried', { request_id: call.requestId, error })
      return [INTERNAL, undefined]
    }
  }

  return async (call, ask) => {
    callLog.requireOpen()
    const startedAt = monotonic()
    const { caller, args, sessionHash, program } = call
    // Budgets of a team count the questions of its keys.
    const counted: CountedCall = {
      caller,
      args,
      sessionHash,
      program: program ?? null,
      backend: { name: '', teamId: caller.teamId },
      tool: NO_CONFIG,
    }
    const refused = await budgets.guard(counted)
    const [outcome, origin] = refused ? [refused, undefined] : await outcomeOf(call, ask)
    const left = budgets.settle(counted, outcome, refused === undefined)
    const durationMs = monotonic() - startedAt
    countOwn(metrics, outcome, durationMs)
    const row = { ...ownRow(call, { tool: RESULT_TOOL, outcome, durationMs, atMs: clock.now() }), method: call.method }
    audit?.noteResult(call, outcome, outcomeLabel(outcome), durationMs)
    await recorded(callLog, row)
    onEnd({ of: 'result', row, call, origin, outcome, startedAt, durationMs, dispatchMs: 0 })
    return { outcome, durationMs, attempts: 0, budgets: left }
  }
}
