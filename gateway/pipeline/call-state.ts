// The context of a call on its path through the guard stack: its chain, what was found out so far, and the observer of each stage.
import type { StageOutcome } from '../contract/admin/tool-test.ts'
import type { Account } from '../net/memory-budget.ts'
import type { Hit } from './3-policy/quarantine.ts'
import type { ToolCall } from './call.ts'
import type { Chain } from './chain.ts'
import type { StageRecord } from './stage-record.ts'

export type Note = (stage: string, outcome: StageOutcome, since: number, words?: string) => void
/** Where there is no observer; then the clock is not read either. */
export const unnoted: Note = () => undefined

/** What a span holds beside how its call ended. */
export type Happening = {
  readonly name: 'retry' | 'cache_hit' | 'breaker_refused'
  /** Monotonic. */
  readonly at: number
  readonly attributes: Readonly<Record<string, string | number>>
}

/** What the stages find out about a call. `passed`: every gate let it through. */
export type CallContext = {
  dispatchMs: number
  attempts: number
  passed: boolean
  /** A gate is configured for this tool. */
  gated: boolean
  /** The approval it used up. */
  ticket: number | null
  /** What the guardrails found, and the observer of it. */
  hit: Hit | undefined
  watch: Chain['watch']
  /** Undefined where no span is made. */
  readonly happenings: Happening[] | undefined
  readonly stages: StageRecord | undefined
  /** With its validated arguments, once there are: the form that policy uses. */
  call: ToolCall
  /** The record of it that quotas and budgets met: a layer may replace `call`. */
  counted: ToolCall
  readonly account: Account
}

/** From where every gate has let it through. */
export type AdmittedCall = {
  readonly chain: Chain
  readonly call: ToolCall
  readonly dryRun: boolean
  readonly context: CallContext
  readonly note: Note
}
