// Teams: create, rename, delete when empty; and the check before a record is given to one. Contract 7.6.
import type { Team } from '../../contract/admin/teams.ts'
import { GatewayError } from '../../contract/error.ts'
import { createOwned, ownerOf, type RecordBase } from '../../records/owned.ts'
import type { Query } from '../../storage/schema.ts'
import { belongingsOf, type TeamWithCounts, teamRows } from '../../storage/teams.ts'

export type Teams = ReturnType<typeof createTeams>

const notFound = (): GatewayError => new GatewayError('TEAM_NOT_FOUND', 'There is no such team')

function teamRecord(row: TeamWithCounts): Team {
  const { teamId: _own, ...owner } = ownerOf(row)
  return { id: row.id, name: row.name, clients: row.clients ?? 0, users: row.users ?? 0, ...owner }
}

/** In the transaction that gives something to the team: the team cannot be deleted in the meantime. */
export async function requireTeam(query: Query, id: number | null): Promise<void> {
  if (id !== null && (await teamRows.byId(query, id)) === undefined) throw notFound()
}

export const createTeams = (base: RecordBase) =>
  createOwned(
    {
      rows: teamRows,
      noun: 'team',
      key: 'id',
      order: 'name',
      notFound,
      taken: (name) => new GatewayError('ALREADY_EXISTS', `There is a team "${name}" already`),
      settingsOf: ({ name }) => ({ name }),
      columnsOf: () => ({}),
      present: teamRecord,
      auditMore: (id) => ({ id }),
      async detach(tx, { id }) {
        // Members of a deleted team would become superadmins, and all users would see its records.
        const details = await belongingsOf(tx, id)
        if (details.clients + details.users + details.other > 0)
          throw new GatewayError('TEAM_NOT_EMPTY', 'Something belongs to this team still: move or delete it first', {
            details,
          })
        return { committed: () => undefined }
      },
    },
    base,
  )
