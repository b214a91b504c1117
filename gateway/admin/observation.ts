// What happened: usage, captured calls, traces.
import type { traces } from '../contract/admin/traces.ts'
import type { traffic } from '../contract/admin/traffic.ts'
import type { usage } from '../contract/admin/usage.ts'
import type { Traces } from '../operations/observation/traces.ts'
import type { Traffic } from '../operations/observation/traffic.ts'
import type { Usages } from '../operations/observation/usage.ts'
import type { Handlers } from './mount.ts'

export const usageHandlers = (usages: Usages): Handlers<typeof usage> => ({
  summary: ({ query }, { actor }) => usages.summary(actor, query),
  timeseries: ({ query }, { actor }) => usages.timeseries(actor, query),
  topTools: ({ query }, { actor }) => usages.topTools(actor, query),
  byKey: ({ query }, { actor }) => usages.byKey(actor, query),
  byClient: ({ query }, { actor }) => usages.byClient(actor, query),
  byConsumer: ({ query }, { actor }) => usages.byConsumer(actor, query),
  refusals: ({ query }, { actor }) => usages.refusals(actor, query),
  calls: ({ query }, { actor }) => usages.calls(actor, query),
})

export const trafficHandlers = (operations: Traffic): Handlers<typeof traffic> => ({
  list: ({ query: { limit, cursor, ...filters } }, { actor }) => operations.list(actor, filters, { limit, cursor }),
  get: ({ params }, { actor }) => operations.get(actor, params.id),
  replay: ({ params, body }, context) => operations.replay(context, params.id, body),
  purge: ({ query }, context) => operations.purge(context, query),
})

export const traceHandlers = (operations: Traces): Handlers<typeof traces> => ({
  list: ({ query }, { actor }) => operations.list(actor, query),
  topSessions: ({ query }, { actor }) => operations.topSessions(actor, query),
  get: ({ params }, { actor }) => operations.get(actor, params.traceId),
  clear: (_call, context) => operations.clear(context),
})
