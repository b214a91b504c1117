// The choice of a time range.

import { t } from '../../language/language.ts'
import { Select } from '../../ui/Select.tsx'
import { RANGES, type Range } from './range.ts'

const PART = { value: 'part', label: t('Zoomed in') } as const

export function RangePicker({
  range,
  onChange,
}: {
  readonly range: Range
  readonly onChange: (change: Record<string, string>) => void
}) {
  const value = range.kind === 'part' ? PART.value : range.value
  return (
    <Select
      label={t('Time')}
      hideLabel
      className="w-40"
      value={value}
      options={range.kind === 'part' ? [PART, ...RANGES] : RANGES}
      onChange={(next) => next !== 'part' && onChange({ range: next, from: '', to: '' })}
    />
  )
}
