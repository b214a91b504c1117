// Budgets: how many calls, bytes, tokens and how much money answers may cost per key, consumer, session or tool.
import { z } from 'zod'
import { Label } from '../names.ts'
import { ownedInputs } from '../owned-inputs.ts'
import { ownedRoutes } from '../owned-routes.ts'
import { Id, Iso, OWNER_FIELDS } from '../page.ts'

export const BUDGET_SCOPES = ['key', 'consumer', 'session', 'program', 'tool'] as const
export const BUDGET_PERIODS = ['hour', 'day', 'month'] as const
/** What a budget counts, and the field that limits it. */
export const BUDGET_LIMITS = {
  calls: 'maxCalls',
  bytes: 'maxBytes',
  tokens: 'maxTokens',
  cost: 'maxCost',
} as const
export type BudgetAmount = keyof typeof BUDGET_LIMITS

const count = z.number().int().min(1).max(1_000_000_000_000).nullable()
const fields = {
  name: Label,
  per: z.enum(BUDGET_SCOPES),
  /** The label of a key, the name of a consumer, the name that an MCP client gives itself, or a backend or tool; null for each of them. */
  only: z.string().min(1).max(256).nullable(),
  /** Calendar periods in UTC. A session counts until it ends. */
  period: z.enum(BUDGET_PERIODS),
  maxCalls: count,
  maxBytes: count,
  maxTokens: count,
  /** In the currency of the prices of tools. */
  maxCost: z.number().positive().max(1_000_000_000).nullable(),
  /** Refuses the fourth of near-identical calls with near-identical answers in a session. */
  stopLoops: z.boolean(),
  /** A larger answer is kept, and its caller receives an outline and a handle. */
  keepAboveBytes: z.number().int().min(512).max(1_000_000_000).nullable(),
}

const NONE = { only: null, maxCalls: null, maxBytes: null, maxTokens: null, maxCost: null, keepAboveBytes: null }
const { input, change } = ownedInputs(fields, { ...NONE, period: 'month', stopLoops: false })
export const BudgetInput = input
export type BudgetInput = z.infer<typeof BudgetInput>

export const Budget = z.object({ id: Id, ...fields, ...OWNER_FIELDS })
export type Budget = z.infer<typeof Budget>

const amounts = { calls: z.number(), bytes: z.number(), tokens: z.number(), cost: z.number() }
export const BudgetUse = z.object({
  /** The key, consumer, session, MCP client or tool; the fullest first. */
  subject: z.string(),
  used: z.object(amounts),
  /** Null while a session lasts. */
  resetsAt: Iso.nullable(),
})
export type BudgetUse = z.infer<typeof BudgetUse>

export const budgets = ownedRoutes(
  {
    path: '/admin-api/budgets',
    key: 'id',
    noun: 'budget',
    read: 'viewer',
    write: 'admin',
    input,
    change,
    record: Budget,
    notFound: 'BUDGET_NOT_FOUND',
    errors: { create: ['BUDGET_EXISTS'], update: ['BUDGET_EXISTS'] },
    summaries: {
      list: 'List budgets by name',
      create: 'Create a budget',
      get: 'Read one budget',
      update: 'Change a budget; what was used stays',
      delete: 'Delete a budget',
    },
  },
  {
    usage: {
      method: 'GET',
      path: '/admin-api/budgets/:id/usage',
      access: 'viewer',
      summary: 'What was used of a budget in its period, by subject; on this instance since it counts',
      reply: z.object({ items: z.array(BudgetUse) }),
      errors: ['BUDGET_NOT_FOUND'],
    },
  },
)
