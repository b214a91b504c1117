// One labelled input with its hint and its error, and the bare input for toolbars.
import { Field as Base } from '@base-ui/react/field'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'

export const inputClass = cx(
  'h-8 w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-ink shadow-card',
  'hover:border-ink-3 focus-visible:border-ring focus-visible:outline-2 focus-visible:-outline-offset-1',
  'disabled:opacity-60 aria-invalid:border-bad-solid',
)

type FieldProps = Omit<ComponentProps<'input'>, 'children'> & {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: ReactNode
  /** Inside the input, at its end. */
  readonly adornment?: ReactNode
}

export function Field({ label, hint, error, adornment, className, ...input }: FieldProps) {
  return (
    <Base.Root invalid={Boolean(error)} className="flex flex-col gap-1.5">
      <Base.Label className="text-xs font-medium text-ink-2">{label}</Base.Label>
      <div className="relative">
        <Base.Control
          render={<input {...input} className={cx(inputClass, adornment ? 'pr-9' : '', className)} />}
          aria-invalid={error ? true : undefined}
        />
        {adornment && <div className="absolute inset-y-0 right-0.5 flex items-center">{adornment}</div>}
      </div>
      {hint && !error && <Base.Description className="text-xs text-ink-3">{hint}</Base.Description>}
      {error && (
        <Base.Error match className="text-xs text-bad">
          {error}
        </Base.Error>
      )}
    </Base.Root>
  )
}
