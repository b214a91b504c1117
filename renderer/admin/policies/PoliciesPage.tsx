// The list of guard policies.

import { Scale } from 'lucide-react'
import type { GuardPolicy } from '#contract'
import { api } from '../../api/api.ts'
import { limitColumn, makerColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { formatSpan } from '../../ui/format.ts'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { PolicyDialog } from './PolicyDialog.tsx'

const KEPT = { none: 'kept' }

const COLUMNS: readonly Column<GuardPolicy>[] = [
  nameColumn('Policy', ({ name }) => name),
  limitColumn('rate', 'Calls per minute', ({ rateLimitPerMin }) => rateLimitPerMin, KEPT),
  limitColumn('time', 'Timeout per attempt', ({ timeoutMs }) => timeoutMs, { ...KEPT, format: formatSpan }),
  makerColumn(),
  timeColumn('changed', 'Changed', ({ updatedAt }) => updatedAt),
]

export const PoliciesPage = () => (
  <RecordsPage
    title="Policies"
    about="Reusable limits. Preview the effect, then apply them to a bundle or selected tools."
    noun="policy"
    placeholder="Name"
    queryKey={['policies', 'list']}
    read={(query) => api.policies.list({ query })}
    writer="admin"
    path="/policies"
    wordsOf={({ name }) => name}
    columns={COLUMNS}
    renderDialog={(props) => <PolicyDialog {...props} />}
    empty={{
      icon: Scale,
      title: 'No policy yet',
      about: 'Define rate limit and timeout once, and apply them to many tools.',
    }}
  />
)
