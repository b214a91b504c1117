// What arrived, and what did not, after a copy or a reading.
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button } from '../../ui/Button.tsx'
import { DialogActions } from '../../ui/Dialog.tsx'
import { counted } from '../../ui/format.ts'

export type Missing = { readonly item: string; readonly reason: string; readonly where?: string }

export function Report({
  done,
  lines,
  missing,
  complete,
  action,
  onClose,
}: {
  readonly done: string
  readonly lines: readonly string[]
  readonly missing: readonly Missing[]
  /** In place of the list when nothing is missing. */
  readonly complete: string
  readonly action?: ReactNode
  readonly onClose: () => void
}) {
  return (
    <>
      <div role="status" className="flex flex-col gap-3 text-sm">
        <p className="flex gap-2 font-medium">
          <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
          {done}
        </p>
        <ul aria-label={t('What arrived')} className="flex flex-col gap-1 text-ink-2">
          {lines.map((line) => (
            <li key={line} className="wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
        {missing.length === 0 ? (
          <p className="text-ink-2">{complete}</p>
        ) : (
          <div className="rounded-md bg-warn-soft px-3 py-2.5">
            <p className="flex gap-2 font-medium">
              {rich('{trianglealert}{things} did not arrive', {
                trianglealert: <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />,
                things: counted(missing.length, 'thing'),
              })}
            </p>
            <ul
              aria-label={t('What did not arrive')}
              className="mt-2 flex max-h-56 flex-col gap-1.5 overflow-y-auto text-xs"
            >
              {missing.map(({ item, reason, where }, at) => (
                <li key={at} className="wrap-anywhere">
                  <span className="font-medium">{item}</span>
                  {where !== undefined && <span className="text-ink-2"> {t('in {where}', { where })}</span>}: {reason}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <DialogActions>
        {action}
        <Button look="strong" autoFocus onClick={onClose}>
          {t('Close')}
        </Button>
      </DialogActions>
    </>
  )
}
