// The changes to guard policies, and what applying one does to tools; each leaves lists and details true, also when it was refused.
import type { GuardPolicy, PolicyApplied, PolicyInput } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { formatTools } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'

type Body = NonNullable<Parameters<typeof api.policies.apply>[0]['body']>
export type PolicyTarget = Pick<Body, 'bundle'> | Pick<Body, 'tools'>

/** One request takes this many tools at most. */
export const MOST_TOOLS = 1000

export function usePolicyChanges() {
  const { settled } = useInvalidate('policies', 'tools', 'clients')
  const paramsOf = ({ id }: Pick<GuardPolicy, 'id'>) => ({ params: { id: String(id) } })
  const update = (policy: GuardPolicy, change: Partial<PolicyInput>) =>
    settled(api.policies.update({ ...paramsOf(policy), body: { ...change, revision: policy.revision } }))
  return {
    create: (body: PolicyInput) => settled(api.policies.create({ body })),
    async updateWithUndo(before: GuardPolicy, change: PolicyInput): Promise<void> {
      const { name, rateLimitPerMin, timeoutMs } = before
      const changed = await update(before, change)
      notifyDone(`${changed.name} was changed; tools it was applied to keep their limits`, () =>
        update(changed, { name, rateLimitPerMin, timeoutMs }),
      )
    },
    async remove(policy: GuardPolicy): Promise<void> {
      await settled(api.policies.delete({ ...paramsOf(policy), ifMatch: policy.revision }))
      notifyDone(`${policy.name} was deleted`)
    },
    preview: (policy: GuardPolicy, target: PolicyTarget): Promise<PolicyApplied> =>
      api.policies.apply({ ...paramsOf(policy), body: { ...target, dryRun: true } }),
    async apply(policy: GuardPolicy, target: PolicyTarget): Promise<PolicyApplied> {
      const done = await settled(api.policies.apply({ ...paramsOf(policy), body: target }))
      notifyDone(`${policy.name} was applied to ${formatTools(done.applied)}`)
      return done
    },
  }
}
