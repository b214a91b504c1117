// Guard policies: SQL in, rows out.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Query, Schema, Tx } from './schema.ts'

export type PolicyRow = Selectable<Schema['guard_policies']>

export async function policyById(query: Query, id: number): Promise<PolicyRow | undefined> {
  return query.selectFrom('guard_policies').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function policyByName(query: Query, name: string): Promise<PolicyRow | undefined> {
  return query.selectFrom('guard_policies').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function policiesAfter(
  query: Query,
  {
    after,
    teamId,
    limit,
  }: { readonly after: string | undefined; readonly teamId: number | null; readonly limit: number },
): Promise<PolicyRow[]> {
  return query
    .selectFrom('guard_policies')
    .selectAll()
    .$if(teamId !== null, (all) => all.where('team_id', '=', teamId ?? 0))
    .$if(after !== undefined, (all) => all.where('name', '>', after ?? ''))
    .orderBy('name')
    .limit(limit)
    .execute()
}

export async function insertPolicy(tx: Tx, row: Insertable<Schema['guard_policies']>): Promise<number> {
  const { id } = await tx.insertInto('guard_policies').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The revision moves with every change. */
export async function updatePolicy(tx: Tx, id: number, change: Updateable<Schema['guard_policies']>): Promise<void> {
  await tx
    .updateTable('guard_policies')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deletePolicy(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('guard_policies').where('id', '=', id).execute()
}

export async function allPolicies(query: Query): Promise<PolicyRow[]> {
  return query.selectFrom('guard_policies').selectAll().orderBy('name').execute()
}
