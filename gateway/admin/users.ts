// Admin users.
import type { Cookies } from '../auth/cookies.ts'
import type { users } from '../contract/admin/users.ts'
import type { Users } from '../operations/people/users.ts'
import type { Handlers } from './mount.ts'
import { giveSession, originOf } from './own-session.ts'

type Parts = { readonly users: Users; readonly cookies: Cookies }

export function userHandlers({ users: operations, cookies }: Parts): Handlers<typeof users> {
  return {
    list: ({ query }) => operations.list(query),
    create: ({ body }, context) => operations.create(context, body),
    get: ({ params }) => operations.get(params.username),
    async update({ params, body: { is_active, isActive = is_active, revision, ...change } }, context) {
      const own = { session: context.session, from: originOf(context) }
      const expected = [context.ifMatch, revision]
      const { user, reopened } = await operations.update(
        context,
        params.username,
        { ...change, isActive },
        expected,
        own,
      )
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
  }
}
