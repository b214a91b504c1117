// An error: message, code, request id and remedy.
import { CircleAlert, RotateCw } from 'lucide-react'
import { desktopBridge } from '../api/desktop.ts'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { CopyButton } from './CopyButton.tsx'
import { cx } from './cx.ts'
import { type Fault, faultOf, reportOf } from './fault.ts'

/** Replaces the content. */
export function ErrorState({
  error,
  title = t('This could not be loaded'),
  onRetry,
}: {
  readonly error: unknown
  readonly title?: string
  readonly onRetry?: () => void
}) {
  const fault = faultOf(error)
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 grid size-9 place-items-center rounded-full bg-bad-soft text-bad">
        <CircleAlert className="size-5" />
      </span>
      <p className="text-base font-semibold">{title}</p>
      <p className="mt-1 text-sm text-ink-2">{fault.message}</p>
      <Reference fault={fault} className="mt-3 justify-center" />
      {onRetry && (
        <Button className="mt-4" onClick={onRetry}>
          <RotateCw />
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

/** Inside a form or dialog. */
export function ErrorNote({ error, className }: { readonly error: unknown; readonly className?: string }) {
  const fault = faultOf(error)
  // A single field is often the whole message.
  const fields = fault.fields.filter(({ message }) => !fault.message.includes(message))
  return (
    <div role="alert" className={cx('rounded-md bg-bad-soft px-3 py-2.5 text-sm', className)}>
      <div className="flex gap-2">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
        <div className="min-w-0 grow">
          <p className="text-ink">{fault.message}</p>
          {fields.length > 0 && (
            <ul className="mt-1 text-xs text-ink-2">
              {fields.map((field) => (
                <li key={field.path}>
                  <code className="font-mono">{field.path}</code> {field.message}
                </li>
              ))}
            </ul>
          )}
          <Reference fault={fault} className="mt-1" />
        </div>
      </div>
    </div>
  )
}

/** Desktop only: a browser cannot open the server's log. */
function OpenLog() {
  const desktop = desktopBridge()
  return (
    desktop && (
      <button
        type="button"
        className="rounded font-sans text-link hover:underline"
        onClick={() => void desktop.showFolder('logs')}
      >
        {t('Open log')}
      </button>
    )
  )
}

function Reference({ fault, className }: { readonly fault: Fault; readonly className?: string }) {
  return (
    <p className={cx('flex flex-wrap items-center gap-x-2 font-mono text-2xs text-ink-2', className)}>
      <span className="font-semibold text-bad">{fault.code}</span>
      <CopyButton text={reportOf(fault)} label={t('Copy error')} />
      <OpenLog />
      {fault.requestId && (
        <span className="w-full break-all">{t('request {requestId}', { requestId: fault.requestId })}</span>
      )}
    </p>
  )
}
