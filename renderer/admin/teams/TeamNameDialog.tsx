// Asks for the name of a team, new or not.
import { useState } from 'react'
import { TeamInput } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { useChecked } from '../../ui/use-checked.ts'
import { useSending } from '../../ui/use-mounted.ts'

type Props = {
  readonly title: string
  readonly submit: string
  readonly name?: string
  readonly onClose: () => void
  readonly onSubmit: (name: string) => Promise<unknown>
}

export function TeamNameDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title={props.title}>
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ submit, name: given = '', onClose, onSubmit }: Props) {
  const [name, setName] = useState(given)
  const save = useSending(onSubmit, onClose)
  const { problem, submit: send } = useChecked(TeamInput, { name: name.trim() }, save.error)
  return (
    <DialogForm
      submit={submit}
      busy={save.isPending}
      ready={name.trim() !== '' && name !== given}
      error={save.error}
      onSubmit={() => send((input) => save.mutate(input.name))}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        required
        spellCheck={false}
        placeholder="Level design"
        hint="Letters, digits, spaces, - and _"
        onChange={(event) => setName(event.target.value)}
        error={problem('name')}
      />
    </DialogForm>
  )
}
