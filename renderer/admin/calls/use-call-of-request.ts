// The call whose request id is in the URL, from the log.
import { useQuery } from '@tanstack/react-query'
import type { CallRow } from '#contract'
import { findCalls } from '../../api/find.ts'

export function useCallOfRequest(requestId: string | undefined): {
  readonly call: CallRow | undefined
  readonly missing: boolean
} {
  const { data } = useQuery({
    queryKey: ['usage', 'request', requestId],
    enabled: requestId !== undefined,
    queryFn: () => findCalls(requestId ?? ''),
  })
  const [row] = requestId === undefined ? [] : (data?.items ?? [])
  return { call: row, missing: requestId !== undefined && data !== undefined && row === undefined }
}
