// The call log, summed up and row by row.
import type { usage } from '../contract/admin/usage.ts'
import type { Usages } from '../operations/observation/usage.ts'
import type { Handlers } from './mount.ts'

export function usageHandlers({ usages }: { readonly usages: Usages }): Handlers<typeof usage> {
  return {
    summary: ({ query }, { actor }) => usages.summary(actor, query),
    timeseries: ({ query }, { actor }) => usages.timeseries(actor, query),
    topTools: ({ query }, { actor }) => usages.topTools(actor, query),
    byKey: ({ query }, { actor }) => usages.byKey(actor, query),
    byClient: ({ query }, { actor }) => usages.byClient(actor, query),
    byConsumer: ({ query }, { actor }) => usages.byConsumer(actor, query),
    refusals: ({ query }, { actor }) => usages.refusals(actor, query),
    calls: ({ query }, { actor }) => usages.calls(actor, query),
  }
}
