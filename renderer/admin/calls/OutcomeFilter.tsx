// The outcome filter, in the URL.
import { Select } from '../../ui/Select.tsx'
import { useUrlParams } from '../../url-params.ts'

const OUTCOMES = [
  { value: 'any', label: 'Any outcome' },
  { value: 'success', label: 'Success' },
  { value: 'error', label: 'Error' },
  { value: 'refused', label: 'Refused' },
  { value: 'cancelled', label: 'Cancelled' },
] as const

export const outcomeIn = (text: string | undefined) => OUTCOMES.find(({ value }) => value === text)?.value ?? 'any'

export function OutcomeFilter() {
  const [{ outcome }, change] = useUrlParams()
  return (
    <Select
      label="Outcome"
      hideLabel
      className="w-40"
      value={outcomeIn(outcome)}
      options={OUTCOMES}
      onChange={(next) => change({ outcome: next === 'any' ? '' : next })}
    />
  )
}
