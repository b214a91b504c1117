// A number input: type, step with arrows, or drag; one drag is one change.
import { type KeyboardEvent, useState } from 'react'
import { t } from '../../../language/language.ts'
import { cx } from '../../../ui/cx.ts'
import { inputClass } from '../../../ui/Field.tsx'
import { clamped, type NumberRange, numberIn, numberText, stepOf } from '../../model/scrub.ts'
import { type Commit, useHeld } from './use-held.ts'
import { useNumberDrag } from './use-number-drag.ts'

export type NumberInputProps = NumberRange & {
  readonly label: string
  readonly value: number
  readonly mixed?: boolean
  readonly onCommit: Commit<number>
  /** Shows what a value would make, while it is dragged. */
  readonly onPreview?: ((value: number) => void) | undefined
  readonly className?: string
}

/** The value after an arrow key. */
function stepped({ key, shiftKey }: KeyboardEvent, from: number, range: NumberRange): number | undefined {
  const way = key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : 0
  return way === 0 ? undefined : clamped(from + way * stepOf(from, range) * (shiftKey ? 10 : 1), range)
}

export function NumberInput({
  label,
  value,
  mixed = false,
  onCommit,
  onPreview,
  className,
  ...range
}: NumberInputProps) {
  const held = useHeld(value, onCommit)
  const { shown, commit } = held
  const drag = useNumberDrag({ ...held, mixed, range, onCommit, onPreview })
  const [text, setText] = useState<string | null>(null)
  const wrong = text !== null && numberIn(text, range) === undefined

  function done(): void {
    const next = text === null ? undefined : numberIn(text, range)
    setText(null)
    if (next !== undefined && (mixed || next !== shown)) void commit(next)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') {
      // Ends typing without submitting the surrounding form.
      event.preventDefault()
      if (!wrong) done()
    }
    if (event.key === 'Escape') setText(null)
    const next = stepped(event, (text === null ? undefined : numberIn(text, range)) ?? shown, range)
    if (next === undefined) return
    event.preventDefault()
    setText(numberText(next))
  }
  const still = mixed && text === null && shown === value
  return (
    <input
      type="text"
      role="spinbutton"
      inputMode="decimal"
      aria-label={label}
      aria-valuenow={shown}
      aria-valuemin={range.min}
      aria-valuemax={range.max}
      aria-invalid={wrong || undefined}
      title={t('Drag to change, Shift finer, Ctrl coarser')}
      placeholder={still ? t('differ') : undefined}
      value={text ?? (still ? '' : numberText(shown))}
      onChange={(event) => setText(event.target.value)}
      onBlur={done}
      onKeyDown={onKeyDown}
      {...drag}
      className={cx(inputClass, 'h-7! px-2! text-xs! tabular-nums not-focus:cursor-ew-resize', className)}
    />
  )
}
