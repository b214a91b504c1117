// Exports the audit log as a download.

import type { Database } from '../storage/database.ts'
import type { Clock } from '../telemetry/clock.ts'
import type { AuditFilters, OfTeam } from './filter.ts'
import { offload } from './offload.ts'
import type { ExportFormat } from './report.ts'

const TYPES: Readonly<Record<ExportFormat, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
}

export type AuditExport = {
  readonly contentType: string
  readonly filename: string
  readonly body: AsyncIterable<string>
}

export function exportAudit(
  database: Database,
  { format, filters, teamId }: { readonly format: ExportFormat; readonly filters: AuditFilters } & OfTeam,
  clock: Clock,
): AuditExport {
  const at = new Date(clock.now()).toISOString()
  const stamp = at.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')
  return {
    contentType: TYPES[format],
    filename: `gantry-audit-${stamp}.${format}`,
    body: offload(database, { kind: 'export', at, format, filters, teamId }),
  }
}
