// Relative time from one shared clock; exact time on hover.
import { useSyncExternalStore } from 'react'
import { cx } from './cx.ts'
import { formatAgo, formatMoment } from './format.ts'

const TICK_MS = 10_000
const watchers = new Set<() => void>()
let nowMs = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function watch(notify: () => void): () => void {
  watchers.add(notify)
  if (timer === undefined) {
    nowMs = Date.now()
    timer = setInterval(() => {
      nowMs = Date.now()
      for (const each of watchers) each()
    }, TICK_MS)
  }
  return () => {
    watchers.delete(notify)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The shared clock. */
export const useNow = (): number => useSyncExternalStore(watch, () => nowMs)

export function RelativeTime({ at, className }: { readonly at: string; readonly className?: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={formatMoment(at)} className={cx('whitespace-nowrap', className)}>
      {formatAgo(at, now)}
    </time>
  )
}
