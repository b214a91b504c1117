// The changes to teams and to what belongs to them; each leaves lists and details true, also when it was refused.
import type { ClientSummary, Team, UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

export function useTeamChanges() {
  const { settled } = useInvalidate('teams', 'users', 'clients', 'tools')
  const paramsOf = ({ id }: Pick<Team, 'id'>) => ({ params: { id: String(id) } })
  const setUser = ({ username, revision }: UserRecord, teamId: number | null) =>
    settled(api.users.setTeam({ params: { username }, body: { teamId, revision } }))
  const setBackend = ({ name }: Pick<ClientSummary, 'name'>, teamId: number | null) =>
    settled(api.clients.setTeam({ params: { name }, body: { teamId } }))
  return {
    create: (name: string) => settled(api.teams.create({ body: { name } })),
    async rename(team: Team, name: string): Promise<void> {
      await settled(api.teams.update({ ...paramsOf(team), body: { name, revision: team.revision } }))
      notifyDone(`${team.name} is called ${name} now`)
    },
    async remove(team: Team): Promise<void> {
      await settled(api.teams.delete({ ...paramsOf(team), ifMatch: team.revision }))
      notifyDone(`${team.name} was deleted`)
    },
    /** `from` is where it was before: the way back leads there. */
    async giveUser(user: UserRecord, teamId: number | null, done: string): Promise<void> {
      const moved = await setUser(user, teamId)
      notifyDone(done, () => setUser(moved, user.teamId))
    },
    async giveBackend(
      backend: Pick<ClientSummary, 'name' | 'teamId'>,
      teamId: number | null,
      done: string,
    ): Promise<void> {
      await setBackend(backend, teamId)
      notifyDone(done, () => setBackend(backend, backend.teamId))
    },
  }
}
