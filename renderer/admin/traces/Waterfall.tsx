// The spans of a trace on a timeline; arrow keys move between them.
import type { KeyboardEvent } from 'react'
import type { StoredSpan, TraceStage } from '#contract'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { STAGE_LABELS } from './stage-labels.ts'
import { useUsualStage, usualWords } from './Usual.tsx'
import { type Bar, eventWords, preciseSpan } from './waterfall.ts'

const NAME = 'w-[34%] shrink-0'
const NUMBER = 'w-16 shrink-0 text-right'

/** In the gateway, waiting, at the backend. */
const STAGE_FILLS: Readonly<Record<TraceStage['name'], string>> = {
  guards: 'bg-ink-3',
  approval: 'bg-warn-solid',
  queue: 'bg-warn-solid',
  backoff: 'bg-warn-solid',
  attempt: 'bg-ok-solid',
  connect: 'bg-info-solid',
  tls: 'bg-info-solid',
  wait: 'bg-ok-solid',
  body: 'bg-ok-solid',
}

const FILLS = { 0: 'bg-ink-3', 1: 'bg-ok-solid', 2: 'bg-bad-solid' } as const
const ENDS = { 0: t('was cancelled'), 1: t('worked'), 2: t('failed') } as const

export function Waterfall({
  bars,
  wholeMs,
  chosen,
  onChoose,
}: {
  readonly bars: readonly Bar[]
  readonly wholeMs: number
  readonly chosen: string | undefined
  readonly onChoose: (span: StoredSpan) => void
}) {
  return (
    <section aria-label={t('Timeline')} className="card overflow-hidden">
      <div aria-hidden className="flex gap-3 border-b border-line px-4 py-2 text-xs text-ink-3">
        <span className={NAME} />
        <span className="flex grow justify-between">
          <span>0</span>
          <span>{preciseSpan(wholeMs / 2)}</span>
          <span>{preciseSpan(wholeMs)}</span>
        </span>
        <span className={NUMBER}>{t('Took')}</span>
        <span className={NUMBER}>{t('Usual')}</span>
      </div>
      <ul>
        {bars.map((bar, index) => (
          <li key={`${bar.span.spanId} ${bar.stage ? index : ''}`}>
            {bar.stage ? (
              <StageRow bar={bar} stage={bar.stage} />
            ) : (
              <Row bar={bar} chosen={bar.span.spanId === chosen} onChoose={() => onChoose(bar.span)} />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Row({
  bar,
  chosen,
  onChoose,
}: {
  readonly bar: Bar
  readonly chosen: boolean
  readonly onChoose: () => void
}) {
  const { span, depth, left, width } = bar
  const { startMs, endMs, statusCode, events } = span
  const took = preciseSpan(endMs - startMs)
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={onChoose}
      onKeyDown={toNeighbour}
      className={cx('flex h-9 w-full items-center gap-3 px-4 text-left hover:bg-hover', chosen && 'bg-hover')}
    >
      <span className={cx(NAME, 'truncate font-mono text-xs')} style={{ paddingLeft: `${depth}rem` }}>
        {String(span.attributes['mcp.tool'] ?? 'unknown')}
        <span className="sr-only"> {ENDS[statusCode]}</span>
      </span>
      <span className="relative h-4 grow rounded-sm bg-sunken">
        <span
          className={cx('absolute inset-y-0 rounded-sm', FILLS[statusCode])}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
        {events.map((event) => (
          <span
            key={`${event.name} ${event.atMs}`}
            title={eventWords(event.name)}
            className="absolute top-1/2 size-2 -translate-x-1/2 -translate-y-1/2 rotate-45 border border-surface bg-warn-solid"
            style={{ left: `${left + (width * (event.atMs - startMs)) / (endMs - startMs || 1)}%` }}
          />
        ))}
      </span>
      <span className={cx(NUMBER, 'text-xs text-ink-2')}>{took}</span>
      <span className={NUMBER} />
    </button>
  )
}

/** A part of the span above it. */
function StageRow({ bar, stage }: { readonly bar: Bar; readonly stage: TraceStage }) {
  const { span, depth, left, width } = bar
  const { name, attempt, failed, startMs, endMs } = stage
  const usual = useUsualStage(span, name)
  const tookMs = endMs - startMs
  const slow = usual !== undefined && tookMs > usual.p95Ms
  return (
    <div className="flex h-7 items-center gap-3 px-4 text-xs text-ink-2">
      <span className={cx(NAME, 'truncate')} style={{ paddingLeft: `${depth}rem` }}>
        {name === 'attempt' ? t('Attempt {number}', { number: attempt ?? 1 }) : t(STAGE_LABELS[name])}
        {failed && <span className="text-bad"> {t('failed')}</span>}
      </span>
      <span className="relative h-2 grow rounded-sm bg-sunken">
        <span
          className={cx('absolute inset-y-0 rounded-sm', failed ? 'bg-bad-solid' : STAGE_FILLS[name])}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
      </span>
      <span className={cx(NUMBER, slow && 'text-warn')}>{preciseSpan(tookMs)}</span>
      <span className={cx(NUMBER, 'text-ink-3')} title={usual && usualWords(usual)}>
        {usual && preciseSpan(usual.p50Ms)}
      </span>
    </div>
  )
}

function toNeighbour(event: KeyboardEvent<HTMLButtonElement>): void {
  const way = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const
  const step = event.key === 'ArrowDown' || event.key === 'ArrowUp' ? way[event.key] : undefined
  if (step === undefined) return
  // Stages between spans are no buttons.
  let item = event.currentTarget.parentElement?.[step]
  while (item && !item.querySelector('button')) item = item[step]
  if (!item) return
  event.preventDefault()
  item.querySelector('button')?.focus()
}
