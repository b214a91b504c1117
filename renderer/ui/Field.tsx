// One labelled input, of a line or of several, with its hint and its error; and the look of a bare one.
import { Field as Base } from '@base-ui/react/field'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'

export const inputClass = cx(
  'h-8 w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-ink shadow-card',
  'hover:border-ink-3 focus-visible:border-ring focus-visible:outline-2 focus-visible:-outline-offset-1',
  'disabled:opacity-60 aria-invalid:border-bad-solid',
)

type Words = {
  readonly label: string
  readonly hideLabel?: boolean
  readonly hint?: ReactNode
  readonly error?: ReactNode
}
type FieldProps = Omit<ComponentProps<'input'>, 'children'> &
  Omit<Words, 'hideLabel'> & {
    /** Inside the input, at its end. */
    readonly adornment?: ReactNode
  }

export function Field({ label, hint, error, adornment, className, ...input }: FieldProps) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      <div className="relative">
        <Base.Control
          render={<input {...input} className={cx(inputClass, adornment ? 'pr-9' : '', className)} />}
          aria-invalid={error ? true : undefined}
        />
        {adornment && <div className="absolute inset-y-0 right-0.5 flex items-center">{adornment}</div>}
      </div>
    </Labelled>
  )
}

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'children'> & Words

/** Several lines in a monospaced font. */
export function TextArea({ label, hideLabel, hint, error, className, ...area }: TextAreaProps) {
  return (
    <Labelled label={label} hideLabel={hideLabel} hint={hint} error={error}>
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
    </Labelled>
  )
}

function Labelled({ label, hideLabel = false, hint, error, children }: Words & { readonly children: ReactNode }) {
  return (
    <Base.Root invalid={Boolean(error)} className="flex flex-col gap-1.5">
      <Base.Label className={hideLabel ? 'sr-only' : 'text-xs font-medium text-ink-2'}>{label}</Base.Label>
      {children}
      {hint && !error && <Base.Description className="text-xs text-ink-3">{hint}</Base.Description>}
      {error && (
        <Base.Error match className="text-xs text-bad">
          {error}
        </Base.Error>
      )}
    </Base.Root>
  )
}
