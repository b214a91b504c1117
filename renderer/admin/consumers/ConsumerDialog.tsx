// The name and the limits of a consumer, new or not.
import { type Consumer, ConsumerInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { useConsumerChanges } from './use-consumer-changes.ts'

const FORM = formOf(ConsumerInput, {
  name: { label: 'Name', placeholder: 'Level design studio' },
  monthlyQuota: {
    label: 'Calls in a month',
    placeholder: 'no limit',
    hint: 'Over all its keys, by the calendar month (UTC). Beyond it calls are refused until the next.',
  },
  endUserRateLimitPerMin: {
    label: 'Calls a minute for each end user',
    placeholder: 'no limit',
    hint: 'Counted by the end user that the client names with its calls.',
  },
})

export function ConsumerDialog({
  consumer,
  ...dialog
}: {
  readonly open: boolean
  /** Absent for a new one. */
  readonly consumer?: Consumer
  readonly onClose: () => void
}) {
  const { create, change } = useConsumerChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      title={consumer ? `Change ${consumer.name}` : 'New consumer'}
      about="A limit left empty is no limit."
      form={FORM}
      record={consumer}
      submit={consumer ? 'Save' : 'Create consumer'}
      what={consumer?.name}
      onSubmit={async (input, base) => {
        if (base) await change(base, input)
        else lead(`/consumers/${(await create(input)).id}`)
      }}
    />
  )
}
