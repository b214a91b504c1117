// The consumers: for whom keys are counted, how much of their month is used, and what each of their users may.
import { useNavigate } from '@tanstack/react-router'
import { Gauge } from 'lucide-react'
import { useState } from 'react'
import { type Consumer, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { countColumn, limitColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { ConsumerDialog } from './ConsumerDialog.tsx'
import { UsageBar, usageInWords } from './Usage.tsx'

const COLUMNS: readonly Column<Consumer>[] = [
  nameColumn('Consumer', ({ name }) => name),
  {
    key: 'used',
    title: 'Calls this month',
    width: 'w-80',
    sortBy: ({ usedThisMonth, monthlyQuota }) => (monthlyQuota ? usedThisMonth / monthlyQuota : 0),
    cell: ({ usedThisMonth: used, monthlyQuota: quota }) => (
      <span className="flex items-center gap-3 whitespace-nowrap">
        <UsageBar used={used} quota={quota} className="w-28" />
        {usageInWords({ used, quota })}
        {quota === null && <span className="text-ink-3">no limit</span>}
      </span>
    ),
  },
  limitColumn('rate', 'Each end user, a minute', ({ endUserRateLimitPerMin }) => endUserRateLimitPerMin, {
    none: 'no limit',
  }),
  countColumn('keys', 'Keys', ({ keys }) => keys),
  timeColumn('created', 'Created', ({ createdAt }) => createdAt),
]

export function ConsumersPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const list = usePaged(['consumers', 'list'], (paging) => api.consumers.list({ query: paging }))
  const add = mayUse(actor, 'admin') && { label: 'New consumer', onAdd: () => setMaking(true) }
  return (
    <ListPage
      title="Consumers"
      about="Whose quota the calls of a key count for: a product, a customer, a department."
      add={add}
      noun="consumer"
      placeholder="Name"
      list={list}
      wordsOf={({ name }) => name}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/consumers/${id}` })}
      empty={{
        icon: Gauge,
        title: 'No consumer yet',
        about: 'Give several keys one budget for the month, and each user behind them a pace of their own.',
      }}
    >
      <ConsumerDialog open={making} onClose={() => setMaking(false)} />
    </ListPage>
  )
}
