// A text input: Enter or blur applies, Escape reverts.
import { useId, useState } from 'react'
import { cx } from '../../../ui/cx.ts'
import { inputClass } from '../../../ui/Field.tsx'
import { type Commit, useHeld } from './use-held.ts'

export function TextInput({
  label,
  value,
  mixed = false,
  suggestions = [],
  wrong,
  onCommit,
  className,
}: {
  readonly label: string
  readonly value: string
  readonly mixed?: boolean
  readonly suggestions?: readonly string[]
  /** Returns why a text is invalid; an invalid text is not applied. */
  readonly wrong?: (text: string) => string | undefined
  readonly onCommit: Commit<string>
  readonly className?: string
}) {
  const list = useId()
  const { shown, commit } = useHeld(value, onCommit)
  const [text, setText] = useState<string | null>(null)
  const problem = text === null ? undefined : wrong?.(text)
  const still = mixed && text === null && shown === value
  function done(): void {
    setText(null)
    if (text !== null && problem === undefined && (mixed || text !== shown)) void commit(text)
  }
  return (
    <>
      <input
        type="text"
        aria-label={label}
        aria-invalid={problem !== undefined || undefined}
        title={problem}
        list={suggestions.length > 0 ? list : undefined}
        spellCheck={false}
        placeholder={still ? 'differ' : undefined}
        value={text ?? (still ? '' : shown)}
        onChange={(event) => setText(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            if (problem === undefined) done()
          }
          if (event.key === 'Escape') setText(null)
        }}
        className={cx(inputClass, 'h-7! px-2! text-xs!', className)}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {problem !== undefined && <span className="text-2xs text-bad">{problem}</span>}
    </>
  )
}
