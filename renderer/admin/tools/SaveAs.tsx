// A name for what is worth keeping in this browser: a filter, or arguments.
import { useState } from 'react'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'

type Naming = {
  readonly example: string
  readonly onClose: () => void
  readonly onName: (name: string) => void
}

export function SaveAs({
  open,
  title,
  about,
  ...naming
}: Naming & { readonly open: boolean; readonly title: string; readonly about: string }) {
  return (
    <Dialog open={open} onClose={naming.onClose} title={title} about={about}>
      {open && <Form {...naming} />}
    </Dialog>
  )
}

function Form({ example, onClose, onName }: Naming) {
  const [name, setName] = useState('')
  const given = name.trim()
  return (
    <DialogForm
      submit="Save"
      busy={false}
      ready={given !== ''}
      error={null}
      onSubmit={() => {
        onName(given)
        onClose()
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        required
        maxLength={60}
        placeholder={example}
        hint="The same name again replaces what it held."
        onChange={(event) => setName(event.target.value)}
      />
    </DialogForm>
  )
}
