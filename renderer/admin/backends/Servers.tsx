// The additional servers of a REST backend: canary or failover, and the pool.
import { useQuery } from '@tanstack/react-query'
import { type ClientDetail, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { Pool } from './Pool.tsx'
import { SecondServer } from './SecondServer.tsx'

/** Counts and states change with every call. */
const AGAIN_MS = 3_000

export function Servers({ backend }: { readonly backend: ClientDetail }) {
  const operates = mayUse(useActor(), 'operator')
  const params = { name: backend.name }
  const servers = useQuery({
    queryKey: ['clients', 'servers', backend.name],
    queryFn: async () => {
      const [{ canary }, { lb }] = await Promise.all([api.targets.getCanary({ params }), api.targets.getLb({ params })])
      return { canary, lb }
    },
    refetchInterval: AGAIN_MS,
  })
  if (servers.error && !servers.data) return <ErrorState error={servers.error} onRetry={() => void servers.refetch()} />
  if (!servers.data) return <PageSkeleton />
  const { canary, lb } = servers.data
  return (
    <div className="grid max-w-5xl gap-4 px-6 py-5">
      <SecondServer backend={backend} canary={canary} idle={lb?.enabled === true} readOnly={!operates} />
      <Pool backend={backend} lb={lb} readOnly={!operates} />
    </div>
  )
}
