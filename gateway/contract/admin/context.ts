// What lists and answers cost models in tokens, by list, tool, client and run, and what each measure would save.
import { z } from 'zod'
import { LIST_MODES } from '../names.ts'
import { Iso, When } from '../page.ts'
import { routes } from '../route.ts'
import { ListCost } from './bundles.ts'

const count = z.number().int()
const amounts = { calls: count, bytes: count, tokens: count, cost: z.number() }

const ListUse = z.object({
  bundle: z.string().nullable(),
  client: z.string().nullable().describe('the backend, where it is not a bundle'),
  listMode: z.enum(LIST_MODES),
  cost: ListCost,
  listed: count.describe('tokens of the list as it is shown to clients without a tool search of their own'),
  sessions: count,
  saves: count.describe('tokens that the cheapest form would save in these sessions'),
})
export type ListUse = z.infer<typeof ListUse>

const ToolUse = z.object({
  client: z.string().nullable().describe('the backend; null for a composite and result_query'),
  tool: z.string(),
  ...amounts,
  tokensPerCall: count,
  contextBudget: z.string().nullable(),
  saves: count.describe('tokens that a context budget would save: answers above it as an outline with a handle'),
})
export type ToolUse = z.infer<typeof ToolUse>

const ProgramUse = z.object({
  program: z.string().nullable().describe('the name that the MCP client gave itself'),
  ...amounts,
  sessions: count,
  searchesItself: z.boolean(),
})
export type ProgramUse = z.infer<typeof ProgramUse>

const ContextUse = z.object({
  from: Iso,
  to: Iso,
  lists: z.array(ListUse),
  tools: z.array(ToolUse),
  programs: z.array(ProgramUse),
})
export type ContextUse = z.infer<typeof ContextUse>

const Run = z.object({
  session: z.string().describe('a hash of the session'),
  principal: z.string(),
  program: z.string().nullable(),
  bundle: z.string().nullable(),
  client: z.string().nullable(),
  from: Iso,
  to: Iso,
  refused: count,
  ...amounts,
})
export type Run = z.infer<typeof Run>

const RunReport = Run.extend({
  tools: z.array(z.object({ client: z.string(), tool: z.string(), ...amounts })),
  refusals: z.array(z.object({ code: z.string(), count })),
  listed: count.describe('tokens of its list of tools'),
  kept: z.object({ results: count, bytes: count, tokens: count }).describe('large answers that can be queried now'),
  saved: count.describe('tokens that the form of the list and kept results saved'),
})
export type RunReport = z.infer<typeof RunReport>

const WINDOW = { from: When.optional(), to: When.optional() }

export const context = routes({
  use: {
    method: 'GET',
    path: '/admin-api/context',
    access: 'operator',
    summary:
      'Tokens listed and returned, by list, tool and client, and what measures would save; the last day by default',
    query: z.strictObject(WINDOW),
    reply: ContextUse,
  },
  runs: {
    method: 'GET',
    path: '/admin-api/runs',
    access: 'operator',
    summary: 'The latest runs (sessions) with their calls and tokens',
    query: z.strictObject({ ...WINDOW, limit: z.coerce.number().int().min(1).max(200).default(50) }),
    reply: z.object({ items: z.array(Run) }),
  },
  run: {
    method: 'GET',
    path: '/admin-api/run',
    access: 'operator',
    summary: 'The report of one run: calls, tokens, bytes, cost, refusals, kept results and savings',
    query: z.strictObject({ session: z.string().regex(/^[\w-]{8,128}$/, 'must be the hash of a session') }),
    reply: z.object({ report: RunReport.nullable().describe('null without a call in the last 7 days') }),
  },
})
