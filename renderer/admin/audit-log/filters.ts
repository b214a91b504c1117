// The filters of the audit log in the URL.

import { t } from '../../language/language.ts'
import type { UrlParams } from '../../url-params.ts'

export const FILTERS = ['actor', 'action', 'target', 'from', 'to'] as const
export type AuditFilters = { readonly [K in (typeof FILTERS)[number]]?: string }

/** Keeps supported filters only; the URL may contain any text. */
export function filtersOf(params: UrlParams): AuditFilters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = params[name]
      return value && (!isTime(name) || !Number.isNaN(Date.parse(value))) ? [[name, value]] : []
    }),
  )
}

function isTime(name: string): boolean {
  return name === 'from' || name === 'to'
}

export const SPANS = [
  { value: 'all', label: t('All time'), ms: 0 },
  { value: 'hour', label: t('Last hour'), ms: 3_600_000 },
  { value: 'day', label: t('Last 24 hours'), ms: 86_400_000 },
  { value: 'week', label: t('Last 7 days'), ms: 604_800_000 },
  { value: 'month', label: t('Last 30 days'), ms: 2_592_000_000 },
] as const
