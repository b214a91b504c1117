// The row and the counts of a composite itself; its steps leave their own. Contract 10.8.

import type { Outcome } from '../../outcome/outcome.ts'
import type { Base } from '../../records/base.ts'
import { type CallLog, recorded } from '../8-audit/call-log.ts'
import type { OnEnd } from '../8-audit/ended.ts'
import { countOwn, ownRow } from '../8-audit/own-row.ts'
import type { CompositeCall } from './run-composite.ts'

type Parts = Pick<Base, 'metrics' | 'clock'> & {
  readonly callLog: Pick<CallLog, 'write'>
  readonly onEnd: OnEnd
}

export function createCompositeNote({ callLog, metrics, clock, onEnd }: Parts) {
  return async (call: CompositeCall, outcome: Outcome, startedAt: number, durationMs: number): Promise<void> => {
    countOwn(metrics, outcome, durationMs)
    const row = ownRow(call, { tool: call.composite.name, outcome, durationMs, atMs: clock.now() })
    await recorded(callLog, row)
    // Its steps did all the work, and each reported it.
    onEnd({ of: 'composite', row, call, outcome, startedAt, durationMs, dispatchMs: 0 })
  }
}
