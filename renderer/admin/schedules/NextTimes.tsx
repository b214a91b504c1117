// The next runs of a schedule while it is edited: in the time zone of the reader, and in its own if that differs.
import { timesOf } from '#contract'
import { formatAgo } from '../../ui/format.ts'
import { useNow } from '../../ui/RelativeTime.tsx'
import { cronInWords } from './cron-words.ts'
import { ownZone } from './labels.ts'

const SHOWN = 5

/** `Mon 2026-11-23 12:45` in a time zone, with fixed width. */
function momentIn(zone: string): (time: number) => string {
  const weekday = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'short' })
  const moment = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return (time) => `${weekday.format(time)} ${moment.format(time)}`
}

export function NextTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const now = useNow()
  const times = timesOf({ cron, timezone }, now, SHOWN)
  if (times.length === 0) return null
  const here = momentIn(ownZone())
  const there = timezone === ownZone() ? undefined : momentIn(timezone)
  return (
    <section aria-label="Next times" aria-live="polite" className="rounded-md bg-hover px-3 py-2 text-sm">
      <p className="flex items-baseline justify-between gap-3">
        <span className="font-medium first-letter:uppercase">{cronInWords(cron)}</span>
        {there && <span className="text-xs text-ink-3">Your time · there</span>}
      </p>
      <ol className="pt-1.5 text-xs leading-5 text-ink-2 tabular-nums">
        {times.map((time) => {
          const iso = new Date(time).toISOString()
          return (
            <li key={time} className="grid grid-cols-[9.5rem_1fr_auto] items-baseline gap-x-3">
              <time dateTime={iso}>{here(time)}</time>
              <span className="text-ink-3">{formatAgo(iso, now)}</span>
              {there && <span className="text-ink-3">{there(time)}</span>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
