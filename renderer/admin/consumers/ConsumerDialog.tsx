// The name and the limits of a consumer, new or not.
import { type Consumer, ConsumerInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
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

export function ConsumerDialog(dialog: RecordDialogProps<Consumer>) {
  const { create, change } = useConsumerChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      noun="consumer"
      about="A limit left empty is no limit."
      form={FORM}
      submit={dialog.record ? 'Save' : 'Create consumer'}
      onSubmit={async (input, base) => {
        if (base) await change(base, input)
        else lead(`/consumers/${(await create(input)).id}`)
      }}
    />
  )
}
