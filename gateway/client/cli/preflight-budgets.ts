// Budgets that are used up: what the gateway counted in their period for a key, a consumer or a tool.
import { BUDGET_LIMITS, type Budget, type BudgetAmount, type BudgetUse } from '../../contract/admin/budgets.ts'
import type { Context } from './command.ts'
import { allPages } from './noun-commands.ts'

const AMOUNTS = Object.keys(BUDGET_LIMITS) as readonly BudgetAmount[] // the keys of the table

const isSpent = (budget: Budget, { used }: BudgetUse): boolean =>
  AMOUNTS.some((amount) => used[amount] >= (budget[BUDGET_LIMITS[amount]] ?? Number.POSITIVE_INFINITY))

/** Asks whether a budget of this scope is used up for a subject: `mcp-key:1`, the name of a consumer, `client__tool`, a client. */
export type IsSpent = (per: Budget['per'], subject: string) => boolean

/** The label before a key changes, and is not read yet for a new key. */
const principalIn = (subject: string): string => /\((mcp-key:\d{1,15})\)$/.exec(subject)?.[1] ?? subject

/** A budget of a team is about backends of that team. */
export async function spentBudgets({ api }: Context, teamId: number | null): Promise<IsSpent> {
  const spent = new Set<string>()
  for (const budget of await allPages((query) => api.budgets.list({ query }))) {
    if (budget.teamId !== null && budget.teamId !== teamId) continue
    const { items } = await api.budgets.usage({ params: { id: String(budget.id) } })
    for (const use of items) if (isSpent(budget, use)) spent.add(`${budget.per} ${principalIn(use.subject)}`)
  }
  return (per, subject) => spent.has(`${per} ${subject}`)
}
