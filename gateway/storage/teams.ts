// Teams in the database, and what belongs to them: SQL in, rows out.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

type TeamRow = Selectable<Schema['teams']>
export type TeamWithCounts = TeamRow & { readonly clients: number | null; readonly users: number | null }
export type Belongings = { readonly clients: number; readonly users: number; readonly other: number }

/** Every table whose rows belong to a team, beside backends and users. */
const OTHER = [
  'alert_rules',
  'bundles',
  'catalog_entries',
  'composites',
  'consumers',
  'guard_policies',
  'mcp_keys',
  'schedules',
  'ws_targets',
] as const

export async function teamById(query: Query, id: number): Promise<TeamWithCounts | undefined> {
  return withCounts(query).where('teams.id', '=', id).executeTakeFirst()
}

export async function teamByName(query: Query, name: string): Promise<TeamRow | undefined> {
  return query.selectFrom('teams').selectAll().where('name', '=', name).executeTakeFirst()
}

/** By name; `only` is the one team a scoped caller may see. */
export async function teamsAfter(
  query: Query,
  { after, only, limit }: { readonly after: string | undefined; readonly only: number | null; readonly limit: number },
): Promise<TeamWithCounts[]> {
  return withCounts(query)
    .$if(after !== undefined, (rows) => rows.where('teams.name', '>', after ?? ''))
    .$if(only !== null, (rows) => rows.where('teams.id', '=', only ?? 0))
    .orderBy('teams.name')
    .limit(limit)
    .execute()
}

function withCounts(query: Query) {
  return query
    .selectFrom('teams')
    .selectAll('teams')
    .select(({ selectFrom }) => [
      selectFrom('backends')
        .whereRef('backends.team_id', '=', 'teams.id')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('clients'),
      selectFrom('users')
        .whereRef('users.team_id', '=', 'teams.id')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('users'),
    ])
}

export async function belongingsOf(query: Query, id: number): Promise<Belongings> {
  const count = async (table: 'backends' | 'users' | (typeof OTHER)[number]): Promise<number> => {
    const { n } = await query
      .selectFrom(table)
      .where('team_id', '=', id)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return n
  }
  let other = 0
  for (const table of OTHER) other += await count(table)
  return { clients: await count('backends'), users: await count('users'), other }
}

export async function insertTeam(tx: Tx, row: Insertable<Schema['teams']>): Promise<number> {
  const { id } = await tx.insertInto('teams').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The revision moves with every change. */
export async function updateTeam(tx: Tx, id: number, change: Updateable<Schema['teams']>): Promise<void> {
  await tx
    .updateTable('teams')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteTeam(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('teams').where('id', '=', id).execute()
}

export async function allTeams(query: Query): Promise<TeamRow[]> {
  return query.selectFrom('teams').selectAll().orderBy('name').execute()
}
