// Compares the graph with a version: ghosts on the canvas, a table, and the calls that restore it.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Minus, Pencil, Plus, RotateCcw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { PcgSnapshot } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { formatMoment } from '../../ui/format.ts'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useOverlay } from '../canvas/overlay.ts'
import { diffQuery, graphQuery, layoutQuery } from '../editor/queries.ts'
import { graphView } from '../model/graph.ts'
import { useGestures } from '../use-gestures.ts'
import { CallList } from './CallList.tsx'
import { type DiffRow, diffLayer, diffRows, type Entry, type NamedCall } from './difference.ts'
import { restoring } from './restoring.ts'

const LAYER = 'diff'
const NOW = 'now'
const nameOf = ({ label, createdAt }: PcgSnapshot): string => `${label ?? t('Version')}, ${formatMoment(createdAt)}`

export function Comparison({
  editor,
  graph,
  version,
  versions,
  against,
  onAgainst,
}: {
  readonly editor: string
  readonly graph: string
  readonly version: PcgSnapshot
  readonly versions: readonly PcgSnapshot[]
  readonly against: number | null
  readonly onAgainst: (id: number | null) => void
}) {
  const diff = useQuery(diffQuery(editor, graph, version.id, against))
  // Classes of nodes that both versions have and the current graph no longer has.
  const sinceThen = useQuery({ ...diffQuery(editor, graph, version.id, null), enabled: against !== null })
  useGhosts(editor, graph, diff.data?.entries, against === null ? undefined : sinceThen.data?.entries)
  const [restore, setRestore] = useState(false)
  const { locked } = useGestures()
  const others = versions.filter(({ id }) => id !== version.id)
  return (
    <section aria-label={t('Changes')} className="flex flex-col gap-2 px-3">
      <div className="flex items-end gap-2">
        <Select
          label={t('Compare with')}
          className="min-w-0 grow"
          value={against === null ? NOW : String(against)}
          options={[
            { value: NOW, label: t('Now') },
            ...others.map((other) => ({ value: String(other.id), label: nameOf(other) })),
          ]}
          onChange={(id) => onAgainst(id === NOW ? null : Number(id))}
        />
        {against === null && (
          <Button
            disabled={locked !== null || (diff.data?.restore.length ?? 0) === 0}
            title={locked ?? undefined}
            onClick={() => setRestore(true)}
          >
            <RotateCcw />
            {t('Restore…')}
          </Button>
        )}
      </div>
      {diff.isError && !diff.data ? (
        <ErrorState error={diff.error} onRetry={() => void diff.refetch()} />
      ) : diff.data ? (
        <DiffTable rows={diffRows(diff.data.entries)} />
      ) : (
        <Skeleton className="h-16" />
      )}
      {restore && diff.data && (
        <RestoreDialog
          graph={graph}
          name={nameOf(version)}
          calls={diff.data.restore}
          onClose={() => setRestore(false)}
        />
      )}
    </section>
  )
}

/** Draws the comparison over the current graph. */
function useGhosts(
  editor: string,
  graph: string,
  entries: readonly Entry[] | undefined,
  known: readonly Entry[] | undefined,
): void {
  const { data: info } = useQuery(graphQuery(editor, graph))
  const { data: layout } = useQuery(layoutQuery(editor, graph))
  useEffect(() => {
    const { setLayer } = useOverlay.getState()
    if (entries && info && layout) setLayer(LAYER, diffLayer(entries, graphView(info), layout.nodes, known))
    return () => setLayer(LAYER, null)
  }, [entries, known, info, layout])
}

const KINDS = {
  added: { icon: Plus, look: 'text-ok' },
  removed: { icon: Minus, look: 'text-bad' },
  changed: { icon: Pencil, look: 'text-warn' },
} as const

function DiffTable({ rows }: { readonly rows: readonly DiffRow[] }) {
  const focus = useOverlay((state) => state.focus)
  if (rows.length === 0) return <p className="text-sm text-ink-2">{t('No changes.')}</p>
  return (
    <ul aria-label={t('Differences')} className="divide-y divide-line rounded-md border border-line text-xs">
      {rows.map(({ key, kind, subject, node, part, before, after }) => {
        const { icon: Icon, look } = KINDS[kind]
        return (
          <li key={key} className="flex gap-2 px-2 py-1.5">
            <Icon aria-label={kind} className={`mt-0.5 size-3.5 shrink-0 ${look}`} />
            <div className="min-w-0 grow">
              <p className="flex gap-2">
                {node !== null ? (
                  <button type="button" className="truncate font-medium hover:underline" onClick={() => focus(node)}>
                    {subject}
                  </button>
                ) : (
                  <span className="truncate font-medium">{subject}</span>
                )}
                <span className="shrink-0 text-ink-3">{part}</span>
              </p>
              {(before !== '' || after !== '') && (
                <p className="font-mono text-2xs break-all text-ink-2">
                  {before !== '' && <del className="text-bad">{before}</del>} {after !== '' && <ins>{after}</ins>}
                </p>
              )}
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function RestoreDialog({
  graph,
  name,
  calls,
  onClose,
}: {
  readonly graph: string
  readonly name: string
  readonly calls: readonly NamedCall[]
  readonly onClose: () => void
}) {
  const { perform } = useGestures()
  // The gesture reverts a restore that fails halfway, and reports why.
  const restore = useMutation({
    mutationFn: () => perform({ label: t('Restore {name}', { name }), edit: restoring(graph, calls) }),
  })
  return (
    <Dialog
      open
      onClose={onClose}
      width="max-w-lg"
      title={t('Restore {name}', { name })}
      about={t(
        'These calls restore the version in one step that can be undone. The editor assigns new names to restored nodes.',
      )}
    >
      <DialogForm
        submit={calls.length === 1 ? t('Make 1 call') : t('Make {count} calls', { count: calls.length })}
        busy={restore.isPending}
        error={null}
        onSubmit={() => restore.mutate(undefined, { onSuccess: onClose })}
        onClose={onClose}
      >
        <CallList label={t('What restoring will do')} calls={calls} />
      </DialogForm>
    </Dialog>
  )
}
