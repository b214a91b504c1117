// A menu of actions behind a button.
import { Menu as Base } from '@base-ui/react/menu'
import { Check, Ellipsis } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { IconButton } from './Button.tsx'
import { cx } from './cx.ts'

const itemClass =
  'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-3'

export function Menu({
  trigger,
  align = 'end',
  children,
}: {
  readonly trigger: ReactElement
  readonly align?: 'start' | 'end'
  readonly children: ReactNode
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} className="z-60">
          <Base.Popup className="pop float min-w-48 p-1">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** What can be done with the record of a row. */
export function RowMenu({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    // A row may open on a click; one on its menu must not reach it, nor one inside the menu.
    <div className="-my-1.5" onClick={(event) => event.stopPropagation()}>
      <Menu
        trigger={
          <IconButton label={`Actions for ${name}`} size="sm">
            <Ellipsis />
          </IconButton>
        }
      >
        {children}
      </Menu>
    </div>
  )
}

export function MenuItem({
  icon,
  danger = false,
  disabled,
  onSelect,
  children,
}: {
  readonly icon?: ReactNode
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly onSelect: () => void
  readonly children: ReactNode
}) {
  return (
    <Base.Item
      disabled={disabled}
      onClick={onSelect}
      className={cx(itemClass, danger && 'text-bad data-highlighted:bg-bad-soft [&_svg]:text-bad')}
    >
      {icon}
      {children}
    </Base.Item>
  )
}

/** Stays open: several may be ticked. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} closeOnClick={false} className={itemClass}>
      <span className="grid size-4 place-items-center">
        <Base.CheckboxItemIndicator>
          <Check />
        </Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  )
}

export function MenuSeparator() {
  return <Base.Separator className="mx-1 my-1 h-px bg-line" />
}
