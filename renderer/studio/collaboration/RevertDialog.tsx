// Undoes a turn or a change: shows a preview first, and who blocks it when it is refused.
import { useMutation, useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import type { PcgChange } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { revertQuery } from '../editor/queries.ts'
import { useGestures } from '../use-gestures.ts'
import { Author } from './Author.tsx'
import { CallList } from './CallList.tsx'
import { aboutChange, sinceBy, type Turn } from './turns.ts'

type Props = {
  readonly editor: string
  readonly graph: string
  readonly turn: Turn
  readonly changes: readonly PcgChange[]
  readonly onClose: () => void
}

export function RevertDialog(props: Props) {
  const { turn, onClose } = props
  return (
    <Dialog
      open
      onClose={onClose}
      width="max-w-lg"
      title={`Undo “${turn.title}”`}
      about={
        <>
          <Author actor={turn.actor} source={turn.source} /> <RelativeTime at={turn.at} />. It is taken back whole or
          not at all, never over what others changed since.
        </>
      }
    >
      <Body {...props} />
    </Dialog>
  )
}

function Body({ editor, graph, turn, changes, onClose }: Props) {
  const { gestures } = useGestures()
  const dry = useQuery(revertQuery(editor, graph, turn.selection))
  const revert = useMutation({
    mutationFn: () => gestures.revert(`Undo “${turn.title}”`, turn.selection),
  })
  if (dry.isError) return <ErrorState error={dry.error} onRetry={() => void dry.refetch()} />
  if (!dry.data) return <Skeleton className="h-24" />
  const { calls, failed } = dry.data
  return (
    <DialogForm
      submit={turn.changes.length === 1 ? 'Undo' : `Undo ${turn.changes.length} changes`}
      busy={revert.isPending}
      ready={failed === null}
      error={revert.error}
      onSubmit={() => revert.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {failed && <Conflict message={failed.message} since={sinceBy(turn, changes)} />}
      <CallList label="What undoing would do" calls={calls} />
    </DialogForm>
  )
}

function Conflict({ message, since }: { readonly message: string; readonly since: readonly PcgChange[] }) {
  return (
    <div role="alert" className="rounded-md bg-warn-soft px-3 py-2.5 text-sm">
      <p className="flex gap-2">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
        {message.replace(/^Nothing was undone: /, 'These changes cannot be undone: ')}
      </p>
      {since.length > 0 && (
        <ul aria-label="Changed since by" className="mt-2 flex flex-col gap-1 text-xs text-ink-2">
          {since.slice(0, 5).map((change) => (
            <li key={change.id} className="flex items-center gap-2">
              <Author actor={change.actor} source={change.source} />
              <span className="min-w-0 truncate">{aboutChange(change)}</span>
              <RelativeTime at={change.at} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
