// A loading placeholder.

import { t } from '../language/language.ts'
import { cx } from './cx.ts'

export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={cx('shimmer block', className)} />
}

export function PageSkeleton() {
  return (
    <div role="status" aria-label={t('Loading')} className="flex flex-col gap-4 p-6">
      <Skeleton className="h-7 w-48" />
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  )
}
