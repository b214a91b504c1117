// The dialog of a consumer: name and limits.
import { type Consumer, ConsumerInput } from '#contract'
import { t } from '../../language/language.ts'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { useConsumerChanges } from './use-consumer-changes.ts'

const FORM = formOf(ConsumerInput, {
  name: { label: t('Name'), placeholder: t('Level design studio') },
  monthlyQuota: {
    label: t('Monthly quota'),
    placeholder: t('no limit'),
    hint: t('For all its keys, per calendar month (UTC). Further calls are refused until the next month.'),
  },
  endUserRateLimitPerMin: {
    label: t('Calls per minute and end user'),
    placeholder: t('no limit'),
    hint: t('Per end user named by the client.'),
  },
})

export function ConsumerDialog(dialog: RecordDialogProps<Consumer>) {
  const { create, change } = useConsumerChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      noun={t('consumer')}
      about={t('Leave a field empty for no limit.')}
      form={FORM}
      submit={dialog.record ? t('Save') : t('Create consumer')}
      onSubmit={async (input, base) => {
        if (base) await change(base, input)
        else lead(`/consumers/${(await create(input)).id}`)
      }}
    />
  )
}
