// Teams in the database, and what belongs to them: SQL in, rows out.
import { type OwnedRow, type OwnedRows, ownedRows } from './owned.ts'
import { countOf } from './rows.ts'
import type { Query } from './schema.ts'

export type TeamWithCounts = OwnedRow<'teams'> & {
  readonly team_id: number | null
  readonly clients: number | null
  readonly users: number | null
}
export type Belongings = { readonly clients: number; readonly users: number; readonly other: number }

/** Every table whose rows belong to a team, beside backends and users. */
const OTHER = [
  'alert_rules',
  'budgets',
  'bundles',
  'catalog_entries',
  'composites',
  'consumers',
  'guard_policies',
  'mcp_keys',
  'schedules',
  'ws_targets',
] as const

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
  const count = (table: 'backends' | 'users' | (typeof OTHER)[number]): Promise<number> =>
    countOf(query.selectFrom(table).where('team_id', '=', id))
  let other = 0
  for (const table of OTHER) other += await count(table)
  return { clients: await count('backends'), users: await count('users'), other }
}

const rows = ownedRows('teams')
const owned = (row: Omit<TeamWithCounts, 'team_id'>): TeamWithCounts => ({ ...row, team_id: row.id })

/** A team belongs to itself: its members see it, and no other one. */
export const teamRows: OwnedRows<'teams', TeamWithCounts> = {
  ...rows,
  async byId(query, id) {
    const row = await withCounts(query).where('teams.id', '=', id).executeTakeFirst()
    return row && owned(row)
  },
  async page(query, { from, teamId, limit }) {
    const after = 'afterName' in from ? from.afterName : undefined
    const found = await withCounts(query)
      .$if(after !== undefined, (all) => all.where('teams.name', '>', after ?? ''))
      .$if(teamId !== null, (all) => all.where('teams.id', '=', teamId ?? 0))
      .orderBy('teams.name')
      .limit(limit)
      .execute()
    return found.map(owned)
  },
  insert(tx, row) {
    const { team_id: _own, ...columns } = row as typeof row & { readonly team_id?: number | null } // as every owned record has
    return rows.insert(tx, columns)
  },
}
