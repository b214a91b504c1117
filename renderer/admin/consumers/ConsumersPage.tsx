// The list of consumers: quota, usage and limits.

import { Gauge } from 'lucide-react'
import type { Consumer } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { countColumn, limitColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { ConsumerDialog } from './ConsumerDialog.tsx'
import { UsageBar, usageInWords } from './Usage.tsx'

const COLUMNS: readonly Column<Consumer>[] = [
  nameColumn(t('Consumer'), ({ name }) => name),
  {
    key: 'used',
    title: t('Calls this month'),
    width: 'w-80',
    sortBy: ({ usedThisMonth, monthlyQuota }) => (monthlyQuota ? usedThisMonth / monthlyQuota : 0),
    cell: ({ usedThisMonth: used, monthlyQuota: quota }) => (
      <span className="flex items-center gap-3 whitespace-nowrap">
        <UsageBar used={used} quota={quota} className="w-28" />
        {usageInWords({ used, quota })}
        {quota === null && <span className="text-ink-3">{t('no limit')}</span>}
      </span>
    ),
  },
  limitColumn('rate', t('Per end user and minute'), ({ endUserRateLimitPerMin }) => endUserRateLimitPerMin, {
    none: t('no limit'),
  }),
  countColumn('keys', t('Keys'), ({ keys }) => keys),
  timeColumn('created', t('Created'), ({ createdAt }) => createdAt),
]

export const ConsumersPage = () => (
  <RecordsPage
    title={t('Consumers')}
    about={t('Products, customers or departments that share a quota across keys.')}
    noun={t('consumer')}
    placeholder={t('Name')}
    queryKey={['consumers', 'list']}
    read={(query) => api.consumers.list({ query })}
    writer="admin"
    path="/consumers"
    wordsOf={({ name }) => name}
    columns={COLUMNS}
    renderDialog={(props) => <ConsumerDialog {...props} />}
    empty={{
      icon: Gauge,
      title: t('No consumer yet'),
      about: t('Share one monthly quota across keys, and rate-limit each end user.'),
    }}
  />
)
