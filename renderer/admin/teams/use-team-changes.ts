// The changes to teams and to what belongs to them.
import type { ClientSummary, Team, UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { type RecordKind, useRecords } from '../../api/use-records.ts'

const paramsOf = ({ id }: Pick<Team, 'id'>) => ({ params: { id: String(id) } })

const TEAMS: RecordKind<Team, { readonly name: string }> = {
  keys: ['teams', 'users', 'clients', 'tools'],
  nameOf: ({ name }) => name,
  create: (body) => api.teams.create({ body }),
  update: (team, { name = team.name }) =>
    api.teams.update({ ...paramsOf(team), body: { name, revision: team.revision } }),
  remove: (team) => api.teams.delete({ ...paramsOf(team), ifMatch: team.revision }),
}

export function useTeamChanges() {
  const records = useRecords(TEAMS)
  const setUser = ({ username, revision }: UserRecord, teamId: number | null) =>
    api.users.setTeam({ params: { username }, body: { teamId, revision } })
  const setBackend = ({ name }: Pick<ClientSummary, 'name'>, teamId: number | null) =>
    api.clients.setTeam({ params: { name }, body: { teamId } })
  return {
    ...records,
    /** The undo moves the user to the team of before. */
    giveUser: (user: UserRecord, teamId: number | null, done: string) =>
      records.run(setUser(user, teamId), done, (moved) => setUser(moved, user.teamId)),
    giveBackend: (backend: Pick<ClientSummary, 'name' | 'teamId'>, teamId: number | null, done: string) =>
      records.run(setBackend(backend, teamId), done, () => setBackend(backend, backend.teamId)),
  }
}
