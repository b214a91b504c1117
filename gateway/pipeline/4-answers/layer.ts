// What stands between the gates and the breaker: a layer may answer in the backend's place, or see what it answered. Contract 5.8.
import type { StageOutcome } from '../../contract/admin/tool-test.ts'
import type { Account } from '../../net/memory-budget.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import type { ToolCall } from '../call.ts'

/** The rest of the way: the layers within, then breaker and dispatch. With another call where a layer changed it. */
export type Next = (call?: ToolCall) => Promise<Outcome>

/** What it came to, and in words where the outcome does not say it. */
export type NoteLayer = (outcome: StageOutcome, words?: string) => void

export type Layer = {
  readonly stage: 'identity' | 'mock' | 'cache' | 'coalesce' | 'shape'
  /** The rest of the path has no owner: it holds what it needs itself, and outlives its first caller. */
  readonly shares?: true
  readonly answer: (
    call: ToolCall,
    next: Next,
    note: NoteLayer,
    /** For what the call is given without having asked for it. */
    account: Account,
  ) => Promise<Outcome>
}
