// Teams.
import type { teams } from '../contract/admin/teams.ts'
import type { Teams } from '../operations/teams.ts'
import { by } from './by.ts'
import type { Handlers } from './mount.ts'

export function teamHandlers({ teams: operations }: { readonly teams: Teams }): Handlers<typeof teams> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query),
    create: ({ body }, context) => operations.create(by(context), body),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(by(context), params.id, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(by(context), params.id, [context.ifMatch]),
  }
}
