// Teams: create, rename, delete when empty; and the check every other operation asks before it gives a record to one. Contract 7.6.
import type { Team } from '../../contract/admin/teams.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { type By, type Changes, difference, type Revision, requireRevision } from '../../records/changes.ts'
import type { Database } from '../../storage/database.ts'
import { afterName, type Paging, pageByName } from '../../storage/page.ts'
import type { Query } from '../../storage/schema.ts'
import {
  belongingsOf,
  deleteTeam,
  insertTeam,
  type TeamWithCounts,
  teamById,
  teamByName,
  teamsAfter,
  updateTeam,
} from '../../storage/teams.ts'

type Parts = { readonly database: Database; readonly changes: Changes; readonly clock: { now(): number } }
export type Teams = ReturnType<typeof createTeams>

const notFound = (): GatewayError => new GatewayError('TEAM_NOT_FOUND', 'There is no such team')

const teamRecord = (row: TeamWithCounts): Team => ({
  id: row.id,
  name: row.name,
  clients: row.clients ?? 0,
  users: row.users ?? 0,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  createdBy: row.created_by,
})

/** In the transaction that gives something to the team: it cannot go meanwhile. */
export async function requireTeam(query: Query, id: number | null): Promise<void> {
  if (id !== null && (await teamById(query, id)) === undefined) throw notFound()
}

async function required(query: Query, id: number): Promise<TeamWithCounts> {
  const row = await teamById(query, id)
  if (row === undefined) throw notFound()
  return row
}

async function requireFree(query: Query, name: string): Promise<void> {
  if (await teamByName(query, name)) throw new GatewayError('ALREADY_EXISTS', `There is a team "${name}" already`)
}

export function createTeams({ database, changes, clock }: Parts) {
  const at = (): string => new Date(clock.now()).toISOString()
  return {
    async list({ teamId }: Actor, { limit, cursor }: Paging): Promise<Page<Team>> {
      const rows = await teamsAfter(database.query, { after: afterName(cursor), only: teamId, limit: limit + 1 })
      return pageByName(rows.map(teamRecord), limit, ({ name }) => name)
    },

    async get(actor: Actor, id: number): Promise<Team> {
      if (!mayTouch(actor, { teamId: id })) throw notFound()
      return teamRecord(await required(database.query, id))
    },

    create: (by: By, { name }: { readonly name: string }): Promise<Team> =>
      changes(by, async (tx, audit) => {
        await requireFree(tx, name)
        const now = at()
        const id = await insertTeam(tx, {
          name,
          revision: 1,
          created_at: now,
          updated_at: now,
          created_by: by.actor.name,
        })
        await audit('team.create', name, { id })
        return teamRecord(await required(tx, id))
      }),

    update: (
      by: By,
      id: number,
      change: { readonly name?: string | undefined },
      expected: readonly Revision[],
    ): Promise<Team> =>
      changes(by, async (tx, audit) => {
        const row = await required(tx, id)
        requireRevision(row.revision, expected)
        const changed = difference({ name: row.name }, { name: change.name ?? row.name })
        if (!changed) return teamRecord(row)
        const name = change.name ?? row.name
        await requireFree(tx, name)
        await updateTeam(tx, id, { name, updated_at: at() })
        await audit('team.update', name, { id, ...changed })
        return teamRecord(await required(tx, id))
      }),

    delete: (by: By, id: number, expected: readonly Revision[]): Promise<void> =>
      changes(by, async (tx, audit) => {
        const row = await required(tx, id)
        requireRevision(row.revision, expected)
        // Whoever lost the team by this would become a superadmin, and its records everybody's.
        const details = await belongingsOf(tx, id)
        if (details.clients + details.users + details.other > 0)
          throw new GatewayError('TEAM_NOT_EMPTY', 'Something belongs to this team still: move or delete it first', {
            details,
          })
        await deleteTeam(tx, id)
        await audit('team.delete', row.name, { id })
      }),
  }
}
