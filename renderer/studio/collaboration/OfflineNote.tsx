// The notice above a graph of a disconnected editor: it shows the last read and recovers on its own.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import type { PcgEditor } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatMoment } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { reasonAgainst } from '../editor/capabilities.ts'
import { editorsQuery, graphQuery } from '../editor/queries.ts'

export function OfflineNote({ editor, graph }: { readonly editor: PcgEditor; readonly graph: string | null }) {
  const reason = reasonAgainst(editor, 'edit')
  if (reason === null) return null
  return (
    <div
      role="status"
      className="flex shrink-0 items-center gap-3 border-b border-line bg-warn-soft px-4 py-1.5 text-xs"
    >
      <CloudOff aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-0 grow">
        {reason}. {graph !== null && <LastRead editor={editor.name} graph={graph} />}
      </p>
      <Connect editor={editor} />
    </div>
  )
}

function LastRead({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  // Reads the cached query only; the canvas fetches it.
  const { data, dataUpdatedAt } = useQuery({ ...graphQuery(editor, graph), enabled: false })
  if (!data) return t('This graph has not been loaded yet.')
  const at = new Date(dataUpdatedAt).toISOString()
  return (
    <>
      {rich('The graph is shown as it was read on {at} ({relativetime}); edits wait until the editor is back.', {
        at: formatMoment(at),
        relativetime: <RelativeTime at={at} />,
      })}
    </>
  )
}

export function Connect({ editor: { name, status } }: { readonly editor: Pick<PcgEditor, 'name' | 'status'> }) {
  const queries = useQueryClient()
  const connect = useMutation({
    mutationFn: () => api.pcg.connect({ params: { name } }),
    onError: notifyError,
    onSettled: () => queries.invalidateQueries({ queryKey: editorsQuery.queryKey }),
  })
  return (
    <Button size="sm" busy={connect.isPending || status === 'connecting'} onClick={() => connect.mutate()}>
      {t('Connect')}
    </Button>
  )
}
