// Names a caller by the label of its key, if among the newest keys.
import { useQuery } from '@tanstack/react-query'
import type { Approval } from '#contract'
import { api } from '../../api/api.ts'

export function useCallers(): (ticket: Approval) => string {
  const { data } = useQuery({
    queryKey: ['keys', 'labels'],
    queryFn: () => api.mcpKeys.list({ query: { limit: '200' } }),
  })
  const labels = new Map(data?.items.map(({ id, label }) => [id, label]))
  return ({ requestedBy, requestedByPrincipal }) => labels.get(requestedBy ?? 0) ?? requestedByPrincipal
}
