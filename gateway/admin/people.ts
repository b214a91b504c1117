// Admin users and teams.
import type { Cookies } from '../auth/cookies.ts'
import type { teams } from '../contract/admin/teams.ts'
import type { users } from '../contract/admin/users.ts'
import { idIn } from '../contract/page.ts'
import type { Teams } from '../operations/people/teams.ts'
import type { Users } from '../operations/people/users.ts'
import type { Handlers } from './mount.ts'
import { giveSession, originOf } from './own-session.ts'

/** Returns an id no team has for text that is no id. */
const idOf = ({ id }: { readonly id: string }): number => idIn(id) ?? 0

export const userHandlers = (operations: Users, cookies: Cookies): Handlers<typeof users> => ({
  list: ({ query }) => operations.list(query),
  create: ({ body }, context) => operations.create(context, body),
  get: ({ params }) => operations.get(params.username),
  async update({ params, body: { is_active, isActive = is_active, revision, ...change } }, context) {
    const own = { session: context.session, from: originOf(context) }
    const expected = [context.ifMatch, revision]
    const { user, reopened } = await operations.update(context, params.username, { ...change, isActive }, expected, own)
    if (reopened) giveSession(context, cookies, reopened)
    return user
  },
  async setTeam({ params, body: { teamId, revision } }, context) {
    const own = { session: context.session, from: originOf(context) }
    const expected = [context.ifMatch, revision]
    const { user, reopened } = await operations.setTeam(context, params.username, teamId, expected, own)
    if (reopened) giveSession(context, cookies, reopened)
    return user
  },
  delete: ({ params }, context) => operations.delete(context, params.username, [context.ifMatch]),
})

export const teamHandlers = (operations: Teams): Handlers<typeof teams> => ({
  list: ({ query }, { actor }) => operations.list(actor, query),
  create: ({ body }, context) => operations.create(context, body),
  get: ({ params }, { actor }) => operations.get(actor, idOf(params)),
  update: ({ params, body: { revision, ...change } }, context) =>
    operations.update(context, idOf(params), change, [context.ifMatch, revision]),
  delete: ({ params }, context) => operations.delete(context, idOf(params), [context.ifMatch]),
})
