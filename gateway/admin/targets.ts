// Other servers of a backend: the ETag of an answer is the revision of the record in it.
import type { Canary, Lb, targets } from '../contract/admin/targets.ts'
import type { TargetSettings } from '../operations/backends/target-settings.ts'
import type { ActorContext, Handlers } from './mount.ts'

type Answer = { readonly canary: Canary | null } | { readonly lb: Lb | null }

function tagged<T extends Answer>(answer: T, { reply }: ActorContext): T {
  const record = 'canary' in answer ? answer.canary : answer.lb
  if (record) reply.header('ETag', `"${record.revision}"`)
  return answer
}

export const targetHandlers = (
  operations: TargetSettings,
): Pick<Handlers<typeof targets>, 'getCanary' | 'setCanary' | 'getLb' | 'setLb'> => ({
  getCanary: ({ params }, context) => tagged(operations.getCanary(context.actor, params.name), context),
  setCanary: async ({ params, body }, context) =>
    tagged(await operations.setCanary(context, params.name, body, [context.ifMatch]), context),
  getLb: ({ params }, context) => tagged(operations.getLb(context.actor, params.name), context),
  setLb: async ({ params, body }, context) =>
    tagged(await operations.setLb(context, params.name, body, [context.ifMatch]), context),
})
