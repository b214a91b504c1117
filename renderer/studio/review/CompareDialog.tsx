// Two versions, or a file and the graph, side by side.
import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight, GitCompare } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useBench } from '../canvas/bench.ts'
import { versionsQuery } from '../editor/queries.ts'
import { nameOf } from '../model/edits.ts'
import { SideBySide } from './SideBySide.tsx'
import { nameOfSource, SourceField } from './SourceField.tsx'
import { NOW, type Source, useSources } from './sources.ts'

export function CompareDialog({ onClose }: { readonly onClose: () => void }) {
  const { editor, view } = useBench()
  const { data: versions = [] } = useQuery(versionsQuery(editor, view.path))
  const [picked, setPicked] = useState<Source | null>(null)
  const [second, setSecond] = useState<Source>(NOW)
  const [newest] = versions
  const first = picked ?? (newest ? ({ kind: 'version', id: newest.id } as const) : null)
  const { graphs, error } = useSources(editor, view.path, [first, second])
  const [before, after] = graphs
  return (
    <Dialog open onClose={onClose} width="max-w-[94vw]" title={t('Compare {graph}', { graph: nameOf(view.path) })}>
      <div className="flex h-[68vh] flex-col gap-3 max-lg:h-auto max-lg:min-h-[50vh]">
        <div className="flex items-end gap-2 max-lg:flex-wrap">
          <div className="min-w-0 flex-1">
            <SourceField label={t('Before')} now source={first} versions={versions} onChange={setPicked} />
          </div>
          <IconButton
            label={t('Exchange both')}
            disabled={first === null}
            onClick={() => {
              setPicked(second)
              if (first) setSecond(first)
            }}
          >
            <ArrowLeftRight />
          </IconButton>
          <div className="min-w-0 flex-1">
            <SourceField label={t('After')} now source={second} versions={versions} onChange={setSecond} />
          </div>
        </div>
        {error !== null ? (
          <ErrorState error={error} onRetry={onClose} />
        ) : first === null ? (
          <EmptyState icon={GitCompare} title={t('Nothing to compare')} about={t('Choose a version or a file.')} />
        ) : before && after ? (
          <SideBySide
            before={before}
            after={after}
            labels={[nameOfSource(first, versions), nameOfSource(second, versions)]}
          />
        ) : (
          <Skeleton className="h-full" />
        )}
      </div>
    </Dialog>
  )
}
