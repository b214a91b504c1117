// A menu of actions behind a button.
import { Menu as Base } from '@base-ui/react/menu'
import { Check, Ellipsis, type LucideIcon, Pencil, Power, PowerOff, Trash2 } from 'lucide-react'
import { Fragment, type ReactElement, type ReactNode } from 'react'
import { t } from '../language/language.ts'
import { IconButton } from './Button.tsx'
import { cx } from './cx.ts'
import { type Question, useAsk } from './Dialog.tsx'
import { notifyError } from './notify.ts'

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
          <Base.Popup className="pop float max-h-(--available-height) min-w-48 overflow-y-auto p-1">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

export type MenuEntry = { readonly label: string; readonly icon: LucideIcon; readonly disabled?: boolean } & (
  | { readonly run: () => unknown }
  /** A destructive action with confirmation. */
  | { readonly ask: Question }
)

type RecordActions = {
  /** Opens the dialog that changes it. */
  readonly onChange?: () => void
  readonly toggle?: {
    readonly on: boolean
    /** The labels of the entry while the record is on, and while it is off. */
    readonly labels?: readonly [string, string]
    readonly disabled?: boolean
    readonly run: (on: boolean) => unknown
  }
  readonly entries?: readonly (MenuEntry | false)[]
  readonly deletion?: Omit<Question, 'title' | 'confirm'> & {
    readonly noun: string
    /** Its word is Remove instead of Delete. */
    readonly removes?: true
  }
}

function deletionOf(name: string, { noun, removes, ...question }: NonNullable<RecordActions['deletion']>) {
  const words = removes
    ? { label: t('Remove…'), title: t('Remove {name}?', { name }), confirm: t('Remove {noun}', { noun }) }
    : { label: t('Delete…'), title: t('Delete {name}?', { name }), confirm: t('Delete {noun}', { noun }) }
  return { label: words.label, icon: Trash2, ask: { title: words.title, confirm: words.confirm, ...question } }
}

function entriesOf(name: string, { onChange, toggle, entries = [], deletion }: RecordActions): readonly MenuEntry[] {
  const [off, on] = toggle?.labels ?? [t('Disable'), t('Enable')]
  const given = entries.filter((entry) => entry !== false)
  return [
    ...given.filter((entry) => 'run' in entry),
    onChange && { label: t('Change…'), icon: Pencil, run: onChange },
    toggle && {
      label: toggle.on ? off : on,
      icon: toggle.on ? PowerOff : Power,
      disabled: toggle.disabled ?? false,
      run: () => toggle.run(!toggle.on),
    },
    ...given.filter((entry) => 'ask' in entry),
    deletion && deletionOf(name, deletion),
  ].filter((entry) => entry !== undefined)
}

/** The actions of a record, harmless ones first. */
export function RecordMenu({
  name,
  align = 'end',
  ...actions
}: RecordActions & { readonly name: string; readonly align?: 'start' | 'end' }) {
  const ask = useAsk()
  const shown = entriesOf(name, actions)
  const firstHarm = shown.findIndex((entry) => 'ask' in entry)
  const choose = async (entry: MenuEntry) => {
    try {
      await ('ask' in entry ? ask(entry.ask) : entry.run())
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    // Clicks on the menu must not open the row.
    <div className="-my-1.5" onClick={(event) => event.stopPropagation()}>
      <Menu
        align={align}
        trigger={
          <IconButton label={t('Actions for {name}', { name })} size="sm">
            <Ellipsis />
          </IconButton>
        }
      >
        {shown.map((entry, at) => (
          <Fragment key={entry.label}>
            {at === firstHarm && <MenuSeparator />}
            <MenuItem
              danger={'ask' in entry}
              icon={<entry.icon />}
              {...(entry.disabled && { disabled: true })}
              onSelect={() => void choose(entry)}
            >
              {entry.label}
            </MenuItem>
          </Fragment>
        ))}
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
      className={cx(itemClass, danger && 'text-bad data-highlighted:bg-bad-soft [&_svg]:text-bad!')}
    >
      {icon}
      {children}
    </Base.Item>
  )
}

/** Stays open for several choices. */
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

/** Items under a heading. */
export function MenuGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className="eyebrow px-2 pt-2 pb-1">{title}</Base.GroupLabel>
      {children}
    </Base.Group>
  )
}

export function MenuSeparator() {
  return <Base.Separator className="mx-1 my-1 h-px bg-line" />
}
