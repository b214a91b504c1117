// The name and the limits of a consumer, new or not.
import { type Consumer, ConsumerInput } from '#contract'
import { LimitsDialog } from '../../ui/LimitsDialog.tsx'

export function ConsumerDialog({
  consumer,
  ...rest
}: {
  readonly open: boolean
  /** Absent for a new one. */
  readonly consumer?: Consumer
  readonly onClose: () => void
  readonly onSubmit: (input: ConsumerInput, base: Consumer | undefined) => Promise<unknown>
}) {
  return (
    <LimitsDialog
      noun="consumer"
      about="A limit left empty is no limit."
      schema={ConsumerInput}
      record={consumer}
      example="Level design studio"
      unlimited="no limit"
      limits={[
        {
          key: 'monthlyQuota',
          label: 'Calls in a month',
          hint: 'Over all its keys, by the calendar month (UTC). Beyond it calls are refused until the next.',
        },
        {
          key: 'endUserRateLimitPerMin',
          label: 'Calls a minute for each end user',
          hint: 'Counted by the end user that the client names with its calls.',
        },
      ]}
      {...rest}
    />
  )
}
