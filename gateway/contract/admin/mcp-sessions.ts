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
  instances: z.array(z.string()).optional().describe('which hold it; with several instances only'),
})
export type McpSession = z.infer<typeof McpSession>

/** In one page. */
export const McpSessionList = page(McpSession).extend({
  unanswered: z
    .array(z.string())
    .optional()
    .describe('instances that did not answer, so that their sessions are missing; with several instances only'),
})
export type McpSessionList = z.infer<typeof McpSessionList>

export const mcpSessions = routes({
  list: {
    method: 'GET',
    path: '/admin-api/mcp-sessions',
    access: 'operator',
    summary: 'List the open MCP sessions of all instances, oldest first',
    query: z.strictObject(pageQuery()),
    reply: McpSessionList,
  },
  close: {
    method: 'DELETE',
    path: '/admin-api/mcp-sessions/:id',
    access: 'operator',
    summary: 'End an MCP session by its reference, at whichever instance, and the calls under way in it',
    audit: 'mcp_session.close',
    errors: ['SESSION_NOT_FOUND'],
  },
})
