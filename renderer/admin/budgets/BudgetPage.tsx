// A budget: limits, and what each subject used.
import { useQuery } from '@tanstack/react-query'
import { Coins } from 'lucide-react'
import type { Budget, BudgetUse } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Facts } from '../../ui/Facts.tsx'
import { formatCount } from '../../ui/format.ts'
import { RecordPage } from '../../ui/RecordPage.tsx'
import { BudgetDialog } from './BudgetDialog.tsx'
import { amountInWords, limitsInWords, limitsOf, PERIODS, SCOPES, scopeInWords } from './labels.ts'
import { useBudgetChanges } from './use-budget-changes.ts'

export function BudgetPage() {
  const { remove } = useBudgetChanges()
  return (
    <RecordPage
      kind="budgets"
      noun={t('budget')}
      read={(id) => api.budgets.get({ params: { id } })}
      icon={Coins}
      writer="admin"
      deletion={t('Calls are no longer counted against it.')}
      onDelete={remove}
      renderDialog={(props) => <BudgetDialog {...props} />}
    >
      {(budget) => (
        <div className="flex flex-col gap-4 px-6">
          <Facts
            title={t('Limits')}
            facts={[
              { name: t('Counts'), value: scopeInWords(budget) },
              { name: t('Period'), value: budget.per === 'session' ? t('Session') : PERIODS[budget.period] },
              { name: t('Limits'), value: limitsInWords(budget) },
            ]}
          />
          <Usage budget={budget} />
        </div>
      )}
    </RecordPage>
  )
}

function Usage({ budget }: { readonly budget: Budget }) {
  const { data } = useQuery({
    queryKey: ['budgets', 'usage', budget.id],
    queryFn: () => api.budgets.usage({ params: { id: String(budget.id) } }),
    refetchInterval: 15_000,
  })
  return (
    <section aria-label={t('Used')} className="card overflow-x-auto">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('Used')}</h2>
      {data?.items.length === 0 && <p className="px-5 py-4 text-sm text-ink-2">{t('No calls counted yet.')}</p>}
      <ul className="divide-y divide-line">
        {data?.items.map((use) => (
          <li key={use.subject} className="flex flex-wrap items-baseline gap-x-6 gap-y-1 px-5 py-2.5 text-sm">
            <span className="min-w-40 grow basis-0 truncate font-medium" title={use.subject}>
              {SCOPES[budget.per]} {use.subject.slice(0, 80)}
            </span>
            <span className="text-ink-2 tabular-nums">{usedInWords(budget, use)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function usedInWords(budget: Budget, { used }: BudgetUse): string {
  const limited = limitsOf(budget)
  const parts = limited.map(({ amount, most }) =>
    t('{used} of {limit}', {
      used: amount === 'bytes' ? amountInWords(amount, used.bytes) : formatCount(Math.round(used[amount] * 1e4) / 1e4),
      limit: amountInWords(amount, most),
    }),
  )
  return (parts.length > 0 ? parts : [amountInWords('calls', used.calls), amountInWords('tokens', used.tokens)]).join(
    ' · ',
  )
}
