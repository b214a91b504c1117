// The changes to guard policies, and their application to tools.
import type { GuardPolicy, PolicyApplied } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { formatTools } from '../../ui/format.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

type Body = NonNullable<Parameters<typeof api.policies.apply>[0]['body']>
export type PolicyTarget = Pick<Body, 'bundle'> | Pick<Body, 'tools'>

/** The limit of tools per request. */
export const MOST_TOOLS = 1000

const paramsOf = ({ id }: Pick<GuardPolicy, 'id'>) => ({ params: { id: String(id) } })

const POLICIES = recordKind(api.policies, 'id', {
  keys: ['policies', 'tools', 'clients'],
})

export function usePolicyChanges() {
  const records = useRecords(POLICIES)
  return {
    ...records,
    preview: (policy: GuardPolicy, target: PolicyTarget): Promise<PolicyApplied> =>
      api.policies.apply({ ...paramsOf(policy), body: { ...target, dryRun: true } }),
    apply: (policy: GuardPolicy, target: PolicyTarget): Promise<PolicyApplied> =>
      records.run(api.policies.apply({ ...paramsOf(policy), body: target }), ({ applied }) =>
        t('{name} was applied to {count}', { name: policy.name, count: formatTools(applied) }),
      ),
  }
}
