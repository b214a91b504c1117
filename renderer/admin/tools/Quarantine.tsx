// The notice on a quarantined tool, and the button that ends the quarantine.
import { useMutation } from '@tanstack/react-query'
import type { ToolDetail } from '#contract'
import { Button } from '../../ui/Button.tsx'
import { formatMoment } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { useToolChanges } from './use-tool-changes.ts'

type Shown = { readonly tool: ToolDetail; readonly readOnly: boolean }

export function Quarantine({ tool, readOnly }: Shown) {
  const { clearQuarantine } = useToolChanges()
  const clear = useMutation({ mutationFn: () => clearQuarantine(tool), onError: notifyError })
  const { active, since, until, reason } = tool.quarantine
  if (!active) return null
  return (
    <div role="status" className="mx-6 mb-3 flex items-center gap-3 rounded-md bg-warn-soft px-3 py-2 text-sm">
      <p className="min-w-0 grow">
        In quarantine{since && ` since ${formatMoment(since)}`}
        {reason && `: ${reason}`}.{until && ` It ends at ${formatMoment(until)}.`}
      </p>
      {!readOnly && (
        <Button size="sm" busy={clear.isPending} onClick={() => clear.mutate()}>
          End quarantine
        </Button>
      )}
    </div>
  )
}
