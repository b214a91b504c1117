// The time until a ticket expires, to the second.
import { useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { useCountdown } from '../../ui/use-countdown.ts'

const SOON_MS = 10 * 60_000

export function Expiry({ at }: { readonly at: string }) {
  const [startedAtMs] = useState(() => Date.now())
  const leftMs = useCountdown(Date.parse(at) - startedAtMs, startedAtMs)
  return (
    <time dateTime={at} title={formatMoment(at)} className={cx('tabular-nums', leftMs < SOON_MS && 'text-warn')}>
      {leftMs > 0 ? `in ${formatSpan(leftMs)}` : 'now'}
    </time>
  )
}
