// A finished call, for its observers: the live tail, the captured traffic, the spans. No call waits for them.
import type { Outcome } from '../../outcome/outcome.ts'
import type { Origin } from '../4-answers/kept-results.ts'
import type { ToolCall } from '../call.ts'
import type { Happening } from '../call-state.ts'
import type { CompositeCall } from '../composite/run-composite.ts'
import type { ResultCall } from '../run-result.ts'
import type { StageRecord } from '../stage-record.ts'
import type { CallRow } from './call-log.ts'
import type { UnknownCall } from './unknown.ts'

export type Ended = Recorded &
  (
    | ({
        readonly of: 'tool' | 'relayed'
        /** With its arguments as they were validated, once they were. */
        readonly call: ToolCall
        readonly outcome: Outcome
        readonly happenings: readonly Happening[] | undefined
        readonly stages: StageRecord | undefined
      } & Took)
    | ({ readonly of: 'composite'; readonly call: CompositeCall; readonly outcome: Outcome } & Took)
    /** `origin`: whose answer the kept result is, where it was found. */
    | ({
        readonly of: 'result'
        readonly call: ResultCall
        readonly origin: Origin | undefined
        readonly outcome: Outcome
      } & Took)
    /** It found no tool. */
    | { readonly of: 'unknown'; readonly call: UnknownCall }
  )

type Recorded = {
  readonly row: CallRow
  /** Monotonic. */
  readonly startedAt: number
}

/** Not rounded, as a row's are. */
type Took = { readonly durationMs: number; readonly dispatchMs: number }

/** It must not throw, and what takes its time it does later: the answer has not left yet. */
export type OnEnd = (ended: Ended) => void
