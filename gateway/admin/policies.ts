// Guard policies.
import type { policies } from '../contract/admin/policies.ts'
import type { Policies } from '../operations/access/policies.ts'
import { byActor } from './by.ts'
import type { Handlers } from './mount.ts'

export function policyHandlers({ policies: operations }: { readonly policies: Policies }): Handlers<typeof policies> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query),
    create: ({ body }, context) => operations.create(byActor(context), body),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(byActor(context), params.id, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(byActor(context), params.id, [context.ifMatch]),
    apply: ({ params, body }, context) => operations.apply(byActor(context), params.id, body),
  }
}
