// What a monitor compares with: taken when it is set, and again on request. Contract 8.12.

import type { Monitor } from '../../contract/admin/monitor-feature.ts'
import { GatewayError } from '../../contract/error.ts'
import type { JsonSchema } from '../../discovery/tool.ts'
import { schemaHash } from '../../registry/tool-diff.ts'
import type { ToolRecord } from '../../storage/backends.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import { deleteMonitor, type MonitorRow, monitorOf, putMonitor } from '../../storage/monitors.ts'
import type { Tx } from '../../storage/schema.ts'
import { exampleById } from '../../storage/tool-examples.ts'
import { definitionOf } from '../backends/discovered-tools.ts'

const MINUTE_MS = 60_000
/** A twentieth earlier or later, so that monitors that were set together drift apart. */
const JITTER = 0.1

export function nextRunAt({ intervalMinutes }: Monitor, fromMs: number, random: () => number): string {
  return new Date(fromMs + intervalMinutes * MINUTE_MS * (1 - JITTER / 2 + random() * JITTER)).toISOString()
}

/** What its source listed last: at a run after the last discovery, else at that. */
function baselineOf(before: MonitorRow | undefined, row: ToolRecord, discoveredAt: string): JsonSchema {
  const { seen, seen_at } = before ?? {}
  return (seen_at != null && seen_at > discoveredAt ? fromText(seen) : null) ?? definitionOf(row).inputSchema
}

/** In the transaction that stores its configuration: a monitor that is set starts over, also when it is set to its present values. */
export async function setMonitor(
  tx: Tx,
  row: ToolRecord,
  discoveredAt: string,
  monitor: Monitor | undefined,
  nowMs: number,
  setBy: string,
): Promise<void> {
  if (monitor === undefined) return deleteMonitor(tx, row.id)
  const { exampleId } = monitor
  if (exampleId !== undefined && (await exampleById(tx, row.id, exampleId)) === undefined)
    throw new GatewayError('EXAMPLE_NOT_FOUND', 'This tool has no such example', {
      status: 400,
      fields: [{ path: 'monitor.exampleId', message: 'is no example of this tool' }],
    })
  return beginMonitor(tx, row, discoveredAt, monitor, nowMs, setBy)
}

export async function beginMonitor(
  tx: Tx,
  row: ToolRecord,
  discoveredAt: string,
  monitor: Monitor,
  nowMs: number,
  /** Null where it came with a renamed tool. */
  setBy: string | null,
): Promise<void> {
  const before = await monitorOf(tx, row.id)
  const baseline = baselineOf(before, row, discoveredAt)
  await putMonitor(tx, {
    tool_id: row.id,
    set_at: new Date(nowMs).toISOString(),
    baseline: jsonText(baseline),
    baseline_hash: schemaHash(baseline),
    seen: before?.seen ?? null,
    seen_at: before?.seen_at ?? null,
    drift: null,
    drift_since: null,
    last_status: null,
    last_error: null,
    last_latency_ms: null,
    last_run_at: null,
    failures: 0,
    next_run_at: nextRunAt(monitor, nowMs, () => 0.5),
    set_by: setBy,
    approved_by: null,
    approved_at: null,
    approved_hash: null,
  })
}
