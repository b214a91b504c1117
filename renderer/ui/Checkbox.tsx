// A checkbox, with a mixed state for differing values.
import { Checkbox as Base } from '@base-ui/react/checkbox'
import { Check, Minus } from 'lucide-react'
import { cx } from './cx.ts'

export function Checkbox({
  label,
  hideLabel = false,
  checked,
  mixed = false,
  disabled,
  onChange,
}: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly checked: boolean
  readonly mixed?: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}) {
  const box = (
    <Base.Root
      aria-label={hideLabel ? label : undefined}
      checked={checked}
      indeterminate={mixed}
      disabled={disabled}
      onCheckedChange={onChange}
      className={cx(
        'grid size-4 shrink-0 place-items-center rounded border border-line-strong bg-surface text-on-strong shadow-card',
        'data-checked:border-transparent data-checked:bg-strong data-indeterminate:border-transparent data-indeterminate:bg-strong data-disabled:opacity-50',
      )}
    >
      <Base.Indicator className="[&_svg]:size-3" keepMounted={false}>
        {mixed ? <Minus strokeWidth={3} /> : <Check strokeWidth={3} />}
      </Base.Indicator>
    </Base.Root>
  )
  if (hideLabel) return box
  return (
    <label className="flex items-center gap-2 text-sm">
      {box}
      {label}
    </label>
  )
}
