// A value of a composite: a reference, text with references, or a fixed value in the control of its schema.
import { type ReactNode, useId, useRef, useState } from 'react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { inputClass } from '../../ui/Field.tsx'
import { SchemaForm } from '../../ui/form/SchemaForm.tsx'
import { isRecord, type Shape, shapeOf } from '../../ui/form/shape.ts'
import { type Option, Select } from '../../ui/Select.tsx'
import { jsonIn, type Source, type Template, withDollars } from './draft.ts'
import { ReferencePicker } from './ReferencePicker.tsx'
import { type Reference, referenceIn } from './references.ts'

export type TemplateFieldProps = {
  readonly label: string
  /** Shown after the label, such as the expected type. */
  readonly note?: ReactNode
  readonly template: Template
  /** The meaning of no value. */
  readonly none: string
  readonly references: readonly Reference[]
  /** Of a fixed value; `root` holds the definitions it refers to. */
  readonly schema?: unknown
  readonly root?: unknown
  readonly readOnly: boolean
  readonly error: string | undefined
  readonly onChange: (template: Template) => void
}

/** A text needs no fixed value beside it; a value without a schema is JSON. */
function sourcesOf(none: string, kind: Shape['kind'], present: Source): readonly Option<Source>[] {
  const all: readonly (Option<Source> & { readonly shown: boolean })[] = [
    { value: 'none', label: none, shown: true },
    {
      value: 'path',
      label: t('Reference'),
      about: t('A value of the input or an earlier step, with its type'),
      shown: true,
    },
    {
      value: 'text',
      label: t('Text'),
      about: t('With references such as ${input.name}'),
      shown: kind === 'text' || kind === 'json' || kind === 'union',
    },
    kind === 'json' || kind === 'text'
      ? {
          value: 'json',
          label: t('JSON'),
          about: t('Fixed JSON; {"$ref": "input.name"} inserts a value'),
          shown: kind === 'json',
        }
      : { value: 'json', label: t('Fixed value'), about: t('Entered here'), shown: true },
  ]
  return all.filter(({ value, shown }) => shown || value === present).map(({ shown: _shown, ...option }) => option)
}

export function TemplateField(props: TemplateFieldProps) {
  const { label, note, template, none, references, schema, root, readOnly, error, onChange } = props
  const id = useId()
  const { source, text } = template
  const kind = schema === undefined ? 'json' : shapeOf(schema, root).kind
  const sources = sourcesOf(none, kind, source)
  return (
    <div className="grid grid-cols-[minmax(6rem,1fr)_9rem_2fr] items-start gap-x-3 gap-y-1">
      <div className="min-w-0 pt-1.5 text-sm">
        <span className="block truncate" title={label}>
          {label}
        </span>
        {note && <span className="line-clamp-2 text-2xs text-ink-3">{note}</span>}
      </div>
      {readOnly ? (
        <span className="pt-1.5 text-sm text-ink-2">{sources.find(({ value }) => value === source)?.label}</span>
      ) : (
        <Select
          label={t('{label}: comes from', { label })}
          hideLabel
          value={source}
          options={sources}
          onChange={(next) => onChange({ source: next, text: startOf(next, template, references, kind) })}
        />
      )}
      <Value key={source} {...props} kind={kind} errorId={error ? `${id}-error` : undefined} />
      <DoubleBraces template={{ source, text }} onReplace={readOnly ? undefined : onChange} />
      {error && (
        <p id={`${id}-error`} className="col-start-3 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

type ValueProps = TemplateFieldProps & { readonly kind: Shape['kind']; readonly errorId: string | undefined }

function Value(props: ValueProps) {
  const { label, template, kind, references, readOnly, onChange } = props
  const [asJson, setAsJson] = useState(false)
  const typed = template.source === 'json' && kind !== 'json' && !readOnly
  const inForm = typed && !asJson && (template.text.trim() === '' || jsonIn(template.text) !== undefined)
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  return (
    <div className="flex min-w-0 items-start gap-1">
      <div className="min-w-0 grow">
        {inForm ? <FixedValue {...props} /> : <Written {...props} field={field} />}
        {typed && (
          <Button look="quiet" size="sm" className="mt-1" onClick={() => setAsJson(inForm)}>
            {inForm ? t('Edit as JSON') : t('Edit as a form')}
          </Button>
        )}
      </div>
      {!readOnly && (
        <ReferencePicker
          label={label}
          references={references}
          onPick={(path) => onChange(inserted(template, path, inForm ? null : field.current))}
        />
      )}
    </div>
  )
}

/** Text at the selection; everything else is replaced. */
function inserted({ source, text }: Template, path: string, field: HTMLInputElement | null): Template {
  if (!field || (source !== 'text' && source !== 'json')) return { source: 'path', text: path }
  const [from, to] = [field.selectionStart ?? text.length, field.selectionEnd ?? text.length]
  const written = source === 'text' ? `\${${path}}` : JSON.stringify({ $ref: path })
  return { source, text: text.slice(0, from) + written + text.slice(to) }
}

function Written({
  label,
  template: { source, text },
  references,
  readOnly,
  errorId,
  field,
  onChange,
}: ValueProps & { readonly field: React.RefObject<(HTMLInputElement & HTMLTextAreaElement) | null> }) {
  const id = useId()
  if (source === 'none') return null
  const shared = {
    ref: field,
    'aria-label': label,
    'aria-invalid': errorId ? (true as const) : undefined,
    'aria-describedby': errorId,
    value: text,
    readOnly,
    spellCheck: false,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ source, text: event.target.value }),
  }
  if (source === 'json')
    return (
      <textarea
        {...shared}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        className={cx(inputClass, 'h-auto! resize-y py-1.5 font-mono text-xs leading-5')}
      />
    )
  return (
    <>
      <input
        {...shared}
        list={source === 'path' ? `${id}-paths` : undefined}
        placeholder={source === 'path' ? (references[0]?.path ?? 'input.name') : ''}
        className={cx(inputClass, 'font-mono text-xs!')}
      />
      {source === 'path' && (
        <datalist id={`${id}-paths`}>
          {references.map(({ path }) => (
            <option key={path} value={path} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** By the schema of the argument; each value inside may be a reference. */
function FixedValue({ label, template, schema, root, references, onChange }: ValueProps) {
  return (
    <SchemaForm
      schema={isRecord(schema) ? { ...schema, description: undefined } : schema}
      root={root}
      name={label.replace(/ \*$/, '')}
      substitute={{
        textOf: referenceIn,
        valueOf: (path) => ({ $ref: path }),
        renderPicker: (name, onPick) => (
          <ReferencePicker label={name} references={references} onPick={(path) => onPick({ $ref: path })} />
        ),
      }}
      value={jsonIn(template.text)?.value}
      onChange={(value) =>
        onChange({ source: 'json', text: value === undefined ? '' : JSON.stringify(value, null, 2) })
      }
    />
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
        {t('{{…}} is sent as text. Values are written ${…}.')}
        {onReplace && (
          <button type="button" className="rounded text-link hover:underline" onClick={() => onReplace(dollars)}>
            {t('Replace')}
          </button>
        )}
      </p>
    )
  )
}

/** Keeps the value if it is valid for the new source. */
function startOf(
  next: Source,
  { source, text }: Template,
  references: readonly Reference[],
  kind: Shape['kind'],
): string {
  if (next === 'none') return ''
  if (source === 'path' && next === 'text' && text !== '') return `\${${text}}`
  if (next === 'json' && kind !== 'json') return ''
  if (source === 'path' && next === 'json') return JSON.stringify({ $ref: text })
  if (source === 'text' && next === 'json') return JSON.stringify(text)
  if (next === 'path') return source === 'none' && references.length === 1 ? (references[0]?.path ?? '') : ''
  return source === 'none' ? '' : text
}
