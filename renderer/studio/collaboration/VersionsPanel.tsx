// Versions of a graph: saved by hand or before an agent's turn, compared on the canvas, restored.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Camera, GitCompare } from 'lucide-react'
import { useState } from 'react'
import type { PcgSnapshot } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { inputClass } from '../../ui/Field.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { submitting } from '../../ui/submitting.ts'
import { versionsQuery } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'
import type { PanelProps } from '../panels.ts'
import { Comparison } from './Comparison.tsx'

type Props = { readonly editor: string; readonly graph: string }

export function VersionsPanel({ editor, graph }: PanelProps) {
  if (graph === null)
    return <EmptyState icon={GitCompare} title={t('No graph is open')} about={t('Its versions are listed here.')} />
  return <Versions editor={editor} graph={graph} />
}

function Versions({ editor, graph }: Props) {
  const versions = useQuery(versionsQuery(editor, graph))
  const [chosen, setChosen] = useState<number | null>(null)
  const [against, setAgainst] = useState<number | null>(null)
  if (versions.isError && !versions.data)
    return <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />
  if (!versions.data) return <Skeleton className="m-3 h-24" />
  const open = versions.data.find(({ id }) => id === chosen)
  return (
    <div className="flex flex-col gap-3 pb-3">
      <TakeVersion editor={editor} graph={graph} />
      {versions.data.length === 0 ? (
        <EmptyState
          icon={GitCompare}
          title={t('No version yet')}
          about={t('A version is saved before an agent’s turn, when you open a changed graph, and on request.')}
        />
      ) : (
        <ol aria-label={t('Versions')} className="max-h-64 divide-y divide-line overflow-y-auto border-y border-line">
          {versions.data.map((version) => (
            <VersionRow
              key={version.id}
              version={version}
              open={version.id === chosen}
              onOpen={() => {
                setChosen(version.id === chosen ? null : version.id)
                setAgainst(null)
              }}
            />
          ))}
        </ol>
      )}
      {open && (
        <Comparison
          key={open.id}
          editor={editor}
          graph={graph}
          version={open}
          versions={versions.data}
          against={against}
          onAgainst={setAgainst}
        />
      )}
    </div>
  )
}

function VersionRow({
  version: { label, createdAt, createdBy, nodeCount, edgeCount },
  open,
  onOpen,
}: {
  readonly version: PcgSnapshot
  readonly open: boolean
  readonly onOpen: () => void
}) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={open}
        onClick={onOpen}
        className={cx('flex w-full flex-col gap-0.5 px-3 py-2 text-left hover:bg-hover', open && 'bg-pressed')}
      >
        <span className="flex w-full items-baseline gap-2">
          <span className="min-w-0 grow truncate text-sm font-medium">{label ?? t('Version')}</span>
          <RelativeTime at={createdAt} className="text-2xs text-ink-3" />
        </span>
        <span className="text-2xs text-ink-3">
          {t('{nodeCount} nodes, {edgeCount} edges · {value}', {
            nodeCount,
            edgeCount,
            value: createdBy === 'system' ? t('automatic') : createdBy,
          })}
        </span>
      </button>
    </li>
  )
}

function TakeVersion({ editor, graph }: Props) {
  const queries = useQueryClient()
  const cannot = useCapability(editor, 'edit')
  const [label, setLabel] = useState('')
  const take = useMutation({
    mutationFn: () =>
      api.pcg.takeSnapshot({ params: { name: editor }, body: { graph, ...(label === '' ? {} : { label }) } }),
    onSuccess: () => setLabel(''),
    onSettled: () => queries.invalidateQueries({ queryKey: versionsQuery(editor, graph).queryKey }),
  })
  return (
    <form
      aria-label={t('Save a version')}
      className="flex flex-col gap-2 px-3"
      onSubmit={submitting(() => take.mutate())}
    >
      <div className="flex gap-2">
        <input
          aria-label={t('Name of the version')}
          placeholder={t('Before the big change')}
          maxLength={120}
          className={inputClass}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <Button type="submit" busy={take.isPending} disabled={cannot !== null} title={cannot ?? undefined}>
          <Camera />
          {t('Keep')}
        </Button>
      </div>
      {take.isError && <ErrorNote error={take.error} />}
    </form>
  )
}
