// Calls per backend in the last hour, by name.
import { useQuery } from '@tanstack/react-query'
import type { UsageOfClient } from '#contract'
import { api } from '../../api/api.ts'

const HOUR_MS = 3_600_000
const AGAIN_MS = 30_000

export type BackendUsage = {
  /** False until the first answer. */
  readonly known: boolean
  readonly of: (name: string) => UsageOfClient | undefined
}

export function useBackendUsage(): BackendUsage {
  const { data } = useQuery({
    queryKey: ['usage', 'by-client', 'hour'],
    queryFn: () => api.usage.byClient({ query: { from: Date.now() - HOUR_MS, points: '30', limit: '200' } }),
    refetchInterval: AGAIN_MS,
  })
  const found = new Map(data?.items.map((item) => [item.client, item]))
  return { known: data !== undefined, of: (name) => found.get(name) }
}
