// A guard policy: limits, preview, apply.
import { Scale } from 'lucide-react'
import { useState } from 'react'
import { type GuardPolicy, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Facts } from '../../ui/Facts.tsx'
import { OneRecord } from '../../ui/OneRecord.tsx'
import { RecordHead } from '../../ui/RecordHead.tsx'
import { ApplyPolicy } from './ApplyPolicy.tsx'
import { rateInWords, timeInWords } from './limits.ts'
import { PolicyDialog } from './PolicyDialog.tsx'
import { usePolicyChanges } from './use-policy-changes.ts'

export function PolicyPage() {
  return (
    <OneRecord
      kind="policies"
      noun={t('policy')}
      param="id"
      read={(id) => api.policies.get({ params: { id } })}
      icon={Scale}
      about={t('It may have been deleted. Tools it was applied to keep their limits.')}
    >
      {(record) => <Loaded key={record.id} policy={record} />}
    </OneRecord>
  )
}

function Loaded({ policy }: { readonly policy: GuardPolicy }) {
  const administers = mayUse(useActor(), 'admin')
  const [editing, setEditing] = useState(false)
  const { remove } = usePolicyChanges()
  return (
    <div className="max-w-[104rem] pb-10">
      <RecordHead
        record={policy}
        administers={administers}
        onChange={() => setEditing(true)}
        deletion={{
          noun: t('policy'),
          about: t('Tools it was applied to keep their limits.'),
          list: '/policies',
          run: () => remove(policy),
        }}
      />
      <div className="flex flex-col gap-4 px-6">
        <Facts
          title={t('Limits')}
          facts={[
            {
              name: t('Calls per minute'),
              value: policy.rateLimitPerMin === null ? t('keep each tool’s own') : rateInWords(policy.rateLimitPerMin),
            },
            {
              name: t('Timeout per attempt'),
              value: policy.timeoutMs === null ? t('keep each tool’s own') : timeInWords(policy.timeoutMs),
            },
          ]}
        />
        {administers && <ApplyPolicy key={policy.revision} policy={policy} />}
      </div>
      <PolicyDialog open={editing} record={policy} onClose={() => setEditing(false)} />
    </div>
  )
}
