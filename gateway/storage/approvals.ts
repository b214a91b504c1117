// Approval tickets and what people decided: SQL in, rows out.
import { type Insertable, type Selectable, sql } from 'kysely'
import { countOf, rowsOf } from './rows.ts'
import type { Query, Schema, Tx } from './schema.ts'

export type TicketRow = Selectable<Schema['approvals']>
export type DecisionRow = Selectable<Schema['approval_decisions']>
/** With whose it is now: its backend's team, or the one it had when that is gone. */
export type OwnedTicket = TicketRow & { readonly owner: number | null; readonly received: number }

const owned = (query: Query) =>
  query
    .selectFrom('approvals')
    .leftJoin('backends', 'backends.id', 'approvals.backend_id')
    .selectAll('approvals')
    .select([
      sql<number | null>`case when backends.id is null then approvals.team_id else backends.team_id end`.as('owner'),
      sql<number>`(select count(*) from approval_decisions
        where approval_id = approvals.id and decision = 'approved')`.as('received'),
    ])

/** Undefined: of every team and of none. */
const ofTeam = (teamId: number | undefined) =>
  sql<boolean>`case when backends.id is null then approvals.team_id else backends.team_id end = ${teamId ?? 0}`

type TicketQuery = {
  readonly teamId: number | undefined
  readonly status: string | undefined
  readonly client: string | undefined
  readonly tool: string | undefined
  readonly before: number | undefined
  readonly limit: number
}

/** Newest first. */
export async function ticketsBefore(query: Query, wanted: TicketQuery): Promise<OwnedTicket[]> {
  const { teamId, status, client, tool, before, limit } = wanted
  return owned(query)
    .$if(teamId !== undefined, (rows) => rows.where(ofTeam(teamId)))
    .$if(status !== undefined, (rows) => rows.where('approvals.status', '=', status ?? ''))
    .$if(client !== undefined, (rows) => rows.where('approvals.client_name', '=', client ?? ''))
    .$if(tool !== undefined, (rows) => rows.where('approvals.tool_name', '=', tool ?? ''))
    .$if(before !== undefined, (rows) => rows.where('approvals.id', '<', before ?? 0))
    .orderBy('approvals.id', 'desc')
    .limit(limit)
    .execute()
}

export async function ticketById(query: Query, id: number): Promise<OwnedTicket | undefined> {
  return owned(query).where('approvals.id', '=', id).executeTakeFirst()
}

/** What makes two calls the same one. */
export type Binding = Pick<
  TicketRow,
  'backend_id' | 'tool_name' | 'args_hash' | 'definition_hash' | 'principal' | 'actor'
>

/** One that waits or may be used still. */
export async function openTicket(query: Query, binding: Binding): Promise<OwnedTicket | undefined> {
  return owned(query)
    .where('approvals.backend_id', '=', binding.backend_id)
    .where('approvals.tool_name', '=', binding.tool_name)
    .where('approvals.args_hash', '=', binding.args_hash)
    .where('approvals.definition_hash', '=', binding.definition_hash)
    .where('approvals.principal', '=', binding.principal)
    .where('approvals.actor', '=', binding.actor)
    .where('approvals.status', 'in', ['pending', 'approved'])
    .orderBy('approvals.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The call of the same tool that was approved last before this one. */
export async function approvedBefore(
  query: Query,
  { id, backend_id, tool_name }: Pick<TicketRow, 'id' | 'backend_id' | 'tool_name'>,
): Promise<Pick<TicketRow, 'id' | 'args' | 'approved_at'> | undefined> {
  return query
    .selectFrom('approvals')
    .select(['id', 'args', 'approved_at'])
    .where('backend_id', '=', backend_id)
    .where('tool_name', '=', tool_name)
    .where('id', '<', id)
    .where('approved_at', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function decisionsOf(query: Query, ids: readonly number[]): Promise<DecisionRow[]> {
  if (ids.length === 0) return []
  return query.selectFrom('approval_decisions').selectAll().where('approval_id', 'in', ids).orderBy('id').execute()
}

export type Queued = { readonly tickets: number; readonly own: number; readonly bytes: number }

/** How many wait, how many of them for this principal, and what their arguments weigh. */
export async function queued(query: Query, principal: string): Promise<Queued> {
  const { tickets, own, bytes } = await query
    .selectFrom('approvals')
    .where('status', '=', 'pending')
    .select(({ fn }) => [
      fn.countAll<number>().as('tickets'),
      sql<number | null>`sum(case when principal = ${principal} then 1 else 0 end)`.as('own'),
      sql<number | null>`sum(length(args))`.as('bytes'),
    ])
    .executeTakeFirstOrThrow()
  return { tickets, own: own ?? 0, bytes: bytes ?? 0 }
}

export const countPending = (query: Query, teamId: number | null): Promise<number> =>
  countOf(
    query
      .selectFrom('approvals')
      .leftJoin('backends', 'backends.id', 'approvals.backend_id')
      .where('approvals.status', '=', 'pending')
      .$if(teamId !== null, (rows) => rows.where(ofTeam(teamId ?? 0))),
  )

export const { insert: insertTicket } = rowsOf('approvals')

export async function insertDecision(tx: Tx, row: Insertable<Schema['approval_decisions']>): Promise<void> {
  await tx.insertInto('approval_decisions').values(row).execute()
}

export async function approveTicket(tx: Tx, id: number, at: string, expiresAt: string): Promise<void> {
  await tx
    .updateTable('approvals')
    .set({ status: 'approved', approved_at: at, expires_at: expiresAt })
    .where('id', '=', id)
    .execute()
}

export async function rejectTicket(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('approvals').set({ status: 'rejected' }).where('id', '=', id).execute()
}

/** True for the one call that gets it. */
export async function useTicket(tx: Tx, id: number, binding: Binding, at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('approvals')
    .set({ status: 'consumed', consumed_at: at })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .where('expires_at', '>', at)
    .where('backend_id', '=', binding.backend_id)
    .where('tool_name', '=', binding.tool_name)
    .where('args_hash', '=', binding.args_hash)
    .where('definition_hash', '=', binding.definition_hash)
    .where('principal', '=', binding.principal)
    .where('actor', '=', binding.actor)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const overdue = (query: Query, at: string) =>
  query.selectFrom('approvals').where('status', 'in', ['pending', 'approved']).where('expires_at', '<=', at)

export async function anyOverdue(query: Query, at: string): Promise<boolean> {
  return (await overdue(query, at).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** The expired ones, each returned once. */
export async function expireTickets(tx: Tx, at: string): Promise<TicketRow[]> {
  const rows = await overdue(tx, at).selectAll().orderBy('id').execute()
  for (const { id } of rows) await tx.updateTable('approvals').set({ status: 'expired' }).where('id', '=', id).execute()
  return rows
}
