// The dialog of a guard policy: name and limits.
import { type GuardPolicy, PolicyInput } from '#contract'
import { t } from '../../language/language.ts'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { usePolicyChanges } from './use-policy-changes.ts'

const OWN = { placeholder: t('keep each tool’s own') } as const

const FORM = formOf(PolicyInput, {
  name: { label: t('Name'), placeholder: t('Slow and careful') },
  rateLimitPerMin: { label: t('Calls per minute'), ...OWN },
  timeoutMs: { label: t('Timeout per attempt, in ms'), hint: t('At most 600,000: ten minutes.'), ...OWN },
})

export function PolicyDialog(dialog: RecordDialogProps<GuardPolicy>) {
  const { create, change } = usePolicyChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      noun={t('policy')}
      about={t('Leave a limit empty to keep each tool’s own.')}
      form={FORM}
      submit={dialog.record ? t('Save') : t('Create policy')}
      onSubmit={async (input, base) => {
        if (base)
          await change(base, input, ({ name }) =>
            t('{name} was changed; tools it was applied to keep their limits', { name }),
          )
        else lead(`/policies/${(await create(input)).id}`)
      }}
    />
  )
}
