// A call that is over, for those who look on: the live tail, the captured traffic, the spans. Nobody waits for them.
import type { Outcome, ToolCall } from '../call.ts'
import type { CompositeCall } from '../composite/run-composite.ts'
import type { CallRow } from './call-log.ts'
import type { UnknownCall } from './unknown.ts'

export type Ended =
  /** Of a tool: with its arguments as they were validated, once they were. */
  | ({ readonly of: 'tool'; readonly row: CallRow; readonly call: ToolCall; readonly outcome: Outcome } & Took)
  | ({
      readonly of: 'composite'
      readonly row: CallRow
      readonly call: CompositeCall
      readonly outcome: Outcome
    } & Took)
  /** It found no tool. */
  | { readonly of: 'unknown'; readonly row: CallRow; readonly call: UnknownCall }

/** Not rounded, as a row's are. */
type Took = { readonly durationMs: number; readonly dispatchMs: number }

/** It must not throw, and what takes its time it does later: the answer has not left yet. */
export type OnEnd = (ended: Ended) => void
