// The limits of policies and tools as text. Pure.
import { formatCount, formatSpan } from '../../ui/format.ts'

export const rateInWords = (rate: number | null): string =>
  rate === null ? 'no limit' : `${formatCount(rate)} a minute`
export const timeInWords = (ms: number | null): string => (ms === null ? 'gateway default' : formatSpan(ms))
