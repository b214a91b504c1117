// A labelled multi-line input in a monospaced font.
import { Field as Base } from '@base-ui/react/field'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import { inputClass } from './Field.tsx'

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'children'> & {
  readonly label: string
  readonly hideLabel?: boolean
  readonly hint?: ReactNode
  readonly error?: ReactNode
}

export function TextArea({ label, hideLabel = false, hint, error, className, ...area }: TextAreaProps) {
  return (
    <Base.Root invalid={Boolean(error)} className="flex flex-col gap-1.5">
      <Base.Label className={hideLabel ? 'sr-only' : 'text-xs font-medium text-ink-2'}>{label}</Base.Label>
      <Base.Control
        render={
          <textarea
            spellCheck={false}
            {...area}
            className={cx(inputClass, 'h-auto! min-h-24 resize-y py-2 font-mono text-xs leading-5', className)}
          />
        }
        aria-invalid={error ? true : undefined}
      />
      {hint && !error && <Base.Description className="text-xs text-ink-3">{hint}</Base.Description>}
      {error && (
        <Base.Error match className="text-xs text-bad">
          {error}
        </Base.Error>
      )}
    </Base.Root>
  )
}
