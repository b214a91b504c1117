// Undoes a turn: its changes as a list to choose from, a preview, and whose later changes block it.
import { useMutation, useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { PcgChange } from '#contract'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { revertQuery } from '../editor/queries.ts'
import type { Selection } from '../editor/taking-back.ts'
import { useGestures } from '../use-gestures.ts'
import { Author } from './Author.tsx'
import { CallList } from './CallList.tsx'
import { aboutChange, sayChange, sinceBy, type Turn, turnNow } from './turns.ts'

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
      title={t('Undo “{title}”', { title: turn.title })}
      about={
        <>
          {rich('{author} {relativetime}. Later changes of others are never overwritten.', {
            author: <Author by={turn} />,
            relativetime: <RelativeTime at={turn.at} />,
          })}
        </>
      }
    >
      <Body {...props} />
    </Dialog>
  )
}

function Body({ editor, graph, turn: opened, changes, onClose }: Props) {
  const { gestures } = useGestures()
  const turn = turnNow(opened, changes)
  const revert = useMutation({
    mutationFn: (_shown: readonly PcgChange[]) =>
      gestures.revert(t('Undo “{title}”', { title: turn.title }), selections),
  })
  const active = turn.changes.filter(({ undoable, undone }) => undoable && !undone)
  // While they are undone, the list keeps what it showed.
  const standing = revert.isPending ? revert.variables : active
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const chosen = standing.filter(({ id }) => !left.has(id))
  const selections: readonly Selection[] =
    chosen.length === standing.length ? [turn.selection] : chosen.map(({ id }) => ({ changeId: id }))
  const dry = useQuery(revertQuery(editor, graph, selections))
  if (dry.isError) return <ErrorState error={dry.error} onRetry={() => void dry.refetch()} />
  return (
    <DialogForm
      submit={chosen.length === 1 ? t('Undo') : t('Undo {count} changes', { count: chosen.length })}
      busy={revert.isPending}
      ready={dry.data?.failed === null && chosen.length > 0}
      error={revert.error}
      onSubmit={() => revert.mutate(standing, { onSuccess: onClose })}
      onClose={onClose}
    >
      {standing.length > 1 && <Choice changes={standing} left={left} onChange={setLeft} />}
      {dry.data?.failed && <Conflict message={dry.data.failed.message} since={sinceBy(turn, changes)} />}
      {dry.data ? (
        <CallList label={t('What undoing would do')} calls={dry.data.calls} />
      ) : (
        <Skeleton className="h-24" />
      )}
    </DialogForm>
  )
}

function Choice({
  changes,
  left,
  onChange,
}: {
  readonly changes: readonly PcgChange[]
  readonly left: ReadonlySet<number>
  readonly onChange: (left: ReadonlySet<number>) => void
}) {
  return (
    <ul aria-label={t('Changes to undo')} className="flex max-h-56 flex-col gap-1.5 overflow-y-auto">
      {changes.map((change) => (
        <li key={change.id}>
          <Checkbox
            label={[sayChange(change), aboutChange(change)].filter(Boolean).join(': ')}
            checked={!left.has(change.id)}
            onChange={(on) => {
              const next = new Set(left)
              if (on) next.delete(change.id)
              else next.add(change.id)
              onChange(next)
            }}
          />
        </li>
      ))}
    </ul>
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
        <ul aria-label={t('Changed since by')} className="mt-2 flex flex-col gap-1 text-xs text-ink-2">
          {since.slice(0, 5).map((change) => (
            <li key={change.id} className="flex items-center gap-2">
              <Author by={change} />
              <span className="min-w-0 truncate">{aboutChange(change)}</span>
              <RelativeTime at={change.at} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
