// Examples of tools, on the admin API.
import type { toolExamples } from '../contract/admin/tool-examples.ts'
import type { ToolExamples } from '../operations/tools/tool-examples.ts'
import type { Handlers } from './mount.ts'

export function toolExampleHandlers({
  toolExamples: operations,
}: {
  readonly toolExamples: ToolExamples
}): Handlers<typeof toolExamples> {
  return {
    list: ({ params, query }, { actor }) => operations.list(actor, params.name, params.tool, query),
    create: ({ params, body }, context) => operations.create(context, params.name, params.tool, body),
    update: ({ params, body }, context) => operations.update(context, params.name, params.tool, params.id, body),
    delete: ({ params }, context) => operations.delete(context, params.name, params.tool, params.id),
  }
}
