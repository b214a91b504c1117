// The name and the limits of a guard policy, new or not.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type GuardPolicy, PolicyInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { digitsOf, useChecked, wholeIn } from '../../ui/use-checked.ts'

type Props = {
  /** Absent for a new one. */
  readonly policy?: GuardPolicy
  readonly onClose: () => void
  readonly onSubmit: (input: PolicyInput) => Promise<unknown>
}

export function PolicyDialog({ open, ...props }: Props & { readonly open: boolean }) {
  const { policy, onClose } = props
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={policy ? `Change ${policy.name}` : 'New policy'}
      about="A limit left empty leaves each tool its own."
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ policy, onClose, onSubmit }: Props) {
  const [name, setName] = useState(policy?.name ?? '')
  const [rate, setRate] = useState(String(policy?.rateLimitPerMin ?? ''))
  const [timeout, setTimeout] = useState(String(policy?.timeoutMs ?? ''))
  const save = useMutation({ mutationFn: onSubmit, onSuccess: onClose })
  const draft = { name, rateLimitPerMin: wholeIn(rate), timeoutMs: wholeIn(timeout) }
  const { problem, submit } = useChecked(PolicyInput, draft, save.error)
  return (
    <DialogForm
      submit={policy ? 'Save' : 'Create policy'}
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
        placeholder="Slow and careful"
        onChange={(event) => setName(event.target.value)}
        error={problem('name')}
      />
      <Field
        label="Calls per minute"
        value={rate}
        inputMode="numeric"
        placeholder="leave each tool its own"
        onChange={(event) => setRate(digitsOf(event.target.value))}
        error={problem('rateLimitPerMin')}
      />
      <Field
        label="Time for one attempt, in ms"
        value={timeout}
        inputMode="numeric"
        placeholder="leave each tool its own"
        hint="At most 600,000: ten minutes."
        onChange={(event) => setTimeout(digitsOf(event.target.value))}
        error={problem('timeoutMs')}
      />
    </DialogForm>
  )
}
