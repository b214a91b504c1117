// The routes of who may call tools: keys, consumers, guard policies, and who is connected.
import type { FastifyInstance } from 'fastify'
import { ACCESS } from '../contract/index.ts'
import type { McpKeys } from '../operations/mcp-keys.ts'
import type { McpSessions } from '../operations/mcp-sessions.ts'
import { mcpKeyHandlers } from './mcp-keys.ts'
import { mcpSessionHandlers } from './mcp-sessions.ts'
import { type MountParts, mount } from './mount.ts'

export type AccessParts = MountParts & { readonly mcpKeys: McpKeys; readonly mcpSessions: McpSessions }

export function mountAccess(app: FastifyInstance, parts: AccessParts): void {
  mount(app, ACCESS.mcpKeys, mcpKeyHandlers(parts), parts)
  mount(app, ACCESS.mcpSessions, mcpSessionHandlers(parts), parts)
}
