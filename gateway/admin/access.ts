// Who may call tools: keys, approvals, and the sessions of MCP clients.
import type { approvals } from '../contract/admin/approvals.ts'
import type { mcpKeys } from '../contract/admin/mcp-keys.ts'
import type { mcpSessions } from '../contract/admin/mcp-sessions.ts'
import type { ApprovalDecisions } from '../operations/access/approvals.ts'
import type { McpKeys } from '../operations/access/mcp-keys.ts'
import type { McpSessions } from '../operations/access/mcp-sessions.ts'
import type { Handlers } from './mount.ts'

export const mcpKeyHandlers = (operations: McpKeys): Handlers<typeof mcpKeys> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
  create: ({ body }, context) => operations.create(context, body),
  get: ({ params }, { actor }) => operations.get(actor, params.id),
  update: ({ params, body: { revision, ...change } }, context) =>
    operations.update(context, params.id, change, [context.ifMatch, revision]),
  delete: ({ params }, context) => operations.delete(context, params.id, [context.ifMatch]),
  revoke: ({ params, body }, context) => operations.revoke(context, params.id, body.reason),
  rotate: ({ params, body }, context) => operations.rotate(context, params.id, body.graceMs),
})

export const mcpSessionHandlers = (operations: McpSessions): Handlers<typeof mcpSessions> => ({
  list: ({ query }, { actor }) => operations.list(actor, query),
  close: ({ params }, context) => operations.close(context, params.id),
})

export const approvalHandlers = (operations: ApprovalDecisions): Handlers<typeof approvals> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
  get: ({ params }, { actor }) => operations.get(actor, params.id),
  approve: ({ params, body }, context) => operations.approve(context, params.id, body.note),
  reject: ({ params, body }, context) => operations.reject(context, params.id, body.note),
})
