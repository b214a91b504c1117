// Labels for who answered a call, and for remarks about it. Contract 5.9, 10.12. Pure.

import { t } from '../../language/language.ts'
import { isRecord } from '../../ui/form/shape.ts'

const TARGETS: Readonly<Record<string, string>> = {
  primary: t('its backend'),
  canary: t('the canary'),
  failover: t('the failover server'),
  mock: t('a mock'),
}
const CACHES: Readonly<Record<string, string>> = {
  hit: t('from the cache'),
  miss: t('not in the cache yet'),
  coalesced: t('shared with an identical call'),
}

export const answererOf = (target: string | null): string | null =>
  target === null ? null : (TARGETS[target] ?? target.replace(/^pool:/, 'server '))

export const keptOf = (cache: string | null): string | null => (cache === null ? null : (CACHES[cache] ?? cache))

/** The metadata of a result. */
export function remarksOf(meta: unknown): readonly string[] {
  const report = isRecord(meta) ? meta['gantry/call'] : undefined
  if (!isRecord(report)) return []
  const { target, cache, attempts, truncated, flagged } = report
  return [
    typeof target === 'string' && `answered by ${answererOf(target)}`,
    typeof cache === 'string' && keptOf(cache),
    typeof attempts === 'number' && attempts > 1 && `${attempts} attempts`,
    truncated === true && 'truncated',
    flagged === true && 'marked as data',
  ].filter((remark) => typeof remark === 'string')
}
