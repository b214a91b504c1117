// The settings that a bundle declares, as fields. Its secrets have their values after it was added.
import type { BundleSetting } from '#contract'
import { t } from '../../language/language.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'

/** As typed, by key; without an entry the default of the bundle counts. */
export type Given = Readonly<Record<string, string | boolean>>

type Sent = string | number | boolean | string[]

const listIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

export function settingsOf(settings: readonly BundleSetting[], given: Given): Record<string, Sent> {
  const sent = settings.flatMap(({ key, type, multiple, sensitive, required }): [string, Sent][] => {
    const value = given[key]
    if (sensitive) return value === true && !required ? [[key, true]] : []
    if (value === undefined || value === '') return []
    if (typeof value === 'boolean') return [[key, value]]
    if (multiple) return [[key, listIn(value)]]
    return [[key, type === 'number' ? Number(value) : value]]
  })
  return Object.fromEntries(sent)
}

export function BundleSettings({
  settings,
  given,
  onChange,
}: {
  readonly settings: readonly BundleSetting[]
  readonly given: Given
  readonly onChange: (given: Given) => void
}) {
  return settings.map((setting) => (
    <Setting
      key={setting.key}
      setting={setting}
      value={given[setting.key]}
      onChange={(value) => onChange({ ...given, [setting.key]: value })}
    />
  ))
}

function Setting({
  setting,
  value,
  onChange,
}: {
  readonly setting: BundleSetting
  readonly value: string | boolean | undefined
  readonly onChange: (value: string | boolean) => void
}) {
  const { type, title, description, required, multiple, sensitive, usual } = setting
  if (sensitive)
    return required ? (
      <p className="text-sm text-pretty text-ink-2">
        {t('{title} is a secret: set it on the page of the server once it is added.', { title })}
      </p>
    ) : (
      <Checkbox
        label={t('Give it the secret {title}, set on its page afterwards', { title })}
        checked={value === true}
        onChange={onChange}
      />
    )
  if (type === 'boolean')
    return (
      <Checkbox label={title} checked={typeof value === 'boolean' ? value : usual === 'true'} onChange={onChange} />
    )
  const isPath = type === 'directory' || type === 'file'
  const hint = [description, ...(isPath ? [t('An absolute path, which it may then use.')] : [])]
    .filter(Boolean)
    .join(' ')
  const field = {
    label: required && usual === null ? title : t('{title} (optional)', { title }),
    value: typeof value === 'string' ? value : '',
    required: required && usual === null,
    spellCheck: false,
    ...(hint !== '' && { hint }),
    ...(usual !== null && { placeholder: usual }),
  }
  if (multiple) return <TextArea {...field} rows={3} onChange={({ target }) => onChange(target.value)} />
  return (
    <Field
      {...field}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
