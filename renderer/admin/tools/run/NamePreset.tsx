// A name for arguments that are worth keeping.
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../../ui/Dialog.tsx'
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
    <form
      className="pt-1"
      onSubmit={(event) => {
        event.preventDefault()
        if (given) onName(given)
      }}
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
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="strong" disabled={!given}>
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
