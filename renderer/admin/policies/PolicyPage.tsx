// A guard policy: limits, preview, apply.
import { Scale } from 'lucide-react'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Facts } from '../../ui/Facts.tsx'
import { RecordPage } from '../../ui/RecordPage.tsx'
import { ApplyPolicy } from './ApplyPolicy.tsx'
import { rateInWords, timeInWords } from './limits.ts'
import { PolicyDialog } from './PolicyDialog.tsx'
import { usePolicyChanges } from './use-policy-changes.ts'

export function PolicyPage() {
  const { remove } = usePolicyChanges()
  return (
    <RecordPage
      kind="policies"
      noun={t('policy')}
      read={(id) => api.policies.get({ params: { id } })}
      icon={Scale}
      about={t('It may have been deleted. Tools it was applied to keep their limits.')}
      writer="admin"
      deletion={t('Tools it was applied to keep their limits.')}
      onDelete={remove}
      renderDialog={(props) => <PolicyDialog {...props} />}
    >
      {(policy, writes) => (
        <div className="flex flex-col gap-4 px-6">
          <Facts
            title={t('Limits')}
            facts={[
              { name: t('Calls per minute'), value: orOwn(policy.rateLimitPerMin, rateInWords) },
              { name: t('Timeout per attempt'), value: orOwn(policy.timeoutMs, timeInWords) },
            ]}
          />
          {writes && <ApplyPolicy key={policy.revision} policy={policy} />}
        </div>
      )}
    </RecordPage>
  )
}

const orOwn = (limit: number | null, words: (limit: number) => string): string =>
  limit === null ? t('keep each tool’s own') : words(limit)
