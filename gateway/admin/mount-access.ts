// The routes of who may call tools: keys, consumers, guard policies, approvals, and who is connected.
import type { FastifyInstance } from 'fastify'
import { ACCESS } from '../contract/index.ts'
import type { ApprovalDecisions } from '../operations/access/approvals.ts'
import type { Consumers } from '../operations/access/consumers.ts'
import type { McpKeys } from '../operations/access/mcp-keys.ts'
import type { McpSessions } from '../operations/access/mcp-sessions.ts'
import type { Policies } from '../operations/access/policies.ts'
import { approvalHandlers } from './approvals.ts'
import { mcpKeyHandlers } from './mcp-keys.ts'
import { mcpSessionHandlers } from './mcp-sessions.ts'
import { type MountParts, mount } from './mount.ts'
import { ownedHandlers } from './owned.ts'

export type AccessParts = MountParts & {
  readonly mcpKeys: McpKeys
  readonly mcpSessions: McpSessions
  readonly consumers: Consumers
  readonly policies: Policies
  readonly approvals: ApprovalDecisions
}

export function mountAccess(app: FastifyInstance, parts: AccessParts): void {
  mount(app, ACCESS.mcpKeys, mcpKeyHandlers(parts), parts)
  mount(app, ACCESS.mcpSessions, mcpSessionHandlers(parts), parts)
  const { consumers, policies } = parts
  mount(
    app,
    ACCESS.consumers,
    { ...ownedHandlers(consumers), usage: ({ params }, { actor }) => consumers.usage(actor, params.id) },
    parts,
  )
  mount(
    app,
    ACCESS.policies,
    {
      ...ownedHandlers(policies),
      apply: ({ params, body }, context) => policies.apply(context, params.id, body),
    },
    parts,
  )
  mount(app, ACCESS.approvals, approvalHandlers(parts), parts)
}
