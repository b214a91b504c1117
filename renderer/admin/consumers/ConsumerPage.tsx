// A consumer: usage this month, limits, keys.
import { useQuery } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import type { Consumer } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatCount, formatDay, formatMoment } from '../../ui/format.ts'
import { RecordPage } from '../../ui/RecordPage.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ConsumerDialog } from './ConsumerDialog.tsx'
import { ConsumerKeys } from './ConsumerKeys.tsx'
import { UsageBar, usageInWords } from './Usage.tsx'
import { useConsumerChanges } from './use-consumer-changes.ts'

export function ConsumerPage() {
  const { remove } = useConsumerChanges()
  return (
    <RecordPage
      kind="consumers"
      noun={t('consumer')}
      read={(id) => api.consumers.get({ params: { id } })}
      icon={Gauge}
      writer="admin"
      deletion={t('Its keys keep working, without its limits.')}
      onDelete={remove}
      renderDialog={(props) => <ConsumerDialog {...props} />}
    >
      {(consumer) => (
        <div className="grid items-start gap-4 px-6 lg:grid-cols-2">
          <ThisMonth consumer={consumer} />
          <Facts title={t('Limits')} facts={limitsOf(consumer)} />
          <div className="min-w-0 lg:col-span-2">
            <ConsumerKeys consumer={consumer} />
          </div>
        </div>
      )}
    </RecordPage>
  )
}

const limitsOf = ({ monthlyQuota: quota, endUserRateLimitPerMin: rate }: Consumer) => [
  { name: t('Monthly quota'), value: quota === null ? t('no limit') : quota.toLocaleString('en') },
  {
    name: t('Each end user'),
    value: rate === null ? t('no limit') : t('{count} calls a minute', { count: formatCount(rate) }),
  },
]

function ThisMonth({ consumer: { id } }: { readonly consumer: Consumer }) {
  const usage = useQuery({
    queryKey: ['consumers', 'usage', id],
    queryFn: () => api.consumers.usage({ params: { id: String(id) } }),
    // Only operators receive call events; polls for other roles.
    refetchInterval: 15_000,
  })
  return (
    <section aria-label={t('This month')} className="card">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('This month')}</h2>
      <div className="flex flex-col gap-3 px-5 py-4">
        {usage.data ? (
          <>
            <p className="text-xl font-semibold">{usageInWords(usage.data)}</p>
            <UsageBar {...usage.data} />
            <p className="text-xs text-ink-2">
              {t('Since {periodStart} (UTC). The count restarts on {periodEnd}.', {
                periodStart: formatDay(usage.data.periodStart),
                periodEnd: formatMoment(usage.data.periodEnd),
              })}
            </p>
          </>
        ) : usage.error ? (
          <ErrorNote error={usage.error} />
        ) : (
          <Skeleton className="h-16" />
        )}
      </div>
    </section>
  )
}
