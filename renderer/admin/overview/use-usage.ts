// All numbers of the overview for one time range, requested together so that they agree.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { bucketFor, RANGES, type Range, rangeWithCalls, spanOf } from './range.ts'

const AGAIN_MS = 15_000
const MOST = '6'

async function read(range: Range, client: string | undefined) {
  const { fromMs, toMs } = spanOf(range, Date.now())
  const window = { from: fromMs, to: toMs, ...(client !== undefined && { client }) }
  const [summary, series, tools, slowest, failing, keys, clients, refusals] = await Promise.all([
    api.usage.summary({ query: window }),
    api.usage.timeseries({ query: { ...window, bucketMs: String(bucketFor(toMs - fromMs)) } }),
    api.usage.topTools({ query: { ...window, limit: MOST } }),
    api.usage.topTools({ query: { ...window, limit: MOST, order: 'slowest' } }),
    api.usage.topTools({ query: { ...window, limit: MOST, order: 'failing' } }),
    api.usage.byKey({ query: { ...window, limit: MOST } }),
    api.usage.byClient({ query: { ...window, limit: MOST } }),
    api.usage.refusals({ query: window }),
  ])
  return {
    /** As the parameters of the calls page. */
    window: { from: String(fromMs), to: String(toMs) },
    summary,
    series,
    tools: tools.items,
    slowest: slowest.items,
    failing: failing.items,
    keys: keys.items,
    clients: clients.items,
    refusals: refusals.items,
  }
}
export type Usage = Awaited<ReturnType<typeof read>>

/** The range with data, chosen once: a fresh gateway shows its first hour, a quiet one its last calls. */
export function useRangeWithCalls(enabled: boolean): Range | undefined {
  const { data } = useQuery({
    queryKey: ['overview-range'],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const now = Date.now()
      const counts = await Promise.all(
        RANGES.map(({ lengthMs }) => api.usage.summary({ query: { from: now - lengthMs, to: now } })),
      )
      return rangeWithCalls(counts.map(({ calls }) => calls))
    },
  })
  return data
}

/** Of all backends, or of one. */
export const useUsage = (range: Range | undefined, client?: string) =>
  useQuery({
    queryKey: ['usage', 'overview', range, client],
    queryFn: () => (range ? read(range, client) : Promise.reject(new Error('No range'))),
    enabled: range !== undefined,
    // The end of the range moves without an event, and viewers receive no events of calls.
    refetchInterval: range?.kind === 'recent' ? AGAIN_MS : false,
    placeholderData: keepPreviousData,
  })
