// What happens to the spans of calls: sent to a collector, kept in the database, or never made when disabled.

import type { OnEnd } from '../pipeline/8-audit/ended.ts'
import { spanOf, type Traced, toolNameOf, tracedOf } from '../pipeline/8-audit/span.ts'
import { jsonText } from '../storage/json-text.ts'
import { insertSpans, type SpanRow } from '../storage/spans.ts'
import { createOtlp, tracesUrl } from '../telemetry/otlp.ts'
import { createSpanQueue, type SpanQueue } from '../telemetry/span-queue.ts'
import type { Foundation } from './foundation.ts'

export type Tracing = {
  /** Undefined where no span is made. */
  readonly onEnd: OnEnd | undefined
  /** Sends and keeps what waits. */
  close(): Promise<void>
}

const EXPORT_EVERY_MS = 2_000
/** The reader of a trace has usually just made the call. */
const KEEP_EVERY_MS = 250
const KEPT_AT_ONCE = 128
const ANSWER_MAX_BYTES = 1_048_576

export function createTracing(base: Foundation): Tracing {
  const { settings } = base
  const wallOf = createCalendar(base)
  const queues: SpanQueue<Traced>[] = []
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT !== null)
    queues.push(exporting(base, settings.OTEL_EXPORTER_OTLP_ENDPOINT, wallOf))
  if (settings.TRACE_STORAGE) queues.push(keeping(base, wallOf))
  return {
    onEnd:
      queues.length === 0
        ? undefined
        : (ended) => {
            const traced = tracedOf(ended)
            for (const queue of queues) queue.add(traced)
          },
    async close() {
      await Promise.all(queues.map((queue) => queue.close()))
    },
  }
}

type WallOf = (moment: number) => number

/** A clock that was set by this much is believed. */
const SET_MS = 100

/** One reading for all spans, so that a step never begins before its composite. */
function createCalendar({ clock, monotonic }: Pick<Foundation, 'clock' | 'monotonic'>): WallOf {
  const ahead = (): number => clock.now() - monotonic()
  let known = ahead()
  return (moment) => {
    const now = ahead()
    if (Math.abs(now - known) > SET_MS) known = now
    return Math.round((known + moment) * 1000) / 1000
  }
}

function exporting(base: Foundation, endpoint: string, wallOf: WallOf): SpanQueue<Traced> {
  const { settings, outbound, metrics, log, instanceId, version } = base
  const url = tracesUrl(endpoint)
  const headers = { ...settings.OTEL_EXPORTER_OTLP_HEADERS, 'content-type': 'application/json' }
  const send = createOtlp({
    resource: {
      'service.name': settings.OTEL_SERVICE_NAME,
      'service.version': version,
      'service.instance.id': instanceId,
    },
    version,
    async post(body) {
      const answer = await outbound.request({
        url,
        method: 'POST',
        headers,
        body,
        deadlineMs: settings.OTEL_EXPORT_TIMEOUT_MS,
        maxBytes: ANSWER_MAX_BYTES,
        trusted: true,
        owner: 'otel',
      })
      return { status: answer.status, text: answer.body.toString('utf8') }
    },
  })
  const count = (outcome: 'success' | 'failure' | 'dropped', spans: number): void =>
    metrics.add('mcp_otel_spans_total', spans, { outcome })
  let failing = false
  return createSpanQueue<Traced>({
    mostOfBatch: settings.OTEL_MAX_BATCH,
    everyMs: EXPORT_EVERY_MS,
    async deliver(batch) {
      const rejected = await send(batch.map((traced) => spanOf(traced, wallOf)))
      failing = false
      count('success', batch.length - rejected)
      count('failure', rejected)
    },
    onFailed(batch, error) {
      count('failure', batch.length)
      // Once for a collector that is away, not once for each batch.
      if (!failing) log.warn('spans were not exported, and are dropped', { spans: batch.length, error })
      failing = true
    },
    onDropped: () => count('dropped', 1),
  })
}

function keeping({ database, metrics, log }: Foundation, wallOf: WallOf): SpanQueue<Traced> {
  const lost = (spans: number, error: unknown): void => {
    metrics.inc('mcp_db_errors_total', { op: 'spans' })
    log.error('spans could not be kept', { spans, error })
  }
  return createSpanQueue<Traced>({
    mostOfBatch: KEPT_AT_ONCE,
    everyMs: KEEP_EVERY_MS,
    deliver: (batch) =>
      insertSpans(
        database,
        batch.map((traced) => rowOf(traced, wallOf)),
      ),
    onFailed: (batch, error) => lost(batch.length, error),
    onDropped: () => lost(1, 'more came than the database took'),
  })
}

function rowOf(traced: Traced, wallOf: WallOf): SpanRow {
  const { of, row } = traced
  const span = spanOf(traced, wallOf)
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_span_id: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    start_ms: span.startMs,
    end_ms: span.endMs,
    status_code: span.statusCode,
    status_message: span.statusMessage,
    attributes: jsonText(span.attributes),
    events: jsonText(span.events),
    tool_name: toolNameOf(traced),
    tool: of === 'relayed' || of === 'unknown' ? null : row.tool,
    client: row.client ?? null,
    composite: of === 'composite' ? row.tool : null,
    session: row.session ?? null,
    outcome: row.outcome,
    deny_code: row.deny_code ?? null,
    stages: span.stages.length === 0 ? null : jsonText(span.stages),
  }
}
