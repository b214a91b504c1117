// A value of a composite: a path with suggestions, text, or JSON.
import { type ReactNode, useId } from 'react'
import { cx } from '../../ui/cx.ts'
import { inputClass } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { type Source, type Template, withDollars } from './draft.ts'

export type TemplateFieldProps = {
  readonly label: string
  /** Shown after the label, such as the expected type. */
  readonly note?: ReactNode
  readonly template: Template
  /** The meaning of no value. */
  readonly none: string
  readonly paths: readonly string[]
  readonly readOnly: boolean
  readonly error: string | undefined
  readonly onChange: (template: Template) => void
}

export function TemplateField({ label, note, template, none, paths, readOnly, error, onChange }: TemplateFieldProps) {
  const id = useId()
  const sources: readonly { readonly value: Source; readonly label: string; readonly about?: string }[] = [
    { value: 'none', label: none },
    { value: 'path', label: 'A value', about: 'From the input or an earlier step, keeping its type' },
    { value: 'text', label: 'Text', about: 'With values such as ${input.name}' },
    { value: 'json', label: 'JSON', about: 'Literal JSON; {"$ref": "input.name"} inserts a value' },
  ]
  const { source, text } = template
  const field = {
    'aria-label': label,
    'aria-invalid': error ? (true as const) : undefined,
    'aria-describedby': error ? `${id}-error` : undefined,
    value: text,
    readOnly,
    spellCheck: false,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ source, text: event.target.value }),
  }
  return (
    <div className="grid grid-cols-[minmax(8rem,1fr)_10rem_2fr] items-start gap-x-3 gap-y-1">
      <div className="min-w-0 pt-1.5 text-sm">
        <span className="block truncate" title={label}>
          {label}
        </span>
        {note && <span className="block truncate text-2xs text-ink-3">{note}</span>}
      </div>
      {readOnly ? (
        <span className="pt-1.5 text-sm text-ink-2">{sources.find(({ value }) => value === source)?.label}</span>
      ) : (
        <Select
          label={`${label}: comes from`}
          hideLabel
          value={source}
          options={sources}
          onChange={(next) => onChange({ source: next, text: startOf(next, template, paths) })}
        />
      )}
      {source === 'none' ? (
        <span />
      ) : source === 'json' ? (
        <textarea
          {...field}
          rows={Math.min(12, Math.max(2, text.split('\n').length))}
          className={cx(inputClass, 'h-auto! resize-y py-1.5 font-mono text-xs leading-5')}
        />
      ) : (
        <>
          <input
            {...field}
            list={source === 'path' ? `${id}-paths` : undefined}
            placeholder={source === 'path' ? (paths[0] ?? 'input.name') : ''}
            className={cx(inputClass, 'font-mono text-xs!')}
          />
          {source === 'path' && (
            <datalist id={`${id}-paths`}>
              {paths.map((path) => (
                <option key={path} value={path} />
              ))}
            </datalist>
          )}
        </>
      )}
      <DoubleBraces template={template} onReplace={readOnly ? undefined : onChange} />
      {error && (
        <p id={`${id}-error`} className="col-start-3 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

/** Double braces are another program's spelling. */
function DoubleBraces({
  template,
  onReplace,
}: {
  readonly template: Template
  readonly onReplace: ((template: Template) => void) | undefined
}) {
  const dollars = withDollars(template)
  return (
    dollars && (
      <p className="col-start-3 flex flex-wrap items-center gap-x-2 text-xs text-warn">
        {'{{…}} is sent as text. Values are written ${…}.'}
        {onReplace && (
          <button type="button" className="rounded text-link hover:underline" onClick={() => onReplace(dollars)}>
            Replace
          </button>
        )}
      </p>
    )
  )
}

/** Keeps the value if it is valid for the new kind. */
function startOf(next: Source, { source, text }: Template, paths: readonly string[]): string {
  if (next === 'none') return ''
  if (source === 'path' && next === 'text' && text !== '') return `\${${text}}`
  if (source === 'path' && next === 'json') return JSON.stringify({ $ref: text })
  if (source === 'text' && next === 'json') return JSON.stringify(text)
  if (next === 'path') return source === 'none' && paths.length === 1 ? (paths[0] ?? '') : ''
  return source === 'none' ? '' : text
}
