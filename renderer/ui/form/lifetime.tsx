// How long a key or a link lasts: the choices of a form, and when each of them ends.

import { t } from '../../language/language.ts'
import { Field } from '../Field.tsx'
import { type FieldWords, textIn } from './fields.ts'

const DAY_MS = 86_400_000

/** By the number of days. */
export const LIFETIMES = {
  '1': t('One day'),
  '7': t('One week'),
  '30': t('30 days'),
  '90': t('90 days'),
  '365': t('One year'),
  date: t('On a date…'),
  never: t('Never'),
} as const

type Lifetime = keyof typeof LIFETIMES

/** `until`: a date of the calendar, of which the whole day is included in local time. */
export function expiryOf(lifetime: Lifetime, nowMs: number, until = ''): string | null {
  if (lifetime === 'never') return null
  return new Date(lifetime === 'date' ? endOfDay(until) : nowMs + Number(lifetime) * DAY_MS).toISOString()
}

const endOfDay = (date: string): number => new Date(`${date}T23:59:59.999`).getTime()

/** The date of a form whose `lifetime` is `date`. */
export const UNTIL: FieldWords = {
  label: t('Last day'),
  when: ({ lifetime }) => lifetime === 'date',
  needed: true,
  check: ({ until }) =>
    typeof until === 'string' && until !== '' && endOfDay(until) <= Date.now()
      ? t('must not be in the past')
      : undefined,
  draw: ({ value, error, onChange }) => (
    <Field
      label={t('Last day')}
      type="date"
      value={textIn(value)}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  ),
}
