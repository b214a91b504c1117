// A consumer: usage this month, limits, keys.
import { useQuery } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { useState } from 'react'
import { type Consumer, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatCount, formatDay, formatMoment } from '../../ui/format.ts'
import { OneRecord } from '../../ui/OneRecord.tsx'
import { RecordHead } from '../../ui/RecordHead.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ConsumerDialog } from './ConsumerDialog.tsx'
import { ConsumerKeys } from './ConsumerKeys.tsx'
import { UsageBar, usageInWords } from './Usage.tsx'
import { useConsumerChanges } from './use-consumer-changes.ts'

export function ConsumerPage() {
  return (
    <OneRecord
      kind="consumers"
      noun={t('consumer')}
      param="id"
      read={(id) => api.consumers.get({ params: { id } })}
      icon={Gauge}
    >
      {(record) => <Loaded key={record.id} consumer={record} />}
    </OneRecord>
  )
}

function Loaded({ consumer }: { readonly consumer: Consumer }) {
  const administers = mayUse(useActor(), 'admin')
  const [editing, setEditing] = useState(false)
  const { remove } = useConsumerChanges()
  const { endUserRateLimitPerMin: rate } = consumer
  return (
    <div className="max-w-[104rem] pb-10">
      <RecordHead
        record={consumer}
        administers={administers}
        onChange={() => setEditing(true)}
        deletion={{
          noun: t('consumer'),
          about: t('Its keys keep working, without its limits.'),
          list: '/consumers',
          run: () => remove(consumer),
        }}
      />
      <div className="grid items-start gap-4 px-6 lg:grid-cols-2">
        <ThisMonth consumer={consumer} />
        <Facts
          title={t('Limits')}
          facts={[
            {
              name: t('Monthly quota'),
              value: consumer.monthlyQuota === null ? t('no limit') : consumer.monthlyQuota.toLocaleString('en'),
            },
            {
              name: t('Each end user'),
              value: rate === null ? t('no limit') : t('{count} calls a minute', { count: formatCount(rate) }),
            },
          ]}
        />
        <div className="min-w-0 lg:col-span-2">
          <ConsumerKeys consumer={consumer} />
        </div>
      </div>
      <ConsumerDialog open={editing} record={consumer} onClose={() => setEditing(false)} />
    </div>
  )
}

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
