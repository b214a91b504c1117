// The outcomes to filter by. Pure.
export const OUTCOMES = [
  { value: 'any', label: 'Any outcome' },
  { value: 'success', label: 'Success' },
  { value: 'error', label: 'Error' },
  { value: 'refused', label: 'Refused' },
  { value: 'cancelled', label: 'Cancelled' },
] as const

export const outcomeIn = (text: string | undefined) => OUTCOMES.find(({ value }) => value === text)?.value ?? 'any'
