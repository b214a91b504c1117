// Cache statistics of a tool, and clearing it.
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ToolDetail } from '#contract'
import { api } from '../../../api/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatCount, formatShare } from '../../../ui/format.ts'
import { notifyDone, notifyError } from '../../../ui/notify.ts'

export function CacheUse({ tool, readOnly }: { readonly tool: ToolDetail; readonly readOnly: boolean }) {
  const { client, tool: name } = tool
  const { data } = useQuery({
    queryKey: ['usage', 'cache', client, name],
    queryFn: () => api.usage.summary({ query: { client, tool: name } }),
  })
  const purge = useMutation({
    mutationFn: () => api.tools.purgeCache({ params: { name: client, tool: name } }),
    onSuccess: ({ purged }) => notifyDone(`${formatCount(purged)} ${purged === 1 ? 'answer' : 'answers'} forgotten`),
    onError: notifyError,
  })
  return (
    <div className="mt-2 flex items-center gap-3 text-xs text-ink-2">
      <span>
        {data &&
          `${formatCount(data.cacheHits)} of ${formatCount(data.calls)} calls in 7 days were answered from it, ${formatShare(data.cacheHits, data.calls)}.`}
      </span>
      {!readOnly && (
        <Button size="sm" look="quiet" busy={purge.isPending} onClick={() => purge.mutate()}>
          Clear cache
        </Button>
      )}
    </div>
  )
}
