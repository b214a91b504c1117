// MCP sessions.
import type { mcpSessions } from '../contract/admin/mcp-sessions.ts'
import type { McpSessions } from '../operations/access/mcp-sessions.ts'
import type { Handlers } from './mount.ts'

type Parts = { readonly mcpSessions: McpSessions }

export function mcpSessionHandlers({ mcpSessions: operations }: Parts): Handlers<typeof mcpSessions> {
  return {
    list: ({ query }, { actor }) => operations.list(actor, query),
    close: ({ params }, context) => operations.close(context, params.id),
  }
}
