// The hosts that a program in the sandbox may reach.
import { t } from '../../language/language.ts'
import { Field } from '../../ui/Field.tsx'

export const hostsIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

export function HostsField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  return (
    <Field
      label={t('Hosts it may reach')}
      hint={t('Without any, it has no network.')}
      value={value}
      spellCheck={false}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
