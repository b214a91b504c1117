// A text input: Enter or blur applies, Escape reverts.
import { t } from '../../../language/language.ts'
import { cx } from '../../../ui/cx.ts'
import { inputClass } from '../../../ui/Field.tsx'
import { PickInput } from './PickInput.tsx'
import type { Suggestion } from './suggestions.ts'
import { type Commit, useTyped } from './use-held.ts'

type TextInputProps = {
  readonly label: string
  readonly value: string
  readonly mixed?: boolean
  readonly suggestions?: readonly Suggestion[]
  readonly placeholder?: string | undefined
  /** Returns why a text is invalid; an invalid text is not applied. */
  readonly wrong?: (text: string) => string | undefined
  readonly onCommit: Commit<string>
  readonly className?: string
}

export function TextInput({ suggestions = [], ...props }: TextInputProps) {
  return suggestions.length > 0 ? <PickInput {...props} suggestions={suggestions} /> : <PlainInput {...props} />
}

function PlainInput({
  label,
  value,
  mixed = false,
  placeholder,
  wrong,
  onCommit,
  className,
}: Omit<TextInputProps, 'suggestions'>) {
  const { text, setText, problem, still, shown, done } = useTyped({ value, mixed, wrong, onCommit })
  return (
    <>
      <input
        type="text"
        aria-label={label}
        aria-invalid={problem !== undefined || undefined}
        title={problem}
        spellCheck={false}
        placeholder={still ? t('differ') : placeholder}
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
      {problem !== undefined && <span className="text-2xs text-bad">{problem}</span>}
    </>
  )
}
