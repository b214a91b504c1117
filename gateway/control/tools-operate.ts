// The tools of daily work, for operators and admins.
import { z } from 'zod'
import { BREAKER_STATES, ClientSummary } from '../contract/admin/clients.ts'
import { Diagnosis, WINDOW_MS } from '../contract/admin/diagnosis.ts'
import { register } from '../contract/admin/register.ts'
import { Guards, GuardsPatch } from '../contract/admin/tool-guards.ts'
import { RegisterResult, RegistrationPayload } from '../contract/registration.ts'
import { unknownFields } from '../operations/backends/unknown-fields.ts'
import { type SysTool, sysTool, type ToolScope } from './tool.ts'

const common = { tier: 'operate', stepUp: 'none', idempotent: true } as const
const name = z.string().describe('name of the backend')
const pair = { client: z.string().describe('name of the backend'), tool: z.string().describe('bare name of the tool') }
const client = ({ name }: { readonly name: string }): readonly ToolScope[] => [{ kind: 'client', client: name }]
const tool = ({ client, tool }: { readonly client: string; readonly tool: string }): readonly ToolScope[] => [
  { kind: 'tool', client, tool },
]

/** The pair that is meant: `tool` alone may hold both. */
function pairOf(args: { readonly client?: string | undefined; readonly tool: string }): {
  client: string
  tool: string
} {
  const at = args.client === undefined ? args.tool.indexOf('__') : -1
  return { client: args.client ?? args.tool.slice(0, Math.max(0, at)), tool: args.tool.slice(at === -1 ? 0 : at + 2) }
}

export const OPERATE_TOOLS: readonly SysTool[] = [
  sysTool({
    ...common,
    reads: true,
    name: 'sys_diagnose',
    title: 'Diagnose a tool',
    description:
      'Why one tool is refused: guards, health, breaker, flags, denials of the window, and for each refusing layer the setting that decides and the fix. Changes nothing.',
    args: z
      .strictObject({
        client: z.string().optional().describe('may be left out when tool is client__tool'),
        tool: z.string(),
        windowMs: z.number().int().min(WINDOW_MS.least).max(WINDOW_MS.most).default(WINDOW_MS.usual),
      })
      .refine(({ client, tool }) => client !== undefined || tool.indexOf('__') > 0, {
        path: ['client'],
        message: 'is needed unless tool is client__tool',
      }),
    reply: Diagnosis,
    targets: (args) => tool(pairOf(args)),
    run: (args, { operations, caller }) => {
      const { client, tool } = pairOf(args)
      return operations.diagnoses.diagnose(caller.actor, client, tool, args)
    },
  }),
  sysTool({
    ...common,
    name: 'sys_set_client_enabled',
    title: 'Enable or disable a backend',
    description: 'Switches a backend on or off. While it is off none of its tools can be called.',
    args: z.strictObject({ name, enabled: z.boolean() }),
    reply: ClientSummary,
    targets: client,
    run: ({ name, enabled }, { operations, by }) => operations.backends.update(by, name, { enabled }, []),
  }),
  sysTool({
    ...common,
    name: 'sys_set_tool_enabled',
    title: 'Enable or disable a tool',
    description: 'Switches one tool on or off.',
    args: z.strictObject({ ...pair, enabled: z.boolean() }),
    reply: z.object({ client: z.string(), tool: z.string(), enabled: z.boolean() }),
    targets: tool,
    run: ({ client, tool, enabled }, { operations, by }) => operations.tools.update(by, client, tool, { enabled }, []),
  }),
  sysTool({
    ...common,
    name: 'sys_set_guard',
    title: 'Set the guards of a tool',
    description:
      'Sets rate limit, timeout and key allowlist of one tool; what is left out stays as it is. guards: null clears all of them.',
    args: z.strictObject({ ...pair, guards: GuardsPatch.nullable() }),
    reply: z.object({ client: z.string(), tool: z.string(), guards: Guards.nullable() }),
    targets: tool,
    run: ({ client, tool, guards }, { operations, by }) => operations.tools.update(by, client, tool, { guards }, []),
  }),
  sysTool({
    ...common,
    name: 'sys_reset_circuit_breaker',
    title: 'Reset a circuit breaker',
    description: "Forces a live backend's circuit breaker to closed.",
    args: z.strictObject({ name }),
    reply: z.object({ name: z.string(), state: z.literal('closed'), previousState: z.enum(BREAKER_STATES) }),
    targets: client,
    run: ({ name }, { operations, by }) => operations.backends.resetBreaker(by, name),
  }),
  sysTool({
    ...common,
    stepUp: 'confirm',
    openWorld: true,
    sameAs: register.register,
    name: 'sys_register_client',
    title: 'Register a backend',
    description:
      'Registers a REST, GraphQL or MCP backend, or discovers it again: its tools are live at once on /mcp/<name>. Its address is checked and pinned.',
    args: RegistrationPayload,
    reply: RegisterResult,
    targets: ({ name }) => [{ kind: 'new-client', client: name }],
    run: (payload, { operations, by, given }) =>
      operations.registration.register(by, payload, { warnings: unknownFields(given) }),
  }),
  sysTool({
    ...common,
    stepUp: 'confirm',
    idempotent: false,
    destructive: true,
    name: 'sys_delete_client',
    title: 'Delete a backend',
    description: 'Forgets a backend for good, with everything configured for it.',
    args: z.strictObject({ name }),
    reply: z.object({ name: z.string(), deleted: z.literal(true) }),
    targets: client,
    run: async ({ name }, { operations, by }) => {
      await operations.backends.delete(by, name)
      return { name, deleted: true as const }
    },
  }),
]
