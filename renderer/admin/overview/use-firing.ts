// How many alerts are firing; undefined while loading.
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'

export function useFiring(): number | undefined {
  const { data } = useQuery({
    queryKey: ['alerts', 'all'],
    queryFn: () => api.alerts.list({ query: { limit: '200' } }),
  })
  return data?.items.filter(({ enabled, state }) => enabled && state === 'firing').length
}
