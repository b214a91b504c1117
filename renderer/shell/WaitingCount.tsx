// The number of pending approvals, beside their page.
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/api.ts'

const MOST_COUNTED = 99

export function WaitingCount({ narrow }: { readonly narrow: boolean }) {
  const { data } = useQuery({
    queryKey: ['approvals', 'waiting'],
    queryFn: () => api.approvals.list({ query: { status: 'pending', limit: String(MOST_COUNTED + 1) } }),
    select: ({ items }) => items.length,
  })
  if (!data) return null
  if (narrow) return <span className="absolute top-1 right-1 size-2 rounded-full bg-warn-solid" />
  return (
    <span
      title={`${data} waiting for a decision`}
      className="ml-auto rounded-full bg-warn-soft px-1.5 text-2xs font-medium text-warn tabular-nums"
    >
      {data > MOST_COUNTED ? `${MOST_COUNTED}+` : data}
    </span>
  )
}
