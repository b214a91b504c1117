// What the window and main tell each other of the agents of this computer: their state, a plan, what was done.
import { z } from 'zod'

const AgentId = z.enum([
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini-cli',
  'windsurf',
  'opencode',
])
const Target = z.strictObject({ scope: z.enum(['client', 'bundle']), name: z.string().max(64) })
const EntryName = z.string().max(64)

export const AgentStatus = z.object({
  id: AgentId,
  label: z.string(),
  installed: z.boolean(),
  file: z.string(),
  /** What to do before it sees a change. */
  restart: z.string(),
  problem: z.string().nullable(),
  /** Starts programs only, so our bridge stands between. */
  bridged: z.boolean(),
  connections: z
    .array(
      z.object({
        name: z.string(),
        url: z.string(),
        target: Target,
        state: z.enum(['connected', 'old-address', 'no-key', 'foreign']),
        lastUsedAt: z.string().nullable(),
        lastUsedClient: z.string().nullable(),
      }),
    )
    .readonly(),
})
export type AgentStatus = z.infer<typeof AgentStatus>
export type AgentConnection = AgentStatus['connections'][number]

const AgentChange = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('connect'), agent: AgentId, name: EntryName, target: Target }),
  z.strictObject({ do: z.enum(['move', 'disconnect']), agent: AgentId, name: EntryName }),
])
export type AgentChange = z.infer<typeof AgentChange>

const AgentPlan = z.object({
  file: z.string(),
  diff: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })).readonly(),
  creates: z.boolean(),
  command: z.string().nullable(),
  notes: z.array(z.string()).readonly(),
  restart: z.string(),
  version: z.string(),
})
export type AgentPlan = z.infer<typeof AgentPlan>

export const AgentsAsk = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('list') }),
  z.strictObject({ ask: z.literal('plan'), change: AgentChange }),
  z.strictObject({ ask: z.literal('apply'), change: AgentChange, version: z.string().max(64) }),
  z.strictObject({ ask: z.literal('undo'), ticket: z.string().max(64) }),
  z.strictObject({ ask: z.literal('extension'), name: EntryName, target: Target }),
])
export type AgentsAsk = z.infer<typeof AgentsAsk>

export const AgentsAnswer = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('list'), agents: z.array(AgentStatus).readonly() }),
  z.object({ answer: z.literal('plan'), plan: AgentPlan }),
  z.object({
    answer: z.literal('apply'),
    undo: z.string(),
    backup: z.string().nullable(),
    restart: z.string(),
  }),
  z.object({ answer: z.literal('undo') }),
  z.object({ answer: z.literal('extension'), filename: z.string(), base64: z.string(), key: z.string() }),
  /** Why nothing was done, in the form of the admin API's errors. */
  z.object({ answer: z.literal('fault'), code: z.string(), message: z.string(), requestId: z.string() }),
])
export type AgentsAnswer = z.infer<typeof AgentsAnswer>
