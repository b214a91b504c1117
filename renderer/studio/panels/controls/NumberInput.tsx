// A number input: type, step with arrows, or drag; one drag is one change.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { cx } from '../../../ui/cx.ts'
import { inputClass } from '../../../ui/Field.tsx'
import { clamped, type NumberRange, numberIn, numberText, scrubbed, stepOf } from '../../model/scrub.ts'
import { isLive, liveDrag } from './live-drag.ts'
import { onEscape } from './on-escape.ts'
import { type Commit, useHeld } from './use-held.ts'

/** A shorter drag is a click. */
const DRAG_PIXELS = 3

export type NumberInputProps = NumberRange & {
  readonly label: string
  readonly value: number
  readonly mixed?: boolean
  readonly onCommit: Commit<number>
  readonly className?: string
}

/** The value after an arrow key. */
function stepped({ key, shiftKey }: KeyboardEvent, from: number, range: NumberRange): number | undefined {
  const way = key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : 0
  return way === 0 ? undefined : clamped(from + way * stepOf(from, range) * (shiftKey ? 10 : 1), range)
}

export function NumberInput({ label, value, mixed = false, onCommit, className, ...range }: NumberInputProps) {
  const { shown, hold, release, commit } = useHeld(value, onCommit)
  const [text, setText] = useState<string | null>(null)
  const drag = useRef<{
    readonly from: number
    readonly value: number
    readonly end: () => void
    readonly live: ReturnType<typeof liveDrag<number>> | null
    moved: boolean
  } | null>(null)
  // The form can unmount during a drag; Escape then has another meaning.
  useEffect(() => () => drag.current?.end(), [])
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
  const onPointerDown = (event: PointerEvent<HTMLInputElement>): void => {
    if (event.button !== 0 || document.activeElement === event.currentTarget) return
    // A click focuses the input, a drag does not.
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    const live = isLive() && !mixed ? liveDrag(onCommit) : null
    drag.current = { from: event.clientX, value: shown, end: onEscape(letGo), live, moved: false }
  }
  /** Back to the previous value, also where the drag applied others. */
  function letGo(): void {
    const now = drag.current
    now?.end()
    drag.current = null
    release()
    if (now?.moved) now.live?.put(now.value)
    void now?.live?.end()
  }
  const onPointerMove = (event: PointerEvent<HTMLInputElement>): void => {
    const now = drag.current
    if (!now) return
    now.moved ||= Math.abs(event.clientX - now.from) >= DRAG_PIXELS
    if (!now.moved) return
    const next = scrubbed(now.value, event.clientX - now.from, range, event)
    hold(next)
    if (next !== shown) now.live?.put(next)
  }
  const onPointerUp = (event: PointerEvent<HTMLInputElement>): void => {
    const now = drag.current
    drag.current = null
    if (!now) return
    now.end()
    if (now.moved && now.live) return void now.live.end().then(release)
    void now.live?.end()
    if (!now.moved) {
      event.currentTarget.focus()
      event.currentTarget.select()
    } else if (mixed || shown !== now.value) void commit(shown)
    else release()
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
      title="Drag to change, Shift finer, Ctrl coarser"
      placeholder={still ? 'differ' : undefined}
      value={text ?? (still ? '' : numberText(shown))}
      onChange={(event) => setText(event.target.value)}
      onBlur={done}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={letGo}
      className={cx(inputClass, 'h-7! px-2! text-xs! tabular-nums not-focus:cursor-ew-resize', className)}
    />
  )
}
