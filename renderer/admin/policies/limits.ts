// The limits of policies and tools as text. Pure.

import { t } from '../../language/language.ts'
import { formatCount, formatSpan } from '../../ui/format.ts'

export const rateInWords = (rate: number | null): string =>
  rate === null ? t('no limit') : t('{count} a minute', { count: formatCount(rate) })
export const timeInWords = (ms: number | null): string => (ms === null ? t('gateway default') : formatSpan(ms))
