// The agents of this computer: their state, the plan of a change and its result, for window, desktop and command line.
import { z } from 'zod'
import { AGENT_IDS } from './agent-entry.ts'

const AgentId = z.enum(AGENT_IDS)
/** All tools of one backend, or a bundle. Never the control plane. */
const AgentTarget = z.strictObject({ scope: z.enum(['client', 'bundle']), name: z.string().max(64) })
export type AgentTarget = z.infer<typeof AgentTarget>
const EntryName = z.string().max(64)

export const AgentStatus = z.object({
  id: AgentId,
  label: z.string(),
  installed: z.boolean(),
  file: z.string(),
  /** What to do before it sees a change. */
  restart: z.string(),
  /** Why the file cannot be used. */
  problem: z.string().nullable(),
  /** Starts programs only, so our bridge connects it. */
  bridged: z.boolean(),
  connections: z
    .array(
      z.object({
        /** The name of the entry in the file. */
        name: z.string(),
        url: z.string(),
        target: AgentTarget,
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
  z.strictObject({ do: z.literal('connect'), agent: AgentId, name: EntryName, target: AgentTarget }),
  z.strictObject({ do: z.enum(['move', 'disconnect']), agent: AgentId, name: EntryName }),
])
export type AgentChange = z.infer<typeof AgentChange>

const AgentPlan = z.object({
  file: z.string(),
  diff: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })).readonly(),
  creates: z.boolean(),
  /** The program that the entry makes the agent start. */
  command: z.string().nullable(),
  notes: z.array(z.string()).readonly(),
  restart: z.string(),
  /** A hash of the file; it must still match when the plan is applied. */
  version: z.string(),
})
export type AgentPlan = z.infer<typeof AgentPlan>
export type DiffLine = AgentPlan['diff'][number]

export const AgentsAsk = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('list') }),
  z.strictObject({ ask: z.literal('plan'), change: AgentChange }),
  z.strictObject({ ask: z.literal('apply'), change: AgentChange, version: z.string().max(64) }),
  z.strictObject({ ask: z.literal('undo'), ticket: z.string().max(64) }),
  z.strictObject({ ask: z.literal('extension'), name: EntryName, target: AgentTarget }),
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
  /** Why the change failed, in the form of the admin API's errors. */
  z.object({ answer: z.literal('fault'), code: z.string(), message: z.string(), requestId: z.string() }),
])
export type AgentsAnswer = z.infer<typeof AgentsAnswer>
