// What is recorded of a call: its row, its audit entry, its span, its captured traffic, and the event of the live tail.
import { callOf } from '../operations/observation/usage.ts'
import { type CallAudit, createCallAudit } from '../pipeline/8-audit/call-audit.ts'
import { type CallLog, type CallRow, createCallLog } from '../pipeline/8-audit/call-log.ts'
import { JOURNAL } from '../pipeline/8-audit/call-rows.ts'
import type { Capturing } from '../pipeline/8-audit/captured.ts'
import type { OnEnd } from '../pipeline/8-audit/ended.ts'
import { noteRejected } from '../pipeline/8-audit/replay.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { openJournal } from '../storage/journal.ts'
import type { Foundation } from './foundation.ts'
import { createTracing } from './tracing.ts'
import { createTrafficCapture } from './traffic.ts'

export type CallRecords = {
  readonly callLog: CallLog
  readonly audit: CallAudit
  readonly capturing: Capturing
  /** Whether spans are made. */
  readonly traced: boolean
  readonly onEnd: OnEnd
  close(): Promise<void>
}

export function createCallRecords(base: Foundation, registry: Pick<LiveRegistry, 'known' | 'local'>): CallRecords {
  const { settings, log, metrics, database, owner, append } = base
  const teamOf = (client: string): number | null => registry.known(client)?.teamId ?? null
  const callLog = createCallLog({
    database,
    journal:
      owner && database.file !== null ? openJournal(database.file, owner, JOURNAL, settings.JOURNAL_FSYNC) : undefined,
    notes: {
      failing(error, rows) {
        metrics.inc('mcp_db_errors_total', { op: 'calls' })
        log.error('call rows cannot be written now; they are kept and tried again', { rows, error })
      },
      recovered: () => log.info('call rows are written again'),
      rejected: (error) => noteRejected(base, error),
      lost(error, rows) {
        metrics.inc('mcp_db_errors_total', { op: 'calls' })
        log.error('call rows could not be written', { rows, error })
      },
      inserted: (row, id) => tellCall(base, row, id, row.client == null ? null : teamOf(row.client)),
    },
  })
  const audit = createCallAudit({
    mode: settings.AUDIT_TOOL_CALLS,
    append: (entries, mark) => append('tool.call', entries, mark),
    onError(error, entries, lost) {
      metrics.inc('mcp_db_errors_total', { op: 'audit' })
      if (lost) log.error('audit entries of calls could not be written', { entries, error })
      else log.warn('audit entries of calls cannot be written now; they are kept and tried again', { entries, error })
    },
  })
  const tracing = createTracing(base)
  const { capturing, trafficLog } = createTrafficCapture(base, registry)
  const onEnd: OnEnd = (ended) => {
    const { row } = ended
    const { client, outcome } = row
    tracing.onEnd?.(ended)
    if (client && outcome && registry.local(client)) metrics.inc('mcp_pcg_calls_total', { editor: client, outcome })
    trafficLog.note(ended)
  }
  return {
    callLog,
    audit,
    capturing,
    traced: tracing.onEnd !== undefined,
    onEnd,
    async close() {
      await callLog.close()
      await trafficLog.close()
      await audit.close()
      await tracing.close()
    },
  }
}

/** The live tail; the event is built only for subscribers. It shows calls of tools, not those of the control plane. */
function tellCall({ events }: Foundation, row: CallRow, id: number | undefined, teamId: number | null): void {
  if (row.surface === 'control' || !events.hasListeners()) return
  events.emit('calls', 'call', { ...callOf(row), id: id ?? null }, teamId)
}
