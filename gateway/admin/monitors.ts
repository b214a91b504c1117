// Monitors of tools, on the admin API.
import type { monitors } from '../contract/admin/monitors.ts'
import type { Monitors } from '../operations/monitors/monitors.ts'
import type { Handlers } from './mount.ts'

export function monitorHandlers({ monitors: operations }: { readonly monitors: Monitors }): Handlers<typeof monitors> {
  return {
    list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
    run: ({ params }, { actor }) => operations.run(actor, params.name, params.tool),
    approve: ({ params, body }, context) => operations.approve(context, params.name, params.tool, body.confirm),
    rebaseline: ({ params }, context) => operations.rebaseline(context, params.name, params.tool),
  }
}
