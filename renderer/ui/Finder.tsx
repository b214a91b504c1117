// A combobox with server-side search, for lists of any length.
import { Combobox } from '@base-ui/react/combobox'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Check, ChevronsUpDown, Search } from 'lucide-react'
import { useId, useState } from 'react'
import { t } from '../language/language.ts'
import { cx } from './cx.ts'
import { faultOf } from './fault.ts'
import type { Option } from './Select.tsx'
import { useDebounced } from './use-debounced.ts'

/** A search result: the first matches, and whether there are more. */
export type Matches<T> = { readonly items: readonly T[]; readonly more: boolean }

export type FinderProps = {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: Option<string> | null
  /** The placeholder. */
  readonly placeholder: string
  /** The query key; events invalidate its first word. */
  readonly queryKey: readonly string[]
  readonly find: (q: string) => Promise<Matches<Option<string>>>
  readonly onPick: (option: Option<string>) => void
  /** Shown for an empty list. */
  readonly none: string
  readonly disabled?: boolean
  readonly error?: string | undefined
  readonly className?: string
}

export function Finder({
  label,
  hideLabel = false,
  value,
  placeholder,
  queryKey,
  find,
  onPick,
  none,
  disabled = false,
  error,
  className,
}: FinderProps) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const q = useDebounced(typed.trim())
  const found = useQuery({
    queryKey: [...queryKey, 'pick', q],
    queryFn: () => find(q),
    enabled: open,
    placeholderData: keepPreviousData,
  })
  const items = found.data?.items ?? []
  return (
    <div className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <span id={id} className={hideLabel ? 'sr-only' : 'text-xs font-medium text-ink-2'}>
        {label}
      </span>
      <Combobox.Root
        items={items}
        // The gateway has already filtered.
        filter={null}
        autoHighlight
        disabled={disabled}
        value={value}
        isItemEqualToValue={(a, b) => a.value === b.value}
        inputValue={typed}
        onInputValueChange={setTyped}
        onValueChange={(option) => option && onPick(option)}
        open={open}
        onOpenChange={(next) => {
          setOpen(next)
          if (next) setTyped('')
        }}
      >
        <Combobox.Trigger
          aria-labelledby={id}
          aria-invalid={error ? true : undefined}
          className="flex h-8 w-full items-center justify-between gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-left text-sm shadow-card hover:border-ink-3 aria-invalid:border-bad-solid data-disabled:opacity-60 data-popup-open:border-ring"
        >
          <span className={cx('truncate', !value && 'text-ink-3')}>{value?.label ?? placeholder}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        </Combobox.Trigger>
        <FinderPopup label={label} status={statusOf({ q, none, error: found.error, matches: found.data })} />
      </Combobox.Root>
      {error && <span className="text-xs text-bad">{error}</span>}
    </div>
  )
}

function FinderPopup({ label, status }: { readonly label: string; readonly status: string | null }) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} align="start" className="z-60">
        <Combobox.Popup aria-label={label} className="pop float w-(--anchor-width) min-w-64 overflow-hidden">
          <div className="flex items-center gap-2 border-b border-line px-2.5">
            <Search aria-hidden className="size-4 shrink-0 text-ink-3" />
            <Combobox.Input
              aria-label={t('Find: {label}', { label })}
              placeholder={t('Type to find')}
              spellCheck={false}
              className="h-9 w-full bg-transparent text-sm outline-none"
            />
          </div>
          <Combobox.List className="max-h-72 overflow-y-auto p-1 empty:p-0">
            {(option: Option<string>) => (
              <Combobox.Item
                key={option.value}
                value={option}
                className="grid grid-cols-[1rem_1fr] items-start gap-x-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover"
              >
                <Combobox.ItemIndicator className="pt-0.5">
                  <Check className="size-4" />
                </Combobox.ItemIndicator>
                <span className="col-start-2 min-w-0">
                  <span className="block truncate">{option.label}</span>
                  {option.about && <span className="block truncate text-xs text-ink-3">{option.about}</span>}
                </span>
              </Combobox.Item>
            )}
          </Combobox.List>
          <Combobox.Status className="border-t border-line px-3 py-1.5 text-xs text-ink-3 empty:hidden">
            {status}
          </Combobox.Status>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  )
}

export function statusOf({
  q,
  none,
  error,
  matches,
}: {
  readonly q: string
  readonly none: string
  readonly error: unknown
  readonly matches: Matches<unknown> | undefined
}): string | null {
  if (error) return faultOf(error).message
  if (!matches) return t('Looking…')
  if (matches.items.length === 0) return q === '' ? none : t('Nothing matches “{q}”.', { q })
  return matches.more ? t('There are more: type to narrow them down.') : null
}
