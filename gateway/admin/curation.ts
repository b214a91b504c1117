// Bundles and composites.
import type { bundles } from '../contract/admin/bundles.ts'
import type { composites } from '../contract/admin/composites.ts'
import type { Bundles } from '../operations/curation/bundles.ts'
import type { Composites } from '../operations/curation/composites.ts'
import type { Handlers } from './mount.ts'

export const bundleHandlers = (operations: Bundles): Handlers<typeof bundles> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
  create: ({ body }, context) => operations.create(context, body),
  get: ({ params }, { actor }) => operations.get(actor, params.name),
  update: ({ params, body: { revision, ...change } }, context) =>
    operations.update(context, params.name, change, [context.ifMatch, revision]),
  delete: ({ params }, context) => operations.delete(context, params.name, [context.ifMatch]),
  clone: ({ params, body }, context) => operations.clone(context, params.name, body),
  preview: ({ params, query }, { actor }) => operations.preview(actor, params.name, query.keyId),
})

export const compositeHandlers = (operations: Composites): Handlers<typeof composites> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
  create: ({ body }, context) => operations.create(context, body),
  get: ({ params }, { actor }) => operations.get(actor, params.name),
  update: ({ params, body: { revision, ...change } }, context) =>
    operations.update(context, params.name, change, [context.ifMatch, revision]),
  delete: ({ params }, context) => operations.delete(context, params.name, [context.ifMatch]),
  test: ({ params, body }, context) => operations.test(context, params.name, body),
})
