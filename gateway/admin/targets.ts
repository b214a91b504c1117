// Other servers of a backend.
import type { Canary, Lb, targets } from '../contract/admin/targets.ts'
import type { TargetSettings } from '../operations/backends/target-settings.ts'
import type { ActorContext, Handlers } from './mount.ts'

type Answer = { readonly canary: Canary | null } | { readonly lb: Lb | null }

/** The record stands inside the answer, and so does its revision. */
function tagged<T extends Answer>(answer: T, { reply }: ActorContext): T {
  const record = 'canary' in answer ? answer.canary : answer.lb
  if (record) reply.header('ETag', `"${record.revision}"`)
  return answer
}

export function targetHandlers(settings: TargetSettings): Handlers<typeof targets> {
  return {
    getCanary: ({ params }, context) => tagged(settings.getCanary(context.actor, params.name), context),
    setCanary: async ({ params, body }, context) => {
      const { keepCredential, ...input } = { keepCredential: undefined, ...body }
      const wanted = 'canary' in input ? null : input
      return tagged(await settings.setCanary(context, params.name, wanted, [context.ifMatch], keepCredential), context)
    },
    clearCanary: ({ params }, context) => settings.clearCanary(context, params.name, [context.ifMatch]),
    getLb: ({ params }, context) => tagged(settings.getLb(context.actor, params.name), context),
    setLb: async ({ params, body }, context) => {
      const { keepCredential, ...input } = { keepCredential: undefined, ...body }
      const wanted = 'lb' in input ? null : input
      return tagged(await settings.setLb(context, params.name, wanted, [context.ifMatch], keepCredential), context)
    },
    clearLb: ({ params }, context) => settings.clearLb(context, params.name, [context.ifMatch]),
    addUpstream: ({ params, body: { keepCredential, ...input } }, context) =>
      settings.addUpstream(context, params.name, input, [context.ifMatch], keepCredential),
    updateUpstream: ({ params, body }, context) =>
      settings.updateUpstream(context, params.name, params.id, body, [context.ifMatch]),
    removeUpstream: ({ params }, context) =>
      settings.removeUpstream(context, params.name, params.id, [context.ifMatch]),
  }
}
