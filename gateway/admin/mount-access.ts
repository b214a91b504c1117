// The routes of who may call tools: keys, consumers, guard policies.
import type { FastifyInstance } from 'fastify'
import { ACCESS } from '../contract/index.ts'
import type { McpKeys } from '../operations/mcp-keys.ts'
import { mcpKeyHandlers } from './mcp-keys.ts'
import { type MountParts, mount } from './mount.ts'

export type AccessParts = MountParts & { readonly mcpKeys: McpKeys }

export function mountAccess(app: FastifyInstance, parts: AccessParts): void {
  mount(app, ACCESS.mcpKeys, mcpKeyHandlers(parts), parts)
}
