// The form in a dialog: its fields, why the gateway refused, and the two ways out.
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../../language/language.ts'
import { BusyFieldset } from '../BusyFieldset.tsx'
import { Button } from '../Button.tsx'
import { DialogActions, useStaying } from '../Dialog.tsx'
import { ErrorNote } from '../ErrorState.tsx'

const UNSENT_MS = 1_000

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
  /** The answer is shown once: neither Escape, a click outside nor another page closes the dialog before it arrives. */
  readonly once?: boolean
  readonly error: unknown
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const [sent, setSent] = useState(false)
  const stays = once && (busy || sent)
  const stay = useStaying(stays)
  useEffect(() => {
    if (!sent) return
    // `busy` follows the submit a moment later; where it never does, nothing is awaited.
    const timer = setTimeout(() => setSent(false), busy ? 0 : UNSENT_MS)
    return () => clearTimeout(timer)
  }, [sent, busy])
  return (
    <form
      className="pt-1"
      onSubmit={(event) => {
        event.preventDefault()
        if (!ready || busy || stays) return
        if (once) {
          stay()
          setSent(true)
        }
        onSubmit()
      }}
    >
      {stays && <StayHere />}
      <BusyFieldset busy={busy} className="flex flex-col gap-4">
        {children}
        {error !== null && <ErrorNote error={error} />}
      </BusyFieldset>
      <DialogActions>
        <Button onClick={onClose} disabled={stays}>
          {t('Cancel')}
        </Button>
        <Button type="submit" look="strong" busy={busy} disabled={!ready}>
          {submit}
        </Button>
      </DialogActions>
    </form>
  )
}

/** No link, shortcut or step back in history leaves the page, and the browser asks before it closes the tab. */
function StayHere() {
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true })
  return null
}
