// Budgets in the database, and what calls of a period have used already.
import { RESULT_TOOL } from '../contract/names.ts'
import { sumUp } from './call-sums.ts'
import { type OwnedRow, ownedRows } from './owned.ts'
import type { Query } from './schema.ts'

export type BudgetRow = OwnedRow<'budgets'>
export const budgetRows = ownedRows('budgets')

type Of = {
  readonly principal?: string
  readonly consumerId?: number
  /** Empty for what the gateway itself answers. */
  readonly client?: string
  readonly tool?: string
}

/** Calls and bytes of answers by tool; refused calls do not count. */
export async function usedSince(
  query: Query,
  { principal, client, ...of }: Of,
  { fromMs, toMs, teamId }: { readonly fromMs: number; readonly toMs: number; readonly teamId: number | null },
): Promise<
  readonly { readonly client: string; readonly tool: string; readonly calls: number; readonly bytes: number }[]
> {
  const groups = await sumUp(
    query,
    { ...of, ...(client && { client }), fromMs, toMs, teamId },
    {
      by: ['client', 'tool'],
      onlyCounts: true,
      where: (series) =>
        series.outcome !== 'refused' &&
        // Composites and unknown tools do not count; their steps do.
        (series.client !== '' || series.tool === RESULT_TOOL) &&
        (client === undefined || series.client === client) &&
        (principal === undefined || series.principal === principal),
    },
  )
  return groups.map(({ series: { client, tool }, sum: { calls, bytes } }) => ({ client, tool, calls, bytes }))
}

/** Keys by id and consumers by name, which budgets name. */
export async function budgetNames(query: Query) {
  const keys = await query.selectFrom('mcp_keys').select(['id', 'label']).execute()
  const consumers = await query.selectFrom('consumers').select(['id', 'name']).execute()
  return {
    keys: new Map(keys.map(({ id, label }) => [id, label])),
    consumers: new Map(consumers.map(({ id, name }) => [id, name])),
  }
}
