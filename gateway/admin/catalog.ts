// The install catalog.
import type { catalog } from '../contract/admin/catalog.ts'
import type { Catalog } from '../operations/curation/catalog.ts'
import type { Handlers } from './mount.ts'

export function catalogHandlers({ catalog: operations }: { readonly catalog: Catalog }): Handlers<typeof catalog> {
  return {
    list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
    create: ({ body }, context) => operations.create(context, body),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(context, params.id, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(context, params.id),
    install: ({ params, body }, context) => operations.install(context, params.id, body),
  }
}
