// The spans of a trace on a timeline; arrow keys move between them.
import type { KeyboardEvent } from 'react'
import type { StoredSpan } from '#contract'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { type Bar, eventWords, preciseSpan } from './waterfall.ts'

const FILLS = { 0: 'bg-ink-3', 1: 'bg-ok-solid', 2: 'bg-bad-solid' } as const
const ENDS = { 0: t('was cancelled'), 1: 'worked', 2: 'failed' } as const

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
      <div aria-hidden className="flex justify-between border-b border-line px-4 py-2 pl-[42%] text-xs text-ink-3">
        <span>0</span>
        <span>{preciseSpan(wholeMs / 2)}</span>
        <span>{preciseSpan(wholeMs)}</span>
      </div>
      <ul>
        {bars.map((bar) => (
          <li key={bar.span.spanId}>
            <Row bar={bar} chosen={bar.span.spanId === chosen} onChoose={() => onChoose(bar.span)} />
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
      <span className="w-[40%] shrink-0 truncate font-mono text-xs" style={{ paddingLeft: `${depth}rem` }}>
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
      <span className="w-20 shrink-0 text-right text-xs text-ink-2">{took}</span>
    </button>
  )
}

function toNeighbour(event: KeyboardEvent<HTMLButtonElement>): void {
  const item = event.currentTarget.parentElement
  const next =
    event.key === 'ArrowDown'
      ? item?.nextElementSibling
      : event.key === 'ArrowUp'
        ? item?.previousElementSibling
        : undefined
  if (!next) return
  event.preventDefault()
  next.querySelector('button')?.focus()
}
