// A select with optional descriptions.
import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import { useId } from 'react'
import { cx } from './cx.ts'

export type Option<T extends string> = { readonly value: T; readonly label: string; readonly about?: string }

export function Select<T extends string>({
  label,
  hideLabel = false,
  value,
  options,
  onChange,
  className,
}: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T) => void
  readonly className?: string
}) {
  const id = useId()
  return (
    <div className={cx('flex flex-col gap-1.5', className)}>
      <span id={id} className={hideLabel ? 'sr-only' : 'text-xs font-medium text-ink-2'}>
        {label}
      </span>
      <Base.Root items={options} value={value} onValueChange={(next) => next !== null && onChange(next)}>
        <Base.Trigger
          aria-labelledby={id}
          className="flex h-8 w-full items-center justify-between gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm shadow-card hover:border-ink-3 data-popup-open:border-ring"
        >
          <Base.Value className="min-w-0 truncate" />
          <Base.Icon className="shrink-0 text-ink-3">
            <ChevronsUpDown className="size-3.5" />
          </Base.Icon>
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-60">
            <Base.Popup className="pop float max-h-80 min-w-(--anchor-width) overflow-y-auto p-1">
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  className="grid grid-cols-[1rem_1fr] items-start gap-x-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover"
                >
                  <Base.ItemIndicator className="pt-0.5">
                    <Check className="size-4" />
                  </Base.ItemIndicator>
                  <span className="col-start-2">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.about && <span className="block text-xs text-ink-3">{option.about}</span>}
                  </span>
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </div>
  )
}
