// A tooltip with optional keys.
import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'
import { Kbd } from './Kbd.tsx'

export const TooltipProvider = Base.Provider

export function Tooltip({
  text,
  keys,
  side = 'bottom',
  children,
}: {
  readonly text: ReactNode
  readonly keys?: readonly string[]
  readonly side?: 'top' | 'bottom' | 'left' | 'right'
  readonly children: ReactElement
}) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-60">
          <Base.Popup className="pop float flex max-w-72 items-center gap-2 px-2 py-1 text-xs text-ink">
            {text}
            {keys && <Kbd keys={keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
