// How often a rule would have fired in the last day, shown while it is edited.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { formatCount } from '../../ui/format.ts'
import { type Asked, timesFired } from './would-fire.ts'

const MINUTE_MS = 60_000
const BUCKET_MS = 5 * MINUTE_MS
const HOUR_POINTS = 12
const DAY_POINTS = 24 * HOUR_POINTS
/** The default windows: five minutes, and the hour before. */
const SPANS = { recent: 1, baseline: HOUR_POINTS }

export function WouldFire({ asked, client }: { readonly asked: Asked; readonly client: string | null }) {
  const { data, isError } = useQuery({
    queryKey: ['usage', 'alert-preview', client],
    queryFn: () =>
      api.usage.timeseries({
        query: {
          from: Date.now() - (DAY_POINTS + HOUR_POINTS) * BUCKET_MS,
          bucketMs: String(BUCKET_MS),
          ...(client === null ? {} : { client }),
        },
      }),
    placeholderData: keepPreviousData,
  })
  if (isError) return <p className="text-xs text-ink-3">The calls of the last day could not be read.</p>
  if (data === undefined) return <p className="text-xs text-ink-3">Looking at the last 24 hours…</p>
  const times = timesFired(asked, data.points, SPANS)
  const calls = data.points.slice(HOUR_POINTS).reduce((sum, point) => sum + point.calls, 0)
  return (
    <p className="rounded-md bg-hover px-3 py-2 text-sm" aria-live="polite">
      {times === 0 ? (
        <>
          Would <b>not</b> have fired
        </>
      ) : (
        <>
          Would have fired <b>{times === 1 ? 'once' : `${formatCount(times)} times`}</b>
        </>
      )}{' '}
      in the last 24 hours, over {formatCount(calls)} {calls === 1 ? 'call' : 'calls'}.
    </p>
  )
}
