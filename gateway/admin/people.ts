// Changes of the own user record open its session again.
import type { Cookies } from '../auth/cookies.ts'
import type { users } from '../contract/admin/users.ts'
import type { Users } from '../operations/people/users.ts'
import type { ActorContext, Handlers } from './mount.ts'
import { giveSession, originOf } from './own-session.ts'

type ChangedUser = Awaited<ReturnType<Users['update']>>

export function userHandlers(operations: Users, cookies: Cookies): Pick<Handlers<typeof users>, 'update' | 'setTeam'> {
  const own = (context: ActorContext) => ({ session: context.session, from: originOf(context) })
  const shown = (context: ActorContext, { user, reopened }: ChangedUser) => {
    if (reopened) giveSession(context, cookies, reopened)
    return user
  }
  return {
    async update({ params, body: { is_active, isActive = is_active, revision, ...change } }, context) {
      const expected = [context.ifMatch, revision]
      const { username } = params
      return shown(context, await operations.update(context, username, { ...change, isActive }, expected, own(context)))
    },
    async setTeam({ params, body: { teamId, revision } }, context) {
      const expected = [context.ifMatch, revision]
      return shown(context, await operations.setTeam(context, params.username, teamId, expected, own(context)))
    },
  }
}
