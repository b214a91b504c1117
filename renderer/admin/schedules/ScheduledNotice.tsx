// The next scheduled change of a backend or a tool, on its page.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schedule } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { formatMoment } from '../../ui/format.ts'
import { whenOf } from './labels.ts'

type Of = {
  readonly client: string
  /** Absent on the page of the backend. */
  readonly tool?: string
}

/** The next relevant schedule: a tool follows its backend. */
function nextOf(schedules: readonly Schedule[], tool: string | undefined): Schedule | undefined {
  return schedules
    .filter(({ nextRunAt, toolName }) => nextRunAt !== null && (toolName === null || toolName === tool))
    .sort((a, b) => ((a.nextRunAt ?? '') < (b.nextRunAt ?? '') ? -1 : 1))[0]
}

/** `backend`: on the page of a tool, for a schedule of its whole backend. */
function scheduledText(schedule: Schedule, backend: boolean, next: string): string {
  const values = { when: whenOf(schedule), next }
  if (schedule.action === 'enable')
    return backend
      ? t('Scheduled: its backend is enabled {when}; next at {next}.', values)
      : t('Scheduled: it is enabled {when}; next at {next}.', values)
  return backend
    ? t('Scheduled: its backend is disabled {when}; next at {next}.', values)
    : t('Scheduled: it is disabled {when}; next at {next}.', values)
}

export function ScheduledNotice({ client, tool }: Of) {
  const found = useQuery({
    queryKey: ['schedules', 'of', client],
    queryFn: () => api.schedules.list({ query: { client, limit: '200' } }),
  })
  const next = nextOf(found.data?.items ?? [], tool)
  if (next?.nextRunAt == null) return null
  return (
    <p className="mx-6 mb-3 flex items-center gap-3 rounded-md bg-hover px-3 py-2 text-sm">
      <span className="min-w-0 grow break-words">
        {scheduledText(next, next.toolName === null && tool !== undefined, formatMoment(next.nextRunAt).slice(0, 16))}
      </span>
      <Link to="/schedules" search={{ client }} className="shrink-0 rounded text-link underline">
        {t('Its schedules')}
      </Link>
    </p>
  )
}
