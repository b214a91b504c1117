// The capture of one call, found by its request and distinguished from the other calls of that request. Pure.
import type { CallRow, TrafficRow } from '#contract'

/** The maximum difference between the times of call, event and row. */
const AROUND_MS = 60_000

export function capturedQuery({ requestId, at }: Pick<CallRow, 'requestId' | 'at'>) {
  const ms = Date.parse(at)
  return { q: requestId, from: ms - AROUND_MS, to: ms + AROUND_MS, limit: '100' }
}

type Known = Pick<CallRow, 'requestId' | 'client' | 'tool' | 'outcome' | 'durationMs'>

/** A composite makes several calls per request, even of one tool. */
export function capturedOf(call: Known, rows: readonly TrafficRow[]): TrafficRow | undefined {
  const same = rows.filter(
    ({ requestId, clientName, toolName, outcome }) =>
      requestId === call.requestId &&
      clientName === call.client &&
      (toolName ?? '') === call.tool &&
      outcome === call.outcome,
  )
  return same.find(({ durationMs }) => durationMs === call.durationMs) ?? same[0]
}

/** It is stored shortly after the call. */
export const mayStillCome = ({ at }: Pick<CallRow, 'at'>, nowMs: number): boolean => nowMs - Date.parse(at) < 5_000
