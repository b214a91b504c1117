// The name and the limits of a consumer, new or not.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Consumer, ConsumerInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { digitsOf, useChecked, wholeIn } from '../../ui/use-checked.ts'

type Props = {
  /** Absent for a new one. */
  readonly consumer?: Consumer
  readonly onClose: () => void
  readonly onSubmit: (input: ConsumerInput) => Promise<unknown>
}

export function ConsumerDialog({ open, ...props }: Props & { readonly open: boolean }) {
  const { consumer, onClose } = props
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={consumer ? `Change ${consumer.name}` : 'New consumer'}
      about="A limit left empty is no limit."
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ consumer, onClose, onSubmit }: Props) {
  const [name, setName] = useState(consumer?.name ?? '')
  const [quota, setQuota] = useState(String(consumer?.monthlyQuota ?? ''))
  const [rate, setRate] = useState(String(consumer?.endUserRateLimitPerMin ?? ''))
  const save = useMutation({ mutationFn: onSubmit, onSuccess: onClose })
  const draft = { name, monthlyQuota: wholeIn(quota), endUserRateLimitPerMin: wholeIn(rate) }
  const { problem, submit } = useChecked(ConsumerInput, draft, save.error)
  return (
    <DialogForm
      submit={consumer ? 'Save' : 'Create consumer'}
      busy={save.isPending}
      ready={name.trim() !== ''}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        autoFocus
        required
        maxLength={128}
        placeholder="Level design studio"
        onChange={(event) => setName(event.target.value)}
        error={problem('name')}
      />
      <Field
        label="Calls in a month"
        value={quota}
        inputMode="numeric"
        placeholder="no limit"
        hint="Over all its keys, by the calendar month (UTC). Beyond it calls are refused until the next."
        onChange={(event) => setQuota(digitsOf(event.target.value))}
        error={problem('monthlyQuota')}
      />
      <Field
        label="Calls a minute for each end user"
        value={rate}
        inputMode="numeric"
        placeholder="no limit"
        hint="Counted by the end user that the client names with its calls."
        onChange={(event) => setRate(digitsOf(event.target.value))}
        error={problem('endUserRateLimitPerMin')}
      />
    </DialogForm>
  )
}
