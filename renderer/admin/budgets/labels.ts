// How budgets are described: scopes, periods and limits.
import { BUDGET_LIMITS, type Budget, type BudgetAmount } from '#contract'
import { t } from '../../language/language.ts'
import { formatBytes, formatCount } from '../../ui/format.ts'

export const SCOPES = {
  key: t('Key'),
  consumer: t('Consumer'),
  session: t('Session'),
  program: t('MCP client'),
  tool: t('Tool'),
} as const

export const PERIODS = { hour: t('Hour'), day: t('Day'), month: t('Month') } as const

const AMOUNTS: Readonly<Record<BudgetAmount, (value: number) => string>> = {
  calls: (value) => t('{count} calls', { count: formatCount(value) }),
  bytes: formatBytes,
  tokens: (value) => t('{count} tokens', { count: formatCount(value) }),
  cost: (value) => t('{cost} of cost', { cost: value.toLocaleString('en', { maximumFractionDigits: 4 }) }),
}

type Limited = Pick<Budget, 'maxCalls' | 'maxBytes' | 'maxTokens' | 'maxCost' | 'stopLoops' | 'keepAboveBytes'>

/** Each limit, with its amount. */
export const limitsOf = (budget: Limited): readonly { readonly amount: BudgetAmount; readonly most: number }[] =>
  (Object.keys(BUDGET_LIMITS) as BudgetAmount[]) // the keys of the table
    .flatMap((amount) => {
      const most = budget[BUDGET_LIMITS[amount]]
      return most === null ? [] : [{ amount, most }]
    })

export const amountInWords = (amount: BudgetAmount, value: number): string => AMOUNTS[amount](value)

export const limitsInWords = (budget: Limited): string =>
  [
    ...limitsOf(budget).map(({ amount, most }) => amountInWords(amount, most)),
    ...(budget.keepAboveBytes === null
      ? []
      : [t('answers above {size} kept', { size: formatBytes(budget.keepAboveBytes) })]),
    ...(budget.stopLoops ? [t('loops stopped')] : []),
  ].join(', ')

export const scopeInWords = ({ per, only }: Pick<Budget, 'per' | 'only'>): string =>
  only === null ? t('Each {scope}', { scope: SCOPES[per].toLowerCase() }) : `${SCOPES[per]} ${only}`
