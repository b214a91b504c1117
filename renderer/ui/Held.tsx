// Fields on their way to the gateway: until it has answered nothing can be typed, for what is typed would be lost with them.
import { type ReactNode, useLayoutEffect, useRef } from 'react'

export function Held({
  busy,
  className,
  children,
}: {
  readonly busy: boolean
  readonly className: string
  readonly children: ReactNode
}) {
  const fields = useRef<HTMLDivElement>(null)
  /** A refusal gives the field back in which one was. */
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
