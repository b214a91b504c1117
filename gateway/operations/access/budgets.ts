// Budgets: records, and what was used of them.
import type { Budget, BudgetInput, BudgetUse } from '../../contract/admin/budgets.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Actor } from '../../contract/role.ts'
import type { Budgets } from '../../pipeline/3-policy/budgets.ts'
import { createOwned, ownerOf, type RecordBase } from '../../records/owned.ts'
import { type BudgetRow, budgetRows } from '../../storage/budgets.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'

export function settingsOf({ name, settings }: Pick<BudgetRow, 'name' | 'settings'>): BudgetInput {
  const stored = fromText(settings)
  // Budgets of older versions have none.
  return { name, ...stored, keepAboveBytes: stored.keepAboveBytes ?? null }
}
export const budgetColumns = ({ per, only, period, ...limits }: Omit<BudgetInput, 'name'>) => {
  const { maxCalls, maxBytes, maxTokens, maxCost, stopLoops, keepAboveBytes } = limits
  return {
    settings: jsonText({ per, only, period, maxCalls, maxBytes, maxTokens, maxCost, stopLoops, keepAboveBytes }),
  }
}

function check(budget: BudgetInput): BudgetInput {
  const { maxCalls, maxBytes, maxTokens, maxCost, stopLoops, keepAboveBytes } = budget
  if (stopLoops || [maxCalls, maxBytes, maxTokens, maxCost, keepAboveBytes].some((most) => most !== null)) return budget
  const message = 'A budget limits something: give maxCalls, maxBytes, maxTokens, maxCost, keepAboveBytes or stopLoops.'
  throw new GatewayError('VALIDATION_ERROR', message, { fields: [{ path: 'maxCalls', message }] })
}

export function createBudgetRecords({ budgets, ...base }: RecordBase & { readonly budgets: Budgets }) {
  const owned = createOwned(
    {
      rows: budgetRows,
      noun: 'budget',
      key: 'id',
      order: 'name',
      notFound: () => new GatewayError('BUDGET_NOT_FOUND', 'There is no such budget'),
      taken: (name) => new GatewayError('BUDGET_EXISTS', `There is a budget "${name}" already`),
      settingsOf,
      columnsOf: ({ name: _name, ...settings }: BudgetInput) => budgetColumns(settings),
      check,
      present: (row: BudgetRow): Budget => ({ id: row.id, ...settingsOf(row), ...ownerOf(row) }),
      saved: () => budgets.reload(),
      detach: async () => ({ committed: () => budgets.reload() }),
    },
    base,
  )

  return {
    ...owned,

    async usage(actor: Actor, given: string): Promise<{ items: BudgetUse[] }> {
      const { id } = await owned.required(base.database.query, actor, given)
      return { items: [...budgets.used(id)] }
    },
  }
}
