// The runner, with the arguments of a captured call if the URL names one.
import { useQuery } from '@tanstack/react-query'
import type { ToolDetail } from '#contract'
import { api } from '../../../api/api.ts'
import { PageSkeleton } from '../../../ui/Skeleton.tsx'
import { useUrlParams } from '../../../url-params.ts'
import { Runner } from './Runner.tsx'

export function CapturedRunner({ tool }: { readonly tool: ToolDetail }) {
  const [{ captured: id = '' }] = useUrlParams()
  const row = useQuery({
    queryKey: ['traffic', 'one', id],
    enabled: id !== '',
    retry: false,
    queryFn: () => api.traffic.get({ params: { id } }),
  })
  if (id !== '' && row.isPending) return <PageSkeleton />
  // A missing capture leaves the runner unchanged.
  return <Runner key={id} tool={tool} first={row.data?.args ?? undefined} />
}
