// Asks for the name of a bundle that is to be.
import { useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { useSending } from '../../ui/use-mounted.ts'

type Props = {
  readonly title: string
  readonly submit: string
  readonly withDescription?: boolean
  readonly onClose: () => void
  readonly onSubmit: (name: string, description: string) => Promise<unknown>
}

export function NameDialog({ open, ...props }: Props & { readonly open: boolean }) {
  return (
    <Dialog open={open} onClose={props.onClose} title={props.title}>
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ submit, withDescription = false, onClose, onSubmit }: Omit<Props, 'title'>) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const save = useSending(() => onSubmit(name, description), onClose)
  return (
    <DialogForm
      submit={submit}
      busy={save.isPending}
      ready={name !== ''}
      error={save.error}
      onSubmit={() => save.mutate(undefined)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        required
        spellCheck={false}
        placeholder="level-design"
        hint={`Lower-case letters, digits, - and _. Clients connect to /mcp-custom/${name || '…'}`}
        onChange={(event) => setName(event.target.value.trim())}
        error={fieldProblem(save.error, 'name')}
      />
      {withDescription && (
        <Field
          label="What it is for (optional)"
          value={description}
          maxLength={1024}
          onChange={(event) => setDescription(event.target.value)}
        />
      )}
    </DialogForm>
  )
}
