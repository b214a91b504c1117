// The dialog of an alert rule: condition, webhook, and how often it would have fired in the last day.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AlertInput, type AlertRule } from '#contract'
import { api } from '../../api/api.ts'
import { plural, t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { type Draft, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
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
  if (isError) return <p className="text-xs text-ink-3">{t('The calls of the last day could not be read.')}</p>
  if (data === undefined) return <p className="text-xs text-ink-3">{t('Looking at the last 24 hours…')}</p>
  const times = timesFired(asked, data.points, SPANS)
  const calls = data.points.slice(HOUR_POINTS).reduce((sum, point) => sum + point.calls, 0)
  return (
    <p className="rounded-md bg-hover px-3 py-2 text-sm" aria-live="polite">
      {times === 0
        ? plural(
            calls,
            'Would not have fired in the last 24 hours, over {count} call.',
            'Would not have fired in the last 24 hours, over {count} calls.',
          )
        : rich('Would have fired {times} in the last 24 hours, over {calls}.', {
            times: <b>{plural(times, 'once', '{count} times')}</b>,
            calls: plural(calls, '{count} call', '{count} calls'),
          })}
    </p>
  )
}

const countedIn = ({ eventType }: Draft): CountedEvent | undefined => (isCounted(eventType) ? eventType : undefined)
const counts = (draft: Draft): boolean => countedIn(draft) !== undefined
const wordsIn = (draft: Draft) => COUNTED[countedIn(draft) ?? 'error_rate']
const numberIn = (value: unknown): number | null => (textIn(value) === '' ? null : Number(value))

const FORM = formOf(AlertInput, {
  name: { label: t('Name'), placeholder: t('Payments fail') },
  eventType: { label: t('Condition'), options: EVENTS, createOnly: true, resets: ['threshold'] },
  client: {
    label: t('Of'),
    draw: ({ value, error, onChange }) => (
      <FindBackend label={t('Of')} every name={textIn(value)} error={error} onPick={(name) => onChange(name || null)} />
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
    label: t('Minimum calls'),
    hint: t('Ignored below this many calls.'),
    placeholder: ({ eventType }) => (eventType === 'error_rate' ? '10' : '20'),
    when: counts,
    half: true,
  },
  webhookUrl: {
    label: t('Webhook'),
    code: true,
    placeholder: t('https://hooks.example/alerts'),
    hint: t('We send a POST request to this URL. It is verified when you save.'),
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
      noun={t('alert rule')}
      about={t('The webhook is called once when the condition starts, and again if more backends are affected.')}
      width="max-w-lg"
      form={FORM}
      fresh={{ eventType: 'error_rate' }}
      onSubmit={(input, base) =>
        base ? change(base, input) : create(input, ({ name }) => t('{name} watches from now on', { name }))
      }
    />
  )
}
