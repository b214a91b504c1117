// Disables a form while its request is in flight, and returns the focus to the field that had it.
import { type ReactNode, useLayoutEffect, useRef } from 'react'

export function BusyFieldset({
  busy,
  className,
  children,
}: {
  readonly busy: boolean
  readonly className: string
  readonly children: ReactNode
}) {
  const fields = useRef<HTMLDivElement>(null)
  /** Restores the focus after a refusal. */
  const left = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (busy) {
      const { activeElement } = document
      left.current =
        activeElement instanceof HTMLElement && fields.current?.contains(activeElement) ? activeElement : null
    } else {
      left.current?.focus()
      left.current = null
    }
  }, [busy])
  return (
    <div ref={fields} inert={busy} className={className}>
      {children}
    </div>
  )
}
