// The form in a dialog: its fields, why the gateway refused, and the two ways out.
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { DialogActions, useStaying } from './Dialog.tsx'
import { ErrorNote } from './ErrorState.tsx'
import { Held } from './Held.tsx'

export function DialogForm({
  submit,
  busy,
  ready = true,
  once = false,
  error,
  onSubmit,
  onClose,
  children,
}: {
  readonly submit: string
  readonly busy: boolean
  /** False while something is missing that the gateway would refuse. */
  readonly ready?: boolean
  /** What comes back is shown once: nobody closes the dialog before it is there. */
  readonly once?: boolean
  readonly error: unknown
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const stays = once && busy
  useStaying(stays)
  return (
    <form
      className="pt-1"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready && !busy) onSubmit()
      }}
    >
      <Held busy={busy} className="flex flex-col gap-4">
        {children}
        {error !== null && <ErrorNote error={error} />}
      </Held>
      <DialogActions>
        <Button onClick={onClose} disabled={stays}>
          Cancel
        </Button>
        <Button type="submit" look="strong" busy={busy} disabled={!ready}>
          {submit}
        </Button>
      </DialogActions>
    </form>
  )
}
