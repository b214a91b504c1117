// The graph's history by turns; each can be undone after a preview.
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, FileCheck, History, Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { PcgChange } from '#contract'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { historyQuery } from '../editor/queries.ts'
import { useBuiltIn } from '../editor/use-built-in.ts'
import { useCapability } from '../editor/use-capability.ts'
import type { PanelProps } from '../panels.ts'
import { Author } from './Author.tsx'
import { ChangeListDialog } from './ChangeListDialog.tsx'
import { RevertDialog } from './RevertDialog.tsx'
import { aboutChange, type Turn, turnsOf } from './turns.ts'

export function ActivityPanel({ editor, graph }: PanelProps) {
  if (graph === null)
    return <EmptyState icon={History} title={t('No graph is open')} about={t('Its history is shown here.')} />
  return <Turns editor={editor} graph={graph} />
}

function Turns({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const history = useQuery(historyQuery(editor, graph))
  const cannot = useCapability(editor, 'undo')
  const [asked, setAsked] = useState<Turn | null>(null)
  const [listed, setListed] = useState<string | null>(null)
  const builtIn = useBuiltIn(editor)
  if (history.isError && !history.data)
    return <ErrorState error={history.error} onRetry={() => void history.refetch()} />
  if (!history.data) return <Skeleton className="m-3 h-24" />
  const turns = turnsOf(history.data)
  if (turns.length === 0)
    return (
      <EmptyState icon={History} title={t('No changes yet')} about={t('Edits are listed here with their author.')} />
    )
  return (
    <>
      {cannot !== null && <p className="px-3 pb-2 text-xs text-ink-2">{cannot}</p>}
      <ol aria-label={t('Turns')} className="flex flex-col divide-y divide-line border-y border-line">
        {turns.map((turn) => (
          <TurnRow
            key={turn.key}
            turn={turn}
            cannot={cannot}
            onUndo={setAsked}
            onList={builtIn === false ? setListed : null}
          />
        ))}
      </ol>
      {history.data.length >= 200 && (
        <p className="px-3 py-2 text-xs text-ink-3">{t('The last 200 changes are shown.')}</p>
      )}
      {listed !== null && <ChangeListDialog editor={editor} batchId={listed} onClose={() => setListed(null)} />}
      {asked && (
        <RevertDialog
          editor={editor}
          graph={graph}
          turn={asked}
          changes={history.data}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

function TurnRow({
  turn,
  cannot,
  onUndo,
  onList,
}: {
  readonly turn: Turn
  readonly cannot: string | null
  readonly onUndo: (turn: Turn) => void
  /** Null: the editor has no source control. */
  readonly onList: ((batchId: string) => void) | null
}) {
  const [open, setOpen] = useState(false)
  const { title, at, changes, undoable, undone } = turn
  const many = changes.length > 1
  return (
    <li className="px-3 py-2">
      <div className="flex items-center gap-2">
        <Author by={turn} />
        <RelativeTime at={at} className="grow text-right text-2xs text-ink-3" />
      </div>
      <div className="mt-1 flex items-start gap-1">
        <p className={cx('min-w-0 grow py-1 text-sm break-words', undone && 'text-ink-3 line-through')}>
          {title}
          {!many && changes[0] && <span className="ml-1.5 text-xs text-ink-3">{aboutChange(changes[0])}</span>}
        </p>
        {many && (
          <IconButton
            label={t('Changes of {title}', { title })}
            size="sm"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <ChevronRight className={cx('transition-transform', open && 'rotate-90')} />
          </IconButton>
        )}
        {onList && 'batchId' in turn.selection && <ListButton selection={turn.selection} onList={onList} />}
        {undoable && (
          <IconButton
            label={t('Undo {title}', { title })}
            title={cannot ?? (many ? t('Undo the whole turn…') : t('Undo…'))}
            size="sm"
            disabled={cannot !== null}
            onClick={() => onUndo(turn)}
          >
            <Undo2 />
          </IconButton>
        )}
      </div>
      {many && !open && <p className="text-2xs text-ink-3">{t('{count} changes', { count: changes.length })}</p>}
      {open && (
        <ol aria-label={t('Changes of {title}', { title })} className="mt-1 flex flex-col border-l border-line pl-2">
          {changes.map((change) => (
            <ChangeRow key={change.id} change={change} cannot={cannot} onUndo={() => onUndo(alone(turn, change))} />
          ))}
        </ol>
      )}
    </li>
  )
}

function ListButton({
  selection: { batchId },
  onList,
}: {
  readonly selection: { readonly batchId: string }
  readonly onList: (batchId: string) => void
}) {
  return (
    <IconButton label={t('Change list…')} size="sm" onClick={() => onList(batchId)}>
      <FileCheck />
    </IconButton>
  )
}

/** A single change, presented as a turn. */
function alone(turn: Turn, change: PcgChange): Turn {
  return { ...turn, title: change.tool, changes: [change], selection: { changeId: change.id }, at: change.at }
}

function About({ change }: { readonly change: PcgChange }) {
  return <p className="truncate text-2xs text-ink-3">{aboutChange(change)}</p>
}

function ChangeRow({
  change,
  cannot,
  onUndo,
}: {
  readonly change: PcgChange
  readonly cannot: string | null
  readonly onUndo: () => void
}) {
  return (
    <li className="flex items-center gap-2 py-0.5">
      <div className={cx('min-w-0 grow', change.undone && 'line-through')}>
        <code className="font-mono text-2xs">{change.tool}</code>
        <About change={change} />
      </div>
      {change.undoable && !change.undone && (
        <Button look="quiet" size="sm" disabled={cannot !== null} title={cannot ?? undefined} onClick={onUndo}>
          {t('Undo')}
        </Button>
      )}
    </li>
  )
}
