// The dialog of a feature, derived from its schema.
import { useMemo } from 'react'
import { FEATURES, type FeatureName, type ToolDetail } from '#contract'
import { t } from '../../../language/language.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import {
  type Control,
  type Form as FeatureForm,
  type FieldTable,
  fieldsOf,
  hasSwitch,
} from '../../../ui/form/fields.ts'
import { RecordForm } from '../../../ui/form/RecordForm.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useExamples } from '../run/use-example-changes.ts'
import { wordsOf } from './labels.ts'
import { useFeatureChanges } from './use-feature-changes.ts'

const UNSET = ''

/** Selects an example for a feature; shows the id of a deleted or unloaded one. */
function ExampleChoice({
  tool,
  label,
  value: picked,
  error,
  onChange,
}: Pick<Control, 'value' | 'error' | 'onChange'> & { readonly tool: ToolDetail; readonly label: string }) {
  const examples = useExamples(tool).data?.items ?? []
  const value = typeof picked === 'number' ? String(picked) : UNSET
  const known = examples.map(({ id, label: name, args }) => ({
    value: String(id),
    label: name,
    about: JSON.stringify(args).slice(0, 80),
  }))
  const options = [
    { value: UNSET, label: examples.length === 0 ? t('No examples') : t('None') },
    ...known,
    ...(value === UNSET || known.some((each) => each.value === value)
      ? []
      : [{ value, label: t('Example {value}', { value }) }]),
  ]
  return (
    <>
      <Select
        label={label}
        value={value}
        options={options}
        onChange={(next) => onChange(next === UNSET ? null : Number(next))}
      />
      {error && <p className="mt-1.5 text-xs text-bad">{error}</p>}
    </>
  )
}

type Props = { readonly tool: ToolDetail; readonly name: FeatureName; readonly onClose: () => void }

export function FeatureDialog({ tool, name, onClose }: Omit<Props, 'name'> & { readonly name: FeatureName | null }) {
  const words = wordsOf(name ?? '')
  return (
    <Dialog open={name !== null} onClose={onClose} title={words.title} about={words.about} width="max-w-2xl">
      {name && <Form key={name} tool={tool} name={name} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ tool, name, onClose }: Props) {
  const { put } = useFeatureChanges()
  const form = useMemo<FeatureForm<unknown>>(() => {
    const schema = FEATURES[name]
    return { schema, fields: fieldsOf(schema, tableOf(tool, name)), carried: hasSwitch(schema) ? ['enabled'] : [] }
  }, [tool, name])
  return (
    <RecordForm
      form={form}
      record={tool}
      valuesOf={({ config }) => config[name]}
      // The row shows whether it is on.
      fresh={{ enabled: true }}
      submit={tool.config[name] ? t('Save') : t('Set')}
      what={tool.tool}
      lenient
      prefix={`${name}.`}
      columns={2}
      onSubmit={(_input, base = tool, given) => put(base, name, given)}
      onClose={onClose}
    />
  )
}

function tableOf(tool: ToolDetail, name: FeatureName): FieldTable {
  const table: Record<string, FieldTable[string]> = {}
  for (const [path, { example, ...words }] of Object.entries(wordsOf(name).fields)) {
    const label = String(words.label)
    table[path] = example
      ? { ...words, draw: (control) => <ExampleChoice {...control} tool={tool} label={label} /> }
      : words
  }
  return table
}
