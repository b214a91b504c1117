// Progress between 0 and `max`; empty if unknown.
export function ProgressBar({
  label,
  value,
  max = 1,
}: {
  readonly label: string
  readonly value: number | null
  readonly max?: number
}) {
  return (
    <progress
      aria-label={label}
      max={max}
      {...(value === null ? {} : { value })}
      className="h-1.5 w-28 appearance-none overflow-hidden rounded-full bg-pressed [&::-moz-progress-bar]:bg-brand [&::-webkit-progress-bar]:bg-pressed [&::-webkit-progress-value]:bg-brand"
    />
  )
}
