// The list of budgets: whom they count, and their limits.
import { Coins } from 'lucide-react'
import type { Budget } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { nameColumn, timeColumn } from '../../ui/columns.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { BudgetDialog } from './BudgetDialog.tsx'
import { limitsInWords, PERIODS, scopeInWords } from './labels.ts'

const COLUMNS: readonly Column<Budget>[] = [
  nameColumn(t('Budget'), ({ name }) => name),
  { key: 'per', title: t('Counts'), width: 'w-56', sortBy: scopeInWords, cell: scopeInWords },
  { key: 'limits', title: t('Limits'), width: 'w-80', sortBy: limitsInWords, cell: limitsInWords },
  {
    key: 'period',
    title: t('Period'),
    width: 'w-28',
    sortBy: ({ per, period }) => (per === 'session' ? '' : period),
    cell: ({ per, period }) => (per === 'session' ? t('Session') : PERIODS[period]),
  },
  timeColumn('created', t('Created'), ({ createdAt }) => createdAt),
]

export const BudgetsPage = () => (
  <RecordsPage
    title={t('Budgets')}
    about={t('Limits on calls, tokens, bytes and cost per key, consumer, session or tool.')}
    noun={t('budget')}
    placeholder={t('Name')}
    queryKey={['budgets', 'list']}
    read={(query) => api.budgets.list({ query })}
    writer="admin"
    path="/budgets"
    wordsOf={({ name, only }) => `${name} ${only ?? ''}`}
    columns={COLUMNS}
    renderDialog={(props) => <BudgetDialog {...props} />}
    empty={{
      icon: Coins,
      title: t('No budget yet'),
      about: t('Limit what agents spend, and stop those that repeat themselves.'),
    }}
  />
)
