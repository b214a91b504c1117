// One of many, found by typing: for lists too long to look through.
import { Combobox } from '@base-ui/react/combobox'
import { ChevronsUpDown } from 'lucide-react'
import { useId } from 'react'
import { cx } from './cx.ts'
import { inputClass } from './Field.tsx'
import type { Option } from './Select.tsx'

/** Beyond this many matches nobody looks; the next letter narrows them. */
const SHOWN = 100

export function Picker({
  label,
  hideLabel = false,
  value,
  options,
  placeholder,
  onPick,
  disabled = false,
  error,
  className,
}: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: string | null
  readonly options: readonly Option<string>[]
  /** Said while nothing is picked. */
  readonly placeholder: string
  readonly onPick: (value: string) => void
  readonly disabled?: boolean
  readonly error?: string | undefined
  readonly className?: string
}) {
  const id = useId()
  const picked = options.find((option) => option.value === value) ?? null
  return (
    <div className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <span id={id} className={hideLabel ? 'sr-only' : 'text-xs font-medium text-ink-2'}>
        {label}
      </span>
      <Combobox.Root
        items={options}
        value={picked}
        limit={SHOWN}
        disabled={disabled}
        autoHighlight
        isItemEqualToValue={(one: Option<string>, other: Option<string>) => one.value === other.value}
        onValueChange={(next: Option<string> | null) => next && onPick(next.value)}
      >
        <Combobox.Trigger
          aria-labelledby={`${id} ${id}-value`}
          aria-invalid={error ? true : undefined}
          className={cx(
            inputClass,
            'flex items-center justify-between gap-2 text-left data-popup-open:border-ring data-disabled:opacity-60',
          )}
        >
          <span id={`${id}-value`} className={cx('truncate', !picked && !value && 'text-ink-3')}>
            {/* What was picked may be gone from the list by now. */}
            {picked?.label ?? (value || placeholder)}
          </span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        </Combobox.Trigger>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} align="start" className="z-60">
            <Combobox.Popup aria-label={label} className="pop float w-[max(var(--anchor-width),18rem)] max-w-[90vw]">
              <Combobox.Input
                aria-label={`Find: ${label}`}
                placeholder="Type to find"
                spellCheck={false}
                className="h-9 w-full border-b border-line bg-transparent px-3 text-sm outline-none"
              />
              <Combobox.Empty className="px-3 py-2 text-sm text-ink-3 empty:hidden">
                None goes by that name.
              </Combobox.Empty>
              <Combobox.List className="max-h-72 overflow-y-auto p-1 empty:hidden">
                {(option: Option<string>) => (
                  <Combobox.Item
                    key={option.value}
                    value={option}
                    className="rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover data-selected:font-semibold"
                  >
                    <span className="block truncate">{option.label}</span>
                    {option.about && (
                      <span className="block truncate text-xs font-normal text-ink-3">{option.about}</span>
                    )}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {error && <span className="text-xs text-bad">{error}</span>}
    </div>
  )
}
