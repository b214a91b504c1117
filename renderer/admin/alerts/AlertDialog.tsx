// The dialog of an alert rule: condition, webhook, and how often it would have fired in the last day.
import { AlertInput, type AlertRule } from '#contract'
import { type Draft, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { FindBackend } from '../backends/FindBackend.tsx'
import { COUNTED, type CountedEvent, EVENTS, isCounted } from './labels.ts'
import { useAlertChanges } from './use-alert-changes.ts'
import { WouldFire } from './WouldFire.tsx'

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
