// Merges another state of the graph into it: each conflict is decided, the result is shown beside the graph, and applied as one step.
import { useMutation, useQuery } from '@tanstack/react-query'
import { GitMerge, TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import {
  type Conflict,
  conflictKey,
  conflictText,
  isChoice,
  mergeGraphs,
  patchBetween,
  type ReviewGraph,
  type Side,
} from '#pcg-review'
import { plural, t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useBench } from '../canvas/bench.ts'
import { versionsQuery } from '../editor/queries.ts'
import { canDo } from '../findings/findings.ts'
import { nameOf } from '../model/edits.ts'
import { useGestures } from '../use-gestures.ts'
import { SideBySide } from './SideBySide.tsx'
import { nameOfSource, SourceField } from './SourceField.tsx'
import { NOW, type Source, useSources } from './sources.ts'

const ABOUT = t(
  'Changes of both sides since their common version are merged. Conflicts are yours to decide; the result is one step that can be undone.',
)

export function MergeDialog({ onClose }: { readonly onClose: () => void }) {
  const { editor, view } = useBench()
  const { data: versions = [] } = useQuery(versionsQuery(editor, view.path))
  const [base, setBase] = useState<Source | null>(null)
  const [theirs, setTheirs] = useState<Source | null>(null)
  const { graphs, error } = useSources(editor, view.path, [base, NOW, theirs])
  const [before, ours, other] = graphs
  const sources = `${nameOfSource(base, versions)}\n${nameOfSource(theirs, versions)}`
  return (
    <Dialog
      open
      onClose={onClose}
      width="max-w-[94vw]"
      title={t('Merge into {graph}', { graph: nameOf(view.path) })}
      about={ABOUT}
    >
      <div className="flex h-[66vh] flex-col gap-3 max-lg:h-auto max-lg:min-h-[50vh]">
        <div className="flex gap-4 max-lg:flex-col">
          <div className="min-w-0 flex-1">
            <SourceField label={t('Common version (base)')} source={base} versions={versions} onChange={setBase} />
          </div>
          <div className="min-w-0 flex-1">
            <SourceField label={t('Merge in (theirs)')} source={theirs} versions={versions} onChange={setTheirs} />
          </div>
        </div>
        {error !== null ? (
          <ErrorState error={error} onRetry={onClose} />
        ) : base === null || theirs === null ? (
          <EmptyState
            icon={GitMerge}
            title={t('Choose the base and theirs')}
            about={t('The base is the last state that both sides had: a version, or a file from version control.')}
          />
        ) : before && ours && other ? (
          <Merging key={sources} base={before} ours={ours} theirs={other} onClose={onClose} />
        ) : (
          <Skeleton className="h-full" />
        )}
      </div>
    </Dialog>
  )
}

type MergingProps = {
  readonly base: ReviewGraph
  readonly ours: ReviewGraph
  readonly theirs: ReviewGraph
  readonly onClose: () => void
}

function Merging({ base, ours, theirs, onClose }: MergingProps) {
  const { perform, locked } = useGestures()
  const [decided, setDecided] = useState<ReadonlyMap<string, Side>>(new Map())
  const merged = useMemo(() => mergeGraphs(base, ours, theirs, 'ours', decided), [base, ours, theirs, decided])
  const steps = useMemo(() => patchBetween(ours, merged.graph), [ours, merged])
  const [possible, refused] = [steps.filter(canDo), steps.filter((step) => !canDo(step))]
  const open = merged.conflicts.filter((conflict) => isChoice(conflict) && !decided.has(conflictKey(conflict)))
  const apply = useMutation({
    mutationFn: () =>
      perform({
        label: t('Merge'),
        async edit(_call, patch) {
          if (possible.length > 0) await patch(possible)
          return undefined
        },
      }),
    onSuccess: (done) => {
      if (!done) return
      notifyDone(t('Merged'))
      onClose()
    },
  })
  const reason =
    locked ??
    (open.length > 0
      ? plural(open.length, '{count} conflict to decide', '{count} conflicts to decide')
      : possible.length === 0
        ? t('Nothing to change')
        : null)
  return (
    <>
      <div className="flex min-h-0 grow gap-3 max-lg:flex-col">
        <section
          aria-label={t('Conflicts')}
          className="flex w-80 shrink-0 flex-col gap-2 overflow-y-auto max-lg:max-h-60 max-lg:w-full"
        >
          <p role="status" className="text-xs font-semibold text-ink-2">
            {merged.conflicts.length === 0
              ? t('No conflicts')
              : plural(
                  merged.conflicts.length,
                  '{count} conflict, {open} to decide',
                  '{count} conflicts, {open} to decide',
                  {
                    open: open.length,
                  },
                )}
          </p>
          {merged.conflicts.map((conflict) => (
            <ConflictCard
              key={conflictKey(conflict)}
              conflict={conflict}
              side={decided.get(conflictKey(conflict))}
              onDecide={(side) => setDecided((now) => new Map(now).set(conflictKey(conflict), side))}
            />
          ))}
          {refused.length > 0 && <Refused steps={refused} />}
        </section>
        <SideBySide before={ours} after={merged.graph} labels={[t('This graph'), t('Merged')]} />
      </div>
      <DialogActions>
        {reason !== null && <p className="mr-auto self-center text-xs text-ink-2">{reason}</p>}
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button look="strong" busy={apply.isPending} disabled={reason !== null} onClick={() => apply.mutate()}>
          {t('Apply the merge')}
        </Button>
      </DialogActions>
    </>
  )
}

/** Editors have no tool for these. */
function Refused({ steps }: { readonly steps: ReturnType<typeof patchBetween> }) {
  return (
    <div role="note" className="rounded-md bg-warn-soft px-3 py-2 text-xs">
      <p className="flex gap-1.5 font-medium">
        <TriangleAlert aria-hidden className="size-3.5 shrink-0 text-warn" />{' '}
        {t('Not applied: editors have no call for it')}
      </p>
      <ul className="list-inside list-disc">
        {steps.map((step) => {
          const text =
            step.do === 'remove parameter'
              ? t('removal of the parameter {name}', { name: step.parameter })
              : 'node' in step
                ? t('title of {name}', { name: step.node })
                : step.do
          return <li key={text}>{text}</li>
        })}
      </ul>
    </div>
  )
}

const shown = (value: unknown): string =>
  value === null || value === undefined ? t('default') : typeof value === 'string' ? value : JSON.stringify(value)

/** What each side has; the value before is above. */
function choicesOf(
  conflict: Conflict,
): { readonly title: string; readonly before: string | null } & Record<Side, string> {
  if (conflict.kind === 'node removed') {
    const changed = t('Keep it, with changed {parts}', { parts: conflict.changed.join(', ') })
    const gone = t('Remove it')
    return {
      title: conflict.node,
      before: null,
      ours: conflict.by === 'ours' ? gone : changed,
      theirs: conflict.by === 'theirs' ? gone : changed,
    }
  }
  const title =
    conflict.kind === 'setting'
      ? `${conflict.node}: ${conflict.setting}`
      : conflict.kind === 'title' || conflict.kind === 'name'
        ? `${conflict.node}: ${conflict.kind}`
        : conflict.kind === 'input' || conflict.kind === 'order'
          ? `${conflict.to}.${conflict.toPin}: ${conflict.kind}`
          : conflict.kind === 'parameter'
            ? t('Parameter {name}', { name: conflict.parameter })
            : conflict.kind === 'pins'
              ? t('Pins of {end}', { end: conflict.end })
              : conflict.kind
  const three = 'base' in conflict ? conflict : { base: null, ours: null, theirs: null }
  return { title, before: shown(three.base), ours: shown(three.ours), theirs: shown(three.theirs) }
}

const SIDES = [
  ['ours', t('This graph')],
  ['theirs', t('Theirs')],
] as const

function ConflictCard({
  conflict,
  side,
  onDecide,
}: {
  readonly conflict: Conflict
  readonly side: Side | undefined
  readonly onDecide: (side: Side) => void
}) {
  if (!isChoice(conflict))
    return <p className="rounded-md border border-line px-3 py-2 text-xs text-ink-2">{conflictText(conflict)}</p>
  const { title, before, ...values } = choicesOf(conflict)
  return (
    <fieldset className={cx('rounded-md border px-3 pb-2', side ? 'border-line' : 'border-warn-solid')}>
      <legend className="flex max-w-full items-center gap-1.5 px-1 text-xs font-medium">
        <span className="min-w-0 break-all">{title}</span>
        {side === undefined && <Badge tone="warn">{t('to decide')}</Badge>}
      </legend>
      {before !== null && (
        <p className="pb-1 font-mono text-2xs break-all text-ink-3">{t('before {value}', { value: before })}</p>
      )}
      {SIDES.map(([key, label]) => (
        <label key={key} className="flex items-baseline gap-2 rounded px-1 py-0.5 text-xs hover:bg-hover">
          <input type="radio" name={conflictKey(conflict)} checked={side === key} onChange={() => onDecide(key)} />
          <span className="shrink-0">{label}</span>
          <span className="min-w-0 font-mono text-2xs break-all text-ink-2">{values[key]}</span>
        </label>
      ))}
    </fieldset>
  )
}
