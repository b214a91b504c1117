// Writes an export in chunks: ascending, every row up to the verified head. Contract 13.4.
import { setImmediate } from 'node:timers/promises'
import type { AuditVerdict } from '#contract'
import { countOf } from '../storage/rows.ts'
import type { Query, Schema } from '../storage/schema.ts'
import { entryOf } from './chain.ts'
import { type AuditFilters, filtered, type OfTeam } from './filter.ts'
import type { SignedHead } from './head.ts'
import { htmlEnd, htmlRow, htmlStart } from './html.ts'
import { walkChain } from './walk.ts'

const COLUMNS = ['id', 'prev_hash', 'actor', 'action', 'target', 'detail', 'created_at', 'hash'] as const

/** One audit entry as a CSV line: RFC 4180, with formulas neutralized. */
const csvHeader = `${COLUMNS.join(',')}\r\n`

function csvRow(row: Schema['audit_log']): string {
  return `${COLUMNS.map((column) => field(String(row[column] ?? ''))).join(',')}\r\n`
}

function field(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

export const EXPORT_FORMATS = ['json', 'csv', 'html'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export type ReportFields = {
  readonly exportedAt: string
  readonly filters: AuditFilters
  readonly count: number
  readonly verification: AuditVerdict
}
type Layout = {
  readonly start: (facts: ReportFields) => string
  readonly row: (row: Schema['audit_log'], index: number) => string
  readonly end: string
}

const PAGE = 250

const LAYOUTS: Readonly<Record<ExportFormat, Layout>> = {
  json: {
    start: (facts) => `${JSON.stringify(facts).slice(0, -1)},"items":[`,
    row: (row, index) => `${index === 0 ? '' : ','}\n${JSON.stringify(entryOf(row))}`,
    end: '\n]}\n',
  },
  csv: { start: () => csvHeader, row: csvRow, end: '' },
  html: { start: htmlStart, row: htmlRow, end: htmlEnd },
}

type Request = { readonly at: string; readonly format: ExportFormat; readonly filters: AuditFilters } & OfTeam

/** The log is append-only, so rows up to a head are a snapshot without a long transaction. */
export async function* report({ at, format, filters, teamId }: Request, query: Query, signed: SignedHead) {
  const layout = LAYOUTS[format]
  const verification = await walkChain(query, signed, at)
  const upTo = verification.headId ?? 0
  const count = await countOf(filtered(query, { ...filters, teamId }).where('id', '<=', upTo))
  yield layout.start({ exportedAt: at, filters, count, verification })
  for (let after = 0, written = 0; ; ) {
    const rows = await filtered(query, { ...filters, teamId })
      .where('id', '>', after)
      .where('id', '<=', upTo)
      .selectAll()
      .orderBy('id')
      .limit(PAGE)
      .execute()
    const last = rows.at(-1)
    if (!last) break
    const from = written
    yield rows.map((row, index) => layout.row(row, from + index)).join('')
    written += rows.length
    after = last.id
    await setImmediate()
  }
  if (layout.end !== '') yield layout.end
}
