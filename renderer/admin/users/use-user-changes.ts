// The changes to users.
import type { Role, UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { type RecordKind, useRecords } from '../../ui/use-records.ts'

/** As it is created, with the link of its invitation. */
type MadeUser = UserRecord & { readonly invitationUrl?: string | undefined }
type UserInput = {
  readonly username: string
  readonly password?: string
  readonly invitation?: { readonly expiresAt: string }
  readonly role: Role
  readonly teamId: number | null
  readonly isActive: boolean
}

const paramsOf = ({ username }: Pick<UserRecord, 'username'>) => ({ params: { username } })

const USERS: RecordKind<MadeUser, UserInput> = {
  keys: ['users', 'overview'],
  nameOf: ({ username }) => username,
  create: ({ isActive: _isActive, ...body }) => api.users.create({ body }),
  // A user name cannot change, and the team has a route of its own.
  update: (user, { username: _username, teamId: _teamId, invitation: _invitation, ...change }) =>
    api.users.update({ ...paramsOf(user), body: { ...change, revision: user.revision } }),
  remove: (user) => api.users.delete({ ...paramsOf(user), ifMatch: user.revision }),
}

export function useUserChanges() {
  const records = useRecords(USERS)
  const moved = ({ username, revision }: UserRecord, teamId: number | null) =>
    api.users.setTeam({ ...paramsOf({ username }), body: { teamId, revision } })
  return {
    ...records,
    setTeam: (user: UserRecord, teamId: number | null) =>
      records.run(
        moved(user, teamId),
        ({ teamId: team, username }) =>
          team === null
            ? t('{username} has no team now', { username })
            : t('{username} changed the team', { username }),
        (changed) => moved(changed, user.teamId),
      ),
    invite: (username: string, body: { readonly expiresAt: string }) =>
      records.settled(api.users.invite({ params: { username }, body })),
    revokeInvitation: ({ username }: UserRecord) =>
      records.run(
        api.users.revokeInvitation({ params: { username } }),
        t('The invitation of {username} was revoked', { username }),
      ),
    /** Without an undo: the former password is not stored. */
    setPassword: (user: UserRecord, password: string) =>
      records.run(
        USERS.update(user, { password }),
        t('The password of {username} was changed', { username: user.username }),
      ),
  }
}
