// The stages of a traced call: guards, approval, queue, and of each attempt connect, TLS, wait and body.
import type { TraceStage } from '../../contract/admin/traces.ts'
import type { Timing } from '../../net/timing.ts'
import type { Interval, StageRecord } from '../stage-record.ts'

type Named = { readonly name: TraceStage['name'] } & Interval & Partial<Pick<TraceStage, 'attempt' | 'failed'>>

/** Layers and dispatch report themselves too, and contain what comes after them. */
const NO_GATE = new Set(['mock', 'cache', 'coalesce', 'shape', 'breaker', 'dispatch'])
const WAITED_MS = 1
/** Shorter ones are the work of the gateway itself. */
const QUEUED_MS = 0.5

/** Of one request of an attempt, up to its end. */
function exchanged({ began, sent, head, ended, dial }: Timing, attemptEnd: number): readonly Named[] {
  const end = ended ?? attemptEnd
  // It found no connection.
  if (sent === undefined) return [{ name: 'connect', from: began, to: end, failed: true }]
  const stages: Named[] = []
  const waitedUntil = dial ? Math.max(began, dial.from) : sent
  if (waitedUntil - began >= QUEUED_MS) stages.push({ name: 'queue', from: began, to: waitedUntil })
  if (dial) {
    stages.push({ name: 'connect', from: dial.from, to: dial.connected })
    if (dial.secured !== undefined) stages.push({ name: 'tls', from: dial.connected, to: dial.secured })
  }
  stages.push({ name: 'wait', from: sent, to: head ?? end })
  if (head !== undefined) stages.push({ name: 'body', from: head, to: end })
  return stages
}

function before(record: StageRecord, startedAt: number): readonly Named[] {
  const gates = record.noted.filter(({ stage }) => !NO_GATE.has(stage))
  const approval = gates.find(({ stage, from, to }) => stage === 'approval' && to - from >= WAITED_MS)
  const passedAt = Math.max(startedAt, ...gates.map(({ to }) => to))
  const stages: Named[] = [{ name: 'guards', from: startedAt, to: approval?.from ?? passedAt }]
  if (approval) stages.push({ name: 'approval', from: approval.from, to: approval.to })
  const [first] = record.attempts
  if (first && first.from - passedAt >= QUEUED_MS) stages.push({ name: 'queue', from: passedAt, to: first.from })
  return stages
}

/** `wallOf` gives the calendar time of a monotonic moment. */
export function stagesOf(
  record: StageRecord,
  startedAt: number,
  wallOf: (moment: number) => number,
): readonly TraceStage[] {
  const stages: Named[] = [...before(record, startedAt)]
  let last: number | undefined
  for (const [at, { from, to, failed, timings }] of record.attempts.entries()) {
    const attempt = at + 1
    if (last !== undefined) stages.push({ name: 'backoff', from: last, to: from })
    stages.push({ name: 'attempt', from, to, attempt, ...(failed && { failed }) })
    for (const timing of timings) stages.push(...exchanged(timing, to).map((stage) => ({ ...stage, attempt })))
    last = to
  }
  return stages.map(({ from, to, ...stage }) => ({
    ...stage,
    startMs: wallOf(from),
    endMs: wallOf(Math.max(from, to)),
  }))
}
