// The changes to budgets.
import { api } from '../../api/api.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

const BUDGETS = recordKind(api.budgets, 'id', { keys: ['budgets'] })

export const useBudgetChanges = () => useRecords(BUDGETS)
