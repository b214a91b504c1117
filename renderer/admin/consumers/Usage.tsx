// Quota usage: a number, and a bar if limited.

import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatShare } from '../../ui/format.ts'

const NEARLY = 0.8

export function UsageBar({ used, quota, className }: UsageProps & { readonly className?: string }) {
  if (quota === null) return null
  const share = Math.min(1, used / quota)
  return (
    <span
      role="meter"
      aria-label={t('Used quota')}
      aria-valuemin={0}
      aria-valuemax={quota}
      aria-valuenow={Math.min(used, quota)}
      className={cx('block h-1.5 overflow-hidden rounded-full bg-pressed', className)}
    >
      <span
        className={cx('block h-full', share >= 1 ? 'bg-bad-solid' : share >= NEARLY ? 'bg-warn-solid' : 'bg-ok-solid')}
        style={{ width: `${share * 100}%` }}
      />
    </span>
  )
}

type UsageProps = { readonly used: number; readonly quota: number | null }

export function usageInWords({ used, quota }: UsageProps): string {
  if (quota === null) return formatCount(used)
  return `${formatCount(used)} of ${formatCount(quota)} (${formatShare(used, quota)})`
}
