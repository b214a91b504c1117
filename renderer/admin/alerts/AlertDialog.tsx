// The dialog of an alert rule: condition, webhook, and how often it would have fired in the last day.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AlertInput, type AlertRule } from '#contract'
import { api } from '../../api/api.ts'
import { type Draft, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { formatCount } from '../../ui/format.ts'
import { FindBackend } from '../backends/FindBackend.tsx'
import { COUNTED, type CountedEvent, EVENTS, isCounted } from './labels.ts'
import { useAlertChanges } from './use-alert-changes.ts'
import { type Asked, timesFired } from './would-fire.ts'

const MINUTE_MS = 60_000
const BUCKET_MS = 5 * MINUTE_MS
const HOUR_POINTS = 12
const DAY_POINTS = 24 * HOUR_POINTS
/** The default windows: five minutes, and the hour before. */
const SPANS = { recent: 1, baseline: HOUR_POINTS }

/** How often a rule would have fired in the last day, shown while it is edited. */
function WouldFire({ asked, client }: { readonly asked: Asked; readonly client: string | null }) {
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

const countedIn = ({ eventType }: Draft): CountedEvent | undefined => (isCounted(eventType) ? eventType : undefined)
const counts = (draft: Draft): boolean => countedIn(draft) !== undefined
const wordsIn = (draft: Draft) => COUNTED[countedIn(draft) ?? 'error_rate']
const numberIn = (value: unknown): number | null => (textIn(value) === '' ? null : Number(value))

const FORM = formOf(AlertInput, {
  name: { label: 'Name', placeholder: 'Payments fail' },
  eventType: { label: 'Condition', options: EVENTS, createOnly: true, resets: ['threshold'] },
  client: {
    label: 'Of',
    draw: ({ value, error, onChange }) => (
      <FindBackend label="Of" every name={textIn(value)} error={error} onPick={(name) => onChange(name || null)} />
    ),
  },
  threshold: {
    label: (draft) => wordsIn(draft).label,
    hint: (draft) => wordsIn(draft).hint,
    placeholder: (draft) => wordsIn(draft).usual,
    when: counts,
    half: true,
  },
  minCalls: {
    label: 'Minimum calls',
    hint: 'Ignored below this many calls.',
    placeholder: ({ eventType }) => (eventType === 'error_rate' ? '10' : '20'),
    when: counts,
    half: true,
  },
  webhookUrl: {
    label: 'Webhook',
    code: true,
    placeholder: 'https://hooks.example/alerts',
    hint: 'We send a POST request to this URL. It is verified when you save.',
    below: (draft) => {
      const eventType = countedIn(draft)
      const [threshold, minCalls] = [numberIn(draft.threshold), numberIn(draft.minCalls)]
      return eventType && <WouldFire asked={{ eventType, threshold, minCalls }} client={textIn(draft.client) || null} />
    },
  },
})

export function AlertDialog(dialog: RecordDialogProps<AlertRule>) {
  const { create, change } = useAlertChanges()
  return (
    <RecordDialog
      {...dialog}
      noun="alert rule"
      about="The webhook is called once when the condition starts, and again if more backends are affected."
      width="max-w-lg"
      form={FORM}
      fresh={{ eventType: 'error_rate' }}
      onSubmit={(input, base) =>
        base ? change(base, input) : create(input, ({ name }) => `${name} watches from now on`)
      }
    />
  )
}
