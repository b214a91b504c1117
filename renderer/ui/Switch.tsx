// A switch with immediate effect.
import { Switch as Base } from '@base-ui/react/switch'

export function Switch({
  label,
  word,
  on,
  disabled,
  onChange,
}: {
  readonly label: string
  /** A visible label, if the context is not enough. */
  readonly word?: string
  readonly on: boolean
  readonly disabled?: boolean
  readonly onChange: (on: boolean) => void
}) {
  return (
    // Must not open the row around it.
    <span
      className="inline-flex items-center gap-2 align-middle text-sm text-ink-2"
      onClick={(event) => event.stopPropagation()}
    >
      {word}
      <Base.Root
        aria-label={label}
        checked={on}
        disabled={disabled}
        onCheckedChange={onChange}
        className="flex h-4.5 w-8 rounded-full bg-line-strong p-0.5 data-checked:bg-ok-solid data-disabled:opacity-50"
      >
        <Base.Thumb className="size-3.5 rounded-full bg-[oklch(1_0_0)] shadow-card transition-transform data-checked:translate-x-3.5" />
      </Base.Root>
    </span>
  )
}
