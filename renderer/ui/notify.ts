// Short messages at the edge of the window: what was done, with the way back, and what failed.
import { toast } from 'sonner'
import { t } from '../language/language.ts'
import { faultOf, reportOf } from './fault.ts'

const UNDO_MS = 8000

export function notifyDone(message: string, undo?: () => Promise<unknown>): void {
  toast.success(
    message,
    undo && {
      duration: UNDO_MS,
      action: { label: t('Undo'), onClick: () => void undo().then(() => notifyDone(t('Undone')), notifyError) },
    },
  )
}

/** Something wants a person: shown until it is looked at or put away. */
export function notifyWaiting(message: string, look: () => void): void {
  toast.warning(message, { duration: 30_000, action: { label: t('Look'), onClick: look } })
}

export function notifyError(error: unknown): void {
  const fault = faultOf(error)
  toast.error(fault.message, {
    description: fault.requestId
      ? t('{code} · request {requestId}', { code: fault.code, requestId: fault.requestId })
      : fault.code,
    duration: 12_000,
    action: { label: t('Copy'), onClick: () => void navigator.clipboard.writeText(reportOf(fault)) },
  })
}
