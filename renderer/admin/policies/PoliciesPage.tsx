// The list of guard policies.

import { Scale } from 'lucide-react'
import type { GuardPolicy } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { limitColumn, makerColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { formatSpan } from '../../ui/format.ts'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { PolicyDialog } from './PolicyDialog.tsx'

const KEPT = { none: t('kept') }

const COLUMNS: readonly Column<GuardPolicy>[] = [
  nameColumn(t('Policy'), ({ name }) => name),
  limitColumn('rate', t('Calls per minute'), ({ rateLimitPerMin }) => rateLimitPerMin, KEPT),
  limitColumn('time', t('Timeout per attempt'), ({ timeoutMs }) => timeoutMs, { ...KEPT, format: formatSpan }),
  makerColumn(),
  timeColumn('changed', t('Changed'), ({ updatedAt }) => updatedAt),
]

export const PoliciesPage = () => (
  <RecordsPage
    title={t('Policies')}
    about={t('Reusable limits. Preview the effect, then apply them to a bundle or selected tools.')}
    noun={t('policy')}
    placeholder={t('Name')}
    queryKey={['policies', 'list']}
    read={(query) => api.policies.list({ query })}
    writer="admin"
    path="/policies"
    wordsOf={({ name }) => name}
    columns={COLUMNS}
    renderDialog={(props) => <PolicyDialog {...props} />}
    empty={{
      icon: Scale,
      title: t('No policy yet'),
      about: t('Define rate limit and timeout once, and apply them to many tools.'),
    }}
  />
)
