// The name and the limits of a guard policy, new or not.
import { type GuardPolicy, PolicyInput } from '#contract'
import { LimitsDialog } from '../../ui/LimitsDialog.tsx'

export function PolicyDialog({
  policy,
  ...rest
}: {
  readonly open: boolean
  /** Absent for a new one. */
  readonly policy?: GuardPolicy
  readonly onClose: () => void
  readonly onSubmit: (input: PolicyInput, base: GuardPolicy | undefined) => Promise<unknown>
}) {
  return (
    <LimitsDialog
      noun="policy"
      about="A limit left empty leaves each tool its own."
      schema={PolicyInput}
      record={policy}
      example="Slow and careful"
      unlimited="leave each tool its own"
      limits={[
        { key: 'rateLimitPerMin', label: 'Calls per minute' },
        {
          key: 'timeoutMs',
          label: 'Time for one attempt, in ms',
          hint: 'At most 600,000: ten minutes.',
        },
      ]}
      {...rest}
    />
  )
}
