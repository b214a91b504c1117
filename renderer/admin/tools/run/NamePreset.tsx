// A name for arguments that are worth keeping.
import { useState } from 'react'
import { Dialog } from '../../../ui/Dialog.tsx'
import { DialogForm } from '../../../ui/DialogForm.tsx'
import { Field } from '../../../ui/Field.tsx'

export function NamePreset({
  open,
  onClose,
  onName,
}: {
  readonly open: boolean
  readonly onClose: () => void
  readonly onName: (name: string) => void
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Save these arguments"
      about="In this browser, for you. What looks like a secret is left out."
    >
      {open && <Body onClose={onClose} onName={onName} />}
    </Dialog>
  )
}

function Body({ onClose, onName }: { readonly onClose: () => void; readonly onName: (name: string) => void }) {
  const [name, setName] = useState('')
  const given = name.trim()
  return (
    <DialogForm
      submit="Save"
      busy={false}
      ready={given !== ''}
      error={null}
      onSubmit={() => onName(given)}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={name}
        required
        maxLength={80}
        placeholder="A pet that exists"
        hint="The same name again replaces what it held."
        onChange={(event) => setName(event.target.value)}
      />
    </DialogForm>
  )
}
