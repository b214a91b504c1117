// Two to four numbers side by side.
import { NumberInput, type NumberInputProps } from './NumberInput.tsx'
import { type Commit, useHeld } from './use-held.ts'

const AXES = ['X', 'Y', 'Z', 'W'] as const

export const numbersOf = (value: unknown): readonly number[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'number') : [0, 0, 0]

type Props = Omit<NumberInputProps, 'value' | 'onCommit' | 'onPreview'> & {
  readonly value: readonly number[]
  readonly onCommit: Commit<readonly number[]>
  readonly onPreview?: ((value: readonly number[]) => void) | undefined
}

export function VectorInput({ label, value, onCommit, onPreview, ...rest }: Props) {
  // Each edit starts from the last value set, even before the editor was re-read.
  const { shown, commit } = useHeld(value, onCommit)
  return (
    <div role="group" aria-label={label} className="flex gap-1">
      {AXES.slice(0, shown.length).map((axis, index) => (
        <NumberInput
          key={axis}
          {...rest}
          label={`${label} ${axis}`}
          value={shown[index] ?? 0}
          onCommit={(next) => commit(shown.with(index, next))}
          onPreview={onPreview && ((next) => onPreview(shown.with(index, next)))}
        />
      ))}
    </div>
  )
}
