// Selects an example for a feature; shows the id of a deleted or unloaded one.
import type { ToolDetail } from '#contract'
import type { Control } from '../../../ui/form/fields.ts'
import { Select } from '../../../ui/Select.tsx'
import { useExamples } from '../run/use-example-changes.ts'

const UNSET = ''

export function ExampleChoice({
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
    { value: UNSET, label: examples.length === 0 ? 'No examples' : 'None' },
    ...known,
    ...(value === UNSET || known.some((each) => each.value === value) ? [] : [{ value, label: `Example ${value}` }]),
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
