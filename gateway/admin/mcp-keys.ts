// Managed keys of MCP clients.
import type { mcpKeys } from '../contract/admin/mcp-keys.ts'
import type { McpKeys } from '../operations/access/mcp-keys.ts'
import type { Handlers } from './mount.ts'

export function mcpKeyHandlers({ mcpKeys: operations }: { readonly mcpKeys: McpKeys }): Handlers<typeof mcpKeys> {
  return {
    list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
    create: ({ body }, context) => operations.create(context, body),
    get: ({ params }, { actor }) => operations.get(actor, params.id),
    update: ({ params, body: { revision, ...change } }, context) =>
      operations.update(context, params.id, change, [context.ifMatch, revision]),
    delete: ({ params }, context) => operations.delete(context, params.id, [context.ifMatch]),
    revoke: ({ params, body }, context) => operations.revoke(context, params.id, body.reason),
    rotate: ({ params, body }, context) => operations.rotate(context, params.id, body.graceMs),
  }
}
