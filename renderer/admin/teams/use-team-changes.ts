// The changes to teams, their members and backends.
import type { ClientSummary, UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

const TEAMS = recordKind(api.teams, 'id', {
  keys: ['teams', 'users', 'clients', 'tools'],
})

export function useTeamChanges() {
  const records = useRecords(TEAMS)
  const setUser = ({ username, revision }: UserRecord, teamId: number | null) =>
    api.users.setTeam({ params: { username }, body: { teamId, revision } })
  const setBackend = ({ name }: Pick<ClientSummary, 'name'>, teamId: number | null) =>
    api.clients.setTeam({ params: { name }, body: { teamId } })
  return {
    ...records,
    /** The undo moves the user back to the previous team. */
    giveUser: (user: UserRecord, teamId: number | null, done: string) =>
      records.run(setUser(user, teamId), done, (moved) => setUser(moved, user.teamId)),
    giveBackend: (backend: Pick<ClientSummary, 'name' | 'teamId'>, teamId: number | null, done: string) =>
      records.run(setBackend(backend, teamId), done, () => setBackend(backend, backend.teamId)),
  }
}
