// A trace: its spans on a timeline, and details of the selected one.
import { Link } from '@tanstack/react-router'
import { ChartNoAxesGantt } from 'lucide-react'
import type { StoredSpan } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { type Fact, Facts } from '../../ui/Facts.tsx'
import { formatMoment } from '../../ui/format.ts'
import { OneRecord } from '../../ui/OneRecord.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { useUrlParams } from '../../url-params.ts'
import { CallerKey } from './Caller.tsx'
import { usualFact } from './Usual.tsx'
import { Waterfall } from './Waterfall.tsx'
import { barsOf, eventWords, preciseSpan } from './waterfall.ts'

export function TracePage() {
  return (
    <OneRecord
      kind="traces"
      noun={t('trace')}
      param="traceId"
      read={(traceId) => api.traces.get({ params: { traceId } })}
      icon={ChartNoAxesGantt}
      about={t('It was not stored, or is older than TRACE_RETENTION_MS.')}
    >
      {({ spans }, traceId) => <Loaded traceId={traceId} spans={spans} />}
    </OneRecord>
  )
}

function Loaded({ traceId, spans }: { readonly traceId: string; readonly spans: readonly StoredSpan[] }) {
  const [params, change] = useUrlParams()
  const chosen = spans.find(({ spanId }) => spanId === params.span) ?? barsOf(spans)[0]?.span
  const bars = barsOf(spans, chosen?.spanId)
  const tookMs = Math.max(...spans.map(({ endMs }) => endMs)) - Math.min(...spans.map(({ startMs }) => startMs))
  return (
    <div className="flex h-full flex-col overflow-auto">
      <PageHeader
        title={String(bars[0]?.span.attributes['mcp.tool'] ?? t('An unknown tool'))}
        badge={<Badge>{preciseSpan(tookMs)}</Badge>}
        about={
          <span className="flex items-center gap-1">
            {rich('Trace {code}{copybutton}', {
              code: <code className="font-mono text-xs break-all">{traceId}</code>,
              copybutton: <CopyButton text={traceId} label={t('Copy the trace id')} />,
            })}
          </span>
        }
        actions={
          <Link to="/traces" className={buttonClass({})}>
            {t('All traces')}
          </Link>
        }
      />
      <div className="grid items-start gap-6 px-6 pb-6 xl:grid-cols-[3fr_2fr]">
        <Waterfall
          bars={bars}
          wholeMs={tookMs}
          chosen={chosen?.spanId}
          onChoose={({ spanId }) => change({ span: spanId })}
        />
        {chosen && <SpanDetail span={chosen} />}
      </div>
    </div>
  )
}

/** How the time divides between gateway and backend. */
function sharesOf({ attributes, startMs, endMs }: StoredSpan): readonly Fact[] {
  const overheadMs = attributes['gantry.overhead_ms']
  if (typeof overheadMs !== 'number') return []
  return [
    { name: t('In the gateway'), value: preciseSpan(overheadMs) },
    { name: t('At the backend'), value: preciseSpan(Math.max(0, endMs - startMs - overheadMs)) },
  ]
}

function SpanDetail({ span }: { readonly span: StoredSpan }) {
  const { attributes, events, startMs, endMs } = span
  const requestId = attributes['gantry.request_id']
  const session = attributes['mcp.session_id']
  const keyId = attributes['gantry.key_id']
  return (
    <div className="flex flex-col gap-4">
      <Facts
        title={span.name}
        facts={[
          { name: t('Began'), value: formatMoment(new Date(startMs).toISOString()) },
          { name: t('Took'), value: preciseSpan(endMs - startMs) },
          ...sharesOf(span),
          ...usualFact(span),
          ...(keyId === undefined ? [] : [{ name: t('Key'), value: <CallerKey id={Number(keyId)} /> }]),
          ...Object.entries(attributes).map(([name, value]) => ({
            name,
            value: <code className="font-mono text-xs break-all">{String(value)}</code>,
          })),
        ]}
      />
      {events.length > 0 && (
        <Facts
          title={t('Timeline')}
          facts={events.map((event) => ({
            name: t('after {preciseSpan}', { preciseSpan: preciseSpan(event.atMs - startMs) }),
            value: [eventWords(event.name), ...Object.entries(event.attributes).map((pair) => pair.join(' '))].join(
              ', ',
            ),
          }))}
        />
      )}
      <div className="flex flex-wrap gap-2">
        {requestId !== undefined && (
          <Link to="/calls" search={{ request: String(requestId) }} className={buttonClass({})}>
            {t('Show call')}
          </Link>
        )}
        {session !== undefined && (
          <Link to="/traces" search={{ session: String(session) }} className={buttonClass({})}>
            {t('Show session')}
          </Link>
        )}
      </div>
    </div>
  )
}
