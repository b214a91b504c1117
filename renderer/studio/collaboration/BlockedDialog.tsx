// A step that could not be undone because of later changes: skip it, or undo the part that is possible.
import { useState } from 'react'
import { useStore } from 'zustand'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { counted } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { useGestures } from '../use-gestures.ts'

/** Mounted once, by the page. */
export function BlockedDialog() {
  const { gestures } = useGestures()
  const blocked = useStore(gestures.state, (state) => state.blocked)
  const [busy, setBusy] = useState(false)
  if (!blocked) return null
  const { pile, step, message } = blocked
  const verb = pile === 'done' ? t('undone') : t('redone')
  async function part(): Promise<void> {
    setBusy(true)
    try {
      const { applied, left } = await gestures.resolveBlocked('part')
      notifyDone(`${applied} of ${counted(applied + left, 'change')} ${verb}`)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={() => void gestures.resolveBlocked('keep')}
      title={t('“{label}” cannot be {verb}', { label: step.label, verb })}
    >
      <p role="alert" className="text-sm text-ink-2">
        {message}
      </p>
      <p className="pt-3 text-sm text-ink-2">
        {t('Skip this step to reach the ones before it. Nothing is overwritten.')}
      </p>
      <DialogActions>
        <Button disabled={busy} onClick={() => void gestures.resolveBlocked('keep')}>
          {t('Cancel')}
        </Button>
        <Button busy={busy} onClick={() => void part()}>
          {t('Apply the possible part')}
        </Button>
        <Button look="strong" disabled={busy} onClick={() => void gestures.resolveBlocked('skip')}>
          {t('Skip this step')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
