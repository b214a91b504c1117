// The dialog of a guard policy: name and limits.
import { type GuardPolicy, PolicyInput } from '#contract'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog, type RecordDialogProps } from '../../ui/form/RecordForm.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { usePolicyChanges } from './use-policy-changes.ts'

const OWN = { placeholder: 'keep each tool’s own' } as const

const FORM = formOf(PolicyInput, {
  name: { label: 'Name', placeholder: 'Slow and careful' },
  rateLimitPerMin: { label: 'Calls per minute', ...OWN },
  timeoutMs: { label: 'Timeout per attempt, in ms', hint: 'At most 600,000: ten minutes.', ...OWN },
})

export function PolicyDialog(dialog: RecordDialogProps<GuardPolicy>) {
  const { create, change } = usePolicyChanges()
  const lead = useLead()
  return (
    <RecordDialog
      {...dialog}
      noun="policy"
      about="Leave a limit empty to keep each tool’s own."
      form={FORM}
      submit={dialog.record ? 'Save' : 'Create policy'}
      onSubmit={async (input, base) => {
        if (base)
          await change(base, input, ({ name }) => `${name} was changed; tools it was applied to keep their limits`)
        else lead(`/policies/${(await create(input)).id}`)
      }}
    />
  )
}
