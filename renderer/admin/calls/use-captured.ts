// The capture of the open call.
import { useQuery } from '@tanstack/react-query'
import type { CallRow, TrafficRow } from '#contract'
import { api } from '../../api/api.ts'
import { capturedOf, capturedQuery, mayStillCome } from './captured.ts'

const AGAIN_MS = 500

export function useCaptured(call: CallRow | undefined) {
  return useQuery({
    queryKey: ['traffic', 'of-call', call?.requestId, call?.client, call?.tool, call?.durationMs],
    enabled: call !== undefined,
    queryFn: async (): Promise<TrafficRow | null> => {
      if (call === undefined) return null
      const { items } = await api.traffic.list({ query: capturedQuery(call) })
      return capturedOf(call, items) ?? null
    },
    refetchInterval: ({ state }) => (call && !state.data && mayStillCome(call, Date.now()) ? AGAIN_MS : false),
  })
}
