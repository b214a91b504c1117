// A time chart: stacked bars or lines, with range selection by drag or keys.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../../language/language.ts'
import { cx } from '../cx.ts'
import { formatMoment } from '../format.ts'
import { labelled, linePath, pointAt, type Series, type SeriesTone, topOf } from './shape.ts'

const FILLS: Readonly<Record<SeriesTone, string>> = {
  ok: 'fill-ok-solid',
  bad: 'fill-bad-solid',
  warn: 'fill-warn-solid',
  info: 'fill-info-solid',
  ink: 'fill-ink-3',
}
const STROKES: Readonly<Record<SeriesTone, string>> = {
  ok: 'stroke-ok-solid',
  bad: 'stroke-bad-solid',
  warn: 'stroke-warn-solid',
  info: 'stroke-info-solid',
  ink: 'stroke-ink-3',
}

const HEIGHT = 132
const LABEL_PX = 88
/** The width of a label itself. */
const TEXT_PX = 40
const DAY_MS = 86_400_000

/** A moment that something happened, drawn as a line. */
export type ChartMark = { readonly key: number; readonly atMs: number; readonly title: string }

export type TimeChartProps = {
  readonly title: string
  readonly kind: 'bars' | 'lines'
  /** Start and duration of each point. */
  readonly times: readonly number[]
  readonly widthMs: number
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** The selected point, shared by all charts of the page. */
  readonly at: number | null
  readonly onAt: (at: number | null) => void
  readonly onZoom: (fromMs: number, toMs: number) => void
  readonly marks?: readonly ChartMark[]
}

type Chosen = { readonly from: number; readonly to: number }

export function TimeChart(props: TimeChartProps) {
  const { title, times, widthMs, format, at, onAt, onZoom } = props
  const plot = useRef<HTMLDivElement>(null)
  const width = useWidth(plot)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const top = topOf(props.series, props.kind === 'bars')
  const current = at !== null && at < times.length ? at : null

  function zoom() {
    const next = chosen && ordered(chosen)
    setChosen(null)
    const [from, to] = [times[next?.from ?? -1], times[next?.to ?? -1]]
    if (next && next.to > next.from && from !== undefined && to !== undefined) onZoom(from, to + widthMs)
  }
  const under = (event: PointerEvent<HTMLElement>): number =>
    pointAt(event.clientX - event.currentTarget.getBoundingClientRect().left, width, times.length)

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -times.length, End: times.length }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const before = current ?? times.length - 1
      const next = Math.min(times.length - 1, Math.max(0, before + step))
      setChosen(event.shiftKey ? { from: chosen?.from ?? before, to: next } : null)
      onAt(next)
    } else if (event.key === 'Enter') zoom()
    else if (event.key === 'Escape' && chosen) {
      event.stopPropagation()
      setChosen(null)
    }
  }

  return (
    <figure className="card flex min-w-0 flex-col px-4 pt-3 pb-2" aria-label={title}>
      <figcaption className="text-xs font-medium">{title}</figcaption>
      <Legend {...props} current={current} />
      <div className="mt-2 flex gap-2">
        <div
          aria-hidden
          className="flex w-12 shrink-0 flex-col justify-between text-right whitespace-nowrap text-2xs leading-none text-ink-3"
          style={{ height: HEIGHT }}
        >
          <span>{format(top)}</span>
          <span>{format(top / 2) === format(top) ? '' : format(top / 2)}</span>
          <span>{format(0)}</span>
        </div>
        <div
          ref={plot}
          role="slider"
          tabIndex={0}
          aria-label={t('{title}: the moment looked at', { title })}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, times.length - 1)}
          aria-valuenow={current ?? Math.max(0, times.length - 1)}
          aria-valuetext={sentence(current ?? times.length - 1, props)}
          title={t('Drag over a part to look closer; or arrow keys, with Shift to choose, and Enter')}
          className="relative min-w-0 grow cursor-crosshair touch-pan-y rounded-sm select-none"
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            setChosen({ from: under(event), to: under(event) })
          }}
          onPointerMove={(event) => {
            onAt(under(event))
            if (chosen && event.buttons > 0) setChosen({ ...chosen, to: under(event) })
          }}
          onPointerUp={zoom}
          onPointerLeave={() => onAt(null)}
        >
          <Plot {...props} width={width} top={top}>
            <Marked chosen={chosen} current={current} width={width} count={times.length} />
          </Plot>
          <Marks marks={props.marks ?? []} times={times} widthMs={widthMs} />
          <Axis times={times} width={width} />
        </div>
      </div>
    </figure>
  )
}

function Marks({
  marks,
  times,
  widthMs,
}: Pick<TimeChartProps, 'times' | 'widthMs'> & { readonly marks: readonly ChartMark[] }) {
  const from = times[0] ?? 0
  const length = times.length * widthMs
  return marks
    .filter(({ atMs }) => atMs >= from && atMs <= from + length)
    .map(({ key, atMs, title }) => (
      <span
        key={key}
        title={title}
        className="absolute top-0 w-1 -translate-x-1/2 border-l border-dashed border-ink-2"
        style={{ left: `${((atMs - from) / length) * 100}%`, height: HEIGHT }}
      />
    ))
}

function Legend({ series, format, current }: TimeChartProps & { readonly current: number | null }) {
  return (
    <p aria-hidden className="flex gap-x-3 overflow-hidden whitespace-nowrap">
      {series.map(({ name, tone, values }) => (
        <span key={name} className="flex items-center gap-1.5 text-2xs text-ink-2">
          <svg aria-hidden width="8" height="8">
            <rect width="8" height="8" rx="2" className={FILLS[tone]} />
          </svg>
          {name}
          {current !== null && <b className="font-semibold text-ink">{textOf(values[current], format)}</b>}
        </span>
      ))}
    </p>
  )
}

type PlotProps = Pick<TimeChartProps, 'kind' | 'series'> & {
  readonly width: number
  readonly top: number
  /** Drawn below bars and lines. */
  readonly children: ReactNode
}

function Plot({ kind, series, width, top, children }: PlotProps) {
  return (
    <svg aria-hidden width={width} height={HEIGHT} className="block">
      {[0, 0.5, 1].map((part) => (
        <line
          key={part}
          x2={width}
          y1={part * (HEIGHT - 1) + 0.5}
          y2={part * (HEIGHT - 1) + 0.5}
          className="stroke-line"
        />
      ))}
      {children}
      {kind === 'bars' ? (
        <Bars series={series} width={width} top={top} />
      ) : (
        series.map(({ name, tone, values }) => (
          <path
            key={name}
            d={linePath(values, { width, height: HEIGHT, top })}
            className={cx('fill-none', STROKES[tone])}
            strokeWidth={1.5}
            strokeLinejoin="round"
            strokeLinecap="round"
          />
        ))
      )}
    </svg>
  )
}

/** Measures the width, so that the drawing is not stretched. */
function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}

const ordered = ({ from, to }: Chosen): Chosen => ({ from: Math.min(from, to), to: Math.max(from, to) })

const textOf = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value)

function sentence(at: number, { times, series, format }: TimeChartProps): string {
  const t = times[at]
  if (t === undefined) return 'nothing'
  const values = series.map(({ name, values }) => `${name} ${textOf(values[at], format)}`)
  return `${formatMoment(new Date(t).toISOString()).slice(0, 16)}: ${values.join(', ')}`
}

function Marked({
  chosen,
  current,
  width,
  count,
}: {
  readonly chosen: Chosen | null
  readonly current: number | null
  readonly width: number
  readonly count: number
}) {
  const step = width / Math.max(1, count)
  if (!chosen && current === null) return null
  const { from, to } = ordered(chosen ?? { from: current ?? 0, to: current ?? 0 })
  return (
    <rect
      x={from * step}
      width={(to - from + 1) * step}
      height={HEIGHT}
      className={chosen && to > from ? 'fill-info-soft stroke-info-solid' : 'fill-hover'}
    />
  )
}

function Bars({
  series,
  width,
  top,
}: {
  readonly series: readonly Series[]
  readonly width: number
  readonly top: number
}) {
  const count = series[0]?.values.length ?? 0
  const step = width / Math.max(1, count)
  const gap = step > 5 ? 1 : 0
  return Array.from({ length: count }, (_, at) => {
    let below = HEIGHT
    return series.map(({ name, tone, values }) => {
      const value = values[at] ?? 0
      // A single event among thousands stays visible.
      const height = value > 0 ? Math.max(1.5, (value / top) * HEIGHT) : 0
      below -= height
      return height > 0 ? (
        <rect
          key={`${name}-${at}`}
          x={at * step + gap / 2}
          y={below}
          width={Math.max(1, step - gap)}
          height={height}
          className={FILLS[tone]}
        />
      ) : null
    })
  })
}

function Axis({ times, width }: { readonly times: readonly number[]; readonly width: number }) {
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const days = last - first > 2 * DAY_MS
  return (
    <div aria-hidden className="relative mt-1 h-4 text-2xs leading-4 text-ink-3">
      {labelled(times.length, width / LABEL_PX)
        // The last one has room, or is left out.
        .filter((at) => (1 - at / times.length) * width >= TEXT_PX)
        .map((at) => (
          <span key={at} className="absolute whitespace-nowrap" style={{ left: `${(at / times.length) * 100}%` }}>
            {momentOf(times[at] ?? 0, days)}
          </span>
        ))}
    </div>
  )
}

function momentOf(t: number, days: boolean): string {
  const moment = new Date(t)
  return days
    ? moment.toLocaleDateString('en', { day: 'numeric', month: 'short' })
    : formatMoment(moment.toISOString()).slice(11, 16)
}
