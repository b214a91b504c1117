// The MCP sessions that are open, and how one is ended. Contract 7.8.
import { z } from 'zod'
import { Iso, page, pageQuery } from '../page.ts'
import { routes } from '../route.ts'

export const McpSession = z.object({
  /** Its first characters: enough to recognise it, too little to use it. */
  id: z.string(),
  ref: z.string(),
  surface: z.string(),
  principal: z.string(),
  clientInfo: z.object({ name: z.string(), version: z.string() }).nullable(),
  revision: z.string(),
  createdAt: Iso,
  lastSeenAt: Iso,
  hasStream: z.boolean(),
})
export type McpSession = z.infer<typeof McpSession>

export const mcpSessions = routes({
  list: {
    method: 'GET',
    path: '/admin-api/mcp-sessions',
    access: 'operator',
    summary: 'List open MCP sessions, oldest first',
    query: z.strictObject(pageQuery()),
    reply: page(McpSession),
  },
  close: {
    method: 'DELETE',
    path: '/admin-api/mcp-sessions/:id',
    access: 'operator',
    summary: 'End an MCP session by its reference, and the calls under way in it',
    audit: 'mcp_session.close',
    errors: ['SESSION_NOT_FOUND'],
  },
})
