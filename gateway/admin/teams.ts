// Teams.
import type { teams } from '../contract/admin/teams.ts'
import { idIn } from '../contract/page.ts'
import type { Teams } from '../operations/people/teams.ts'
import type { Handlers } from './mount.ts'

/** What is no id is the id of nothing. */
const idOf = ({ id }: { readonly id: string }): number => idIn(id) ?? 0

export function teamHandlers({ teams: operations }: { readonly teams: Teams }): Handlers<typeof teams> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query),
    create: ({ body }, context) => operations.create(context, body),
    get: ({ params }, { actor }) => operations.get(actor, idOf(params)),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(context, idOf(params), change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(context, idOf(params), [context.ifMatch]),
  }
}
