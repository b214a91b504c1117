// Composites.
import type { composites } from '../contract/admin/composites.ts'
import type { Composites } from '../operations/curation/composites.ts'
import type { Handlers } from './mount.ts'

type Parts = { readonly composites: Composites }

export function compositeHandlers({ composites: operations }: Parts): Handlers<typeof composites> {
  return {
    list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
    create: ({ body }, context) => operations.create(context, body),
    get: ({ params }, { actor }) => operations.get(actor, params.name),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(context, params.name, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(context, params.name, [context.ifMatch]),
    test: ({ params, body }, context) => operations.test(context, params.name, body),
  }
}
