// Consumers.
import type { consumers } from '../contract/admin/consumers.ts'
import type { Consumers } from '../operations/access/consumers.ts'
import { byActor } from './by.ts'
import type { Handlers } from './mount.ts'

export function consumerHandlers({
  consumers: operations,
}: {
  readonly consumers: Consumers
}): Handlers<typeof consumers> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query),
    create: ({ body }, context) => operations.create(byActor(context), body),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(byActor(context), params.id, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(byActor(context), params.id, [context.ifMatch]),
    usage: ({ params }, { actor }) => operations.usage(actor, params.id),
  }
}
