// Shows a notice for a pending approval on every page, to users who may decide it.
import { useNavigate } from '@tanstack/react-router'
import { mayUse } from '#contract'
import { useTopic } from '../api/live.ts'
import { useActor } from '../api/session.ts'
import { notifyWaiting } from '../ui/notify.ts'
import { useCurrentPage } from './current-page.ts'

type Created = { readonly type: 'created'; readonly id: number; readonly client: string; readonly tool: string }

function created(data: unknown): data is Created {
  if (typeof data !== 'object' || data === null) return false
  const { type, id, client, tool } = data as Readonly<Record<string, unknown>> // looked at field by field
  return type === 'created' && typeof id === 'number' && typeof client === 'string' && typeof tool === 'string'
}

export function useApprovalNotices(): void {
  const navigate = useNavigate()
  const decides = mayUse(useActor(), 'operator')
  const here = useCurrentPage()?.path
  useTopic('approvals', ({ data }) => {
    if (!decides || here === '/approvals' || !created(data)) return
    const { id, client, tool } = data
    notifyWaiting(`A call of ${client} / ${tool} waits for an approval`, () => {
      void navigate({ to: '/approvals', search: { ticket: String(id) } })
    })
  })
}
