// The traces that are kept.
import type { traces } from '../contract/admin/traces.ts'
import type { Traces } from '../operations/observation/traces.ts'
import type { Handlers } from './mount.ts'

export function traceHandlers({ traces: kept }: { readonly traces: Traces }): Handlers<typeof traces> {
  return {
    list: ({ query }, { actor }) => kept.list(actor, query),
    topSessions: ({ query }, { actor }) => kept.topSessions(actor, query),
    get: ({ params }, { actor }) => kept.get(actor, params.traceId),
    clear: (_call, context) => kept.clear(context),
  }
}
