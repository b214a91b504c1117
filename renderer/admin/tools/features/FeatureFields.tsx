// The fields of one feature, each in the control that suits it.
import type { ToolExample } from '#contract'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { TextArea } from '../../../ui/TextArea.tsx'
import type { FeatureDraft, FeatureField } from './draft.ts'

type Drawn = {
  /** The examples of the tool, for a field that names one. */
  readonly examples: readonly ToolExample[]
  readonly draft: FeatureDraft
  readonly problemOf: (path: string) => string | undefined
  readonly onChange: (draft: FeatureDraft) => void
}

export function FeatureFields({ fields, draft, ...rest }: Drawn & { readonly fields: readonly FeatureField[] }) {
  return (
    <div className="grid grid-cols-2 gap-4">
      {fields
        .filter(({ when }) => when?.(draft) !== false)
        .map((field) => (
          <div key={field.path} className={isWide(field) ? 'col-span-2' : ''}>
            <Control field={field} draft={draft} {...rest} />
          </div>
        ))}
    </div>
  )
}

const isWide = ({ kind, wide }: FeatureField): boolean =>
  wide === true || kind === 'json' || kind === 'long' || kind === 'flag'

const UNSET = ''

function Control({ field, draft, examples, problemOf, onChange }: Drawn & { readonly field: FeatureField }) {
  const { path, kind, label, hint, required, range, options = {}, secret } = field
  const value = draft[path] ?? ''
  const change = (next: string | boolean): void => onChange({ ...draft, [path]: next })
  if (kind === 'flag') return <Checkbox label={label} checked={value === true} onChange={change} />
  const text = String(value)
  if (field.example)
    return <ExampleChoice label={label} examples={examples} value={text} error={problemOf(path)} onChange={change} />
  if (kind === 'choice')
    return (
      <Select
        label={label}
        value={text}
        options={[
          ...(required || field.preset !== undefined ? [] : [{ value: UNSET, label: '–' }]),
          ...Object.entries(options).map(([each, name]) => ({ value: each, label: name })),
        ]}
        onChange={change}
      />
    )
  if (field.stored && draft[field.stored] === true)
    return (
      <StoredSecret label={label} hint={field.storedHint} value={value} error={problemOf(path)} onChange={change} />
    )
  const common = { label, hint, value: text, spellCheck: false, error: problemOf(path) }
  if (kind === 'json' || kind === 'long')
    return <TextArea {...common} rows={kind === 'json' ? 7 : 8} onChange={(event) => change(event.target.value)} />
  return (
    <Field
      {...common}
      type={secret ? 'password' : 'text'}
      autoComplete={secret ? 'new-password' : 'off'}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={range}
      onChange={(event) => change(event.target.value)}
    />
  )
}

/** One that is gone, or was not read, is told by its number. */
function ExampleChoice({
  label,
  examples,
  value,
  error,
  onChange,
}: {
  readonly label: string
  readonly examples: readonly ToolExample[]
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (next: string) => void
}) {
  const known = examples.map(({ id, label: name, args }) => ({
    value: String(id),
    label: name,
    about: JSON.stringify(args).slice(0, 80),
  }))
  const options = [
    { value: UNSET, label: examples.length === 0 ? 'The tool has no example' : 'None' },
    ...known,
    ...(value === UNSET || known.some((each) => each.value === value) ? [] : [{ value, label: `Example ${value}` }]),
  ]
  return (
    <>
      <Select label={label} value={value} options={options} onChange={onChange} />
      {error && <p className="mt-1.5 text-xs text-bad">{error}</p>}
    </>
  )
}

/** A secret that the gateway has and never tells: kept, replaced or removed. */
function StoredSecret({
  label,
  hint,
  value,
  error,
  onChange,
}: {
  readonly label: string
  readonly hint: string | undefined
  readonly value: string | boolean
  readonly error: string | undefined
  readonly onChange: (next: string | boolean) => void
}) {
  const removed = value === false
  return (
    <div className="grid gap-2">
      <Field
        label={label}
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        value={typeof value === 'string' ? value : ''}
        disabled={removed}
        placeholder={removed ? 'it will be removed' : 'one is stored'}
        hint={hint}
        onChange={(event) => onChange(event.target.value)}
        error={error}
      />
      <Checkbox label="Remove the stored one" checked={removed} onChange={(remove) => onChange(remove ? false : '')} />
    </div>
  )
}
