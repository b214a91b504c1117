// Tools and their per-tool configuration.
import type { tools } from '../contract/admin/tools.ts'
import type { Tools } from '../operations/tools/tools.ts'
import type { TryTool } from '../operations/tools/try-tool.ts'
import type { Handlers } from './mount.ts'

type Parts = { readonly tools: Tools; readonly tryTool: TryTool }

export function toolHandlers({ tools: operations, tryTool }: Parts): Handlers<typeof tools> {
  return {
    list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
    setEnabled: async ({ params, body }, context) => ({
      results: await operations.setEnabled(context, params.name, body.toolNames ?? body.tool_names ?? [], body.enabled),
    }),
    get: ({ params }, { actor }) => operations.get(actor, params.name, params.tool),
    update: ({ params, body: { revision, ...patch } }, context) =>
      operations.update(context, params.name, params.tool, patch, [context.ifMatch, revision]),
    purgeCache: ({ params }, context) => operations.purgeCache(context, params.name, params.tool),
    setTags: ({ params, body }, context) => operations.setTags(context, params.name, params.tool, body.tags),
    clearQuarantine: ({ params }, context) => operations.clearQuarantine(context, params.name, params.tool),
    test: ({ params, body }, context) => tryTool.test(context, params.name, params.tool, body),
    tags: ({ query }, { actor }) => operations.tags(actor, query),
    tagged: ({ params, query }, { actor }) => operations.tagged(actor, params.tag, query),
  }
}
