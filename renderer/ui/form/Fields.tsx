// The fields of a form, each in the control of its kind.
import { Fragment, type Ref } from 'react'
import { t } from '../../language/language.ts'
import { Checkbox } from '../Checkbox.tsx'
import { TextArea, Field as TextField } from '../Field.tsx'
import { Select } from '../Select.tsx'
import { type Draft, type Field, isAsked } from './fields.ts'

type Drawn = {
  readonly draft: Draft
  readonly problemOf: (path: string) => string | undefined
  /** Whether the browser marks what is required; a form that lists its problems after a try does not. */
  readonly strict: boolean
  /** Only read. */
  readonly disabled?: boolean
  readonly onChange: (draft: Draft) => void
}

export function Fields({
  fields,
  ref,
  isNew,
  columns,
  ...rest
}: Drawn & {
  readonly ref?: Ref<HTMLDivElement>
  readonly fields: readonly Field[]
  readonly isNew: boolean
  readonly columns: 1 | 2
}) {
  const { draft } = rest
  return (
    <div ref={ref} className="grid grid-cols-2 gap-4">
      {fields
        .filter((field) => isAsked(field, draft) && (isNew || !field.createOnly))
        .map((field) => (
          <Fragment key={field.path}>
            <div className={isHalf(field, draft, columns) ? 'min-w-0' : 'col-span-2 min-w-0 empty:hidden'}>
              <Control field={field} {...rest} />
            </div>
            {field.below && <div className="col-span-2 min-w-0 empty:hidden">{field.below(draft)}</div>}
          </Fragment>
        ))}
    </div>
  )
}

function isHalf({ kind, wide, half }: Field, draft: Draft, columns: 1 | 2): boolean {
  if (columns === 2)
    return !(wide === true || kind === 'json' || kind === 'long' || kind === 'lines' || kind === 'flag')
  return typeof half === 'function' ? half(draft) : half === true
}

const UNSET = ''
/** Longer limits are reported as a problem: an address must not be truncated when it is pasted. */
const CUT_OFF = 1024

function Control({ field, draft, problemOf, strict, disabled = false, onChange }: Drawn & { readonly field: Field }) {
  const { path, kind, required, preset, range, maxLength, options = {}, secret, code, draw } = field
  const textOf = (text: Field['hint']): string | undefined => (typeof text === 'function' ? text(draft) : text)
  const label = textOf(field.label) ?? path
  const value = draft[path] ?? ''
  const error = field.check?.(draft) ?? problemOf(path)
  const emptied = Object.fromEntries((field.resets ?? []).map((other) => [other, '']))
  const change = (next: unknown): void => onChange({ ...draft, ...(next === draft[path] ? {} : emptied), [path]: next })
  const problemIn = (inner: string): string | undefined => problemOf(`${path}.${inner}`)
  if (draw) return draw({ value: draft[path], draft, error, disabled, problemIn, onChange: change })
  if (kind === 'flag') return <Checkbox label={label} checked={value === true} disabled={disabled} onChange={change} />
  const text = String(value)
  if (kind === 'choice')
    return (
      <Select
        label={label}
        value={text}
        options={[
          ...(required || preset !== undefined || UNSET in options ? [] : [{ value: UNSET, label: '–' }]),
          ...Object.entries(options).map(([each, option]) => ({
            value: each,
            ...(typeof option === 'string' ? { label: option } : option),
          })),
        ]}
        onChange={change}
      />
    )
  const hint = textOf(field.hint)
  if (field.stored && draft[field.stored] === true)
    return <StoredSecret label={label} hint={field.storedHint} value={value} error={error} onChange={change} />
  const common = { label, hint, value: text, error, required: strict && required }
  if (kind === 'json' || kind === 'long' || kind === 'lines' || field.rows !== undefined)
    return (
      <TextArea
        {...common}
        spellCheck={false}
        placeholder={textOf(field.placeholder)}
        rows={field.rows ?? (kind === 'json' ? 7 : 8)}
        onChange={(event) => change(event.target.value)}
      />
    )
  return (
    <TextField
      {...common}
      type={secret ? 'password' : 'text'}
      autoComplete={secret ? 'new-password' : 'off'}
      spellCheck={code || secret || kind === 'number' || kind === 'words' ? false : undefined}
      className={field.mono ? 'font-mono' : undefined}
      autoCapitalize={code ? 'none' : undefined}
      inputMode={kind === 'number' ? (field.whole ? 'numeric' : 'decimal') : 'text'}
      maxLength={maxLength !== undefined && maxLength <= CUT_OFF ? maxLength : undefined}
      placeholder={textOf(field.placeholder) ?? range}
      onChange={(event) =>
        change(strict && kind === 'number' ? digits(event.target.value, field.whole) : event.target.value)
      }
    />
  )
}

const digits = (text: string, whole: boolean): string => text.replaceAll(whole ? /\D/g : /[^\d.]/g, '').slice(0, 15)

/** A secret that the gateway stores and never returns: kept, replaced or removed. */
function StoredSecret({
  label,
  hint,
  value,
  error,
  onChange,
}: {
  readonly label: string
  readonly hint: string | undefined
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (next: string | boolean) => void
}) {
  const removed = value === false
  return (
    <div className="grid gap-2">
      <TextField
        label={label}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        value={typeof value === 'string' ? value : ''}
        disabled={removed}
        placeholder={removed ? t('it will be removed') : t('one is stored')}
        hint={hint}
        onChange={(event) => onChange(event.target.value)}
        error={error}
      />
      <Checkbox
        label={t('Remove the stored one')}
        checked={removed}
        onChange={(remove) => onChange(remove ? false : '')}
      />
    </div>
  )
}
