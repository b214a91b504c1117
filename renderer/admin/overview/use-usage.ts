// All numbers of the overview for one time range, requested together so that they agree.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { bucketFor, type Range, spanOf } from './range.ts'

const AGAIN_MS = 15_000
const MOST = '6'

async function read(range: Range) {
  const { fromMs, toMs } = spanOf(range, Date.now())
  const window = { from: fromMs, to: toMs }
  const [summary, series, tools, keys, clients, refusals] = await Promise.all([
    api.usage.summary({ query: window }),
    api.usage.timeseries({ query: { ...window, bucketMs: String(bucketFor(toMs - fromMs)) } }),
    api.usage.topTools({ query: { ...window, limit: MOST } }),
    api.usage.byKey({ query: { ...window, limit: MOST } }),
    api.usage.byClient({ query: { ...window, limit: MOST } }),
    api.usage.refusals({ query: window }),
  ])
  return { summary, series, tools: tools.items, keys: keys.items, clients: clients.items, refusals: refusals.items }
}
export type Usage = Awaited<ReturnType<typeof read>>

export const useUsage = (range: Range) =>
  useQuery({
    queryKey: ['usage', 'overview', range],
    queryFn: () => read(range),
    // The end of the range moves without an event, and viewers receive no events of calls.
    refetchInterval: range.kind === 'recent' ? AGAIN_MS : false,
    placeholderData: keepPreviousData,
  })
