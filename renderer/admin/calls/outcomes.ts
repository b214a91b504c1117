// The outcomes to filter by. Pure.
import { t } from '../../language/language.ts'

export const OUTCOMES = [
  { value: 'any', label: t('Any outcome') },
  { value: 'success', label: t('Success') },
  { value: 'error', label: t('Error') },
  { value: 'refused', label: t('Refused') },
  { value: 'cancelled', label: t('Cancelled') },
] as const

export const outcomeIn = (text: string | undefined) => OUTCOMES.find(({ value }) => value === text)?.value ?? 'any'
