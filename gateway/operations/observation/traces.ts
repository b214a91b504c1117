// The traces that are kept, as far as the actor may know them. Contract 7.7.

import type { StoredSpan, TopSession, TraceSummary, UsualStages } from '../../contract/admin/traces.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import type { Actor } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { fromText } from '../../storage/json-text.ts'
import { beforeId, pageById } from '../../storage/page.ts'
import type { Found } from '../../storage/questions.ts'
import type { ReadWorker } from '../../storage/read-worker.ts'
import { removeSpans, type TraceFilters } from '../../storage/spans.ts'

type Window = { readonly from?: string | undefined; readonly to?: string | undefined }
type TraceQuery = Window &
  Pick<TraceFilters, 'tool' | 'client' | 'outcome' | 'minMs'> & {
    readonly session_id?: string | undefined
    readonly limit: number
    readonly cursor?: string | undefined
  }

export type Traces = ReturnType<typeof createTraces>

type TracesDeps = Pick<Base, 'database' | 'changes'> & {
  readonly readWorker: Pick<ReadWorker, 'ask'>
}

/** A caller may give all its calls one trace; this is more than a person reads of it. */
const MOST_SPANS = 1_000
/** Gone in one transaction, so that no call waits for long. */
const PORTION = 2_000
const TRACE_ID = /^[0-9a-f]{32}$/

const notFound = (): GatewayError => new GatewayError('TRACE_NOT_FOUND', 'Trace not found')
const msOf = (when: string | undefined): number | undefined => (when === undefined ? undefined : Date.parse(when))
const windowOf = ({ from, to }: Window) => ({ fromMs: msOf(from), toMs: msOf(to) })

export function createTraces({ database, readWorker, changes }: TracesDeps) {
  return {
    async list({ teamId }: Actor, { from, to, session_id: session, limit, cursor, ...filters }: TraceQuery) {
      const window = windowOf({ from, to })
      const before = beforeId(cursor)
      const rows = await readWorker.ask('traces', { ...filters, ...window, session, limit, before, teamId })
      const { items, ...more } = pageById(rows, limit)
      const answer: Page<TraceSummary> = { items: items.map(summaryOf), ...more }
      return answer
    },

    async get({ teamId }: Actor, traceId: string): Promise<{ traceId: string; spans: StoredSpan[] }> {
      if (!TRACE_ID.test(traceId)) throw notFound()
      const rows = await readWorker.ask('trace', { traceId, teamId, limit: MOST_SPANS })
      if (rows.length === 0) throw notFound()
      return { traceId, spans: rows.map(spanOf) }
    },

    async topSessions({ teamId }: Actor, { limit, ...window }: Window & { readonly limit: number }) {
      const rows = await readWorker.ask('topSessions', { ...windowOf(window), teamId, limit })
      const items = rows.map(({ session, calls, errors, client }): TopSession => {
        return { sessionId: session, calls, errors, hasError: errors > 0, client }
      })
      return { items }
    },

    usual: ({ teamId }: Actor, of: { readonly client: string; readonly tool: string }): Promise<UsualStages> =>
      readWorker.ask('usualStages', { ...of, teamId }),

    /** What has ended by now; what ends later stays. The entry goes with the first portion: it records the decision. */
    async clear(by: By): Promise<{ removed: number }> {
      const { teamId } = by.actor
      const { traces: removed, last } = await readWorker.ask('traceExtent', { teamId })
      const portion = { last: last ?? 0, teamId, portion: PORTION }
      let gone = await changes(by, async (tx, audit) => {
        await audit('traces.purge', '*', { removed })
        return removeSpans(tx, portion)
      })
      while (gone === PORTION) gone = await database.write((tx) => removeSpans(tx, portion))
      return { removed }
    },
  }
}

const summaryOf = (row: Found<'traces'>[number]): TraceSummary => ({
  traceId: row.trace_id,
  spanCount: row.spans,
  startMs: row.start_ms,
  endMs: row.end_ms,
  durationMs: Math.round((row.end_ms - row.start_ms) * 1000) / 1000,
  mcpToolName: row.tool_name,
  client: row.client,
  sessionId: row.session,
  hasError: row.failed === 1,
  denyCode: row.deny_code,
})

const spanOf = (row: Found<'trace'>[number]): StoredSpan => ({
  traceId: row.trace_id,
  spanId: row.span_id,
  parentSpanId: row.parent_span_id,
  name: row.name,
  kind: row.kind,
  startMs: row.start_ms,
  endMs: row.end_ms,
  statusCode: row.status_code === 1 ? 1 : row.status_code === 2 ? 2 : 0,
  statusMessage: row.status_message,
  attributes: fromText(row.attributes),
  events: fromText(row.events),
  // Composites have none, and neither have calls of before an upgrade.
  stages: row.stages === null ? [] : [...fromText(row.stages)],
})
