// The canvas of one graph: draws the editor's state. Gestures go to the editor and are drawn from its answer.
import '@xyflow/react/dist/base.css'
import './canvas.css'
import { useQuery } from '@tanstack/react-query'
import { ReactFlowProvider } from '@xyflow/react'
import { useMemo } from 'react'
import { t } from '../../language/language.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { graphQuery, layoutQuery } from '../editor/queries.ts'
import { graphView } from '../model/graph.ts'
import { DrawnGraph } from './DrawnGraph.tsx'

type Props = { readonly editor: string; readonly graph: string }

export function Canvas({ editor, graph }: Props) {
  const info = useQuery(graphQuery(editor, graph))
  const layout = useQuery(layoutQuery(editor, graph))
  const view = useMemo(() => info.data && graphView(info.data), [info.data])
  const failed = info.error ?? layout.error
  if (failed && !(view && layout.data)) {
    const again = (): void => void Promise.all([info.refetch(), layout.refetch()])
    return <ErrorState title={t('This graph could not be read')} error={failed} onRetry={again} />
  }
  if (!view || !layout.data) return <PageSkeleton />
  return (
    <ReactFlowProvider>
      <DrawnGraph editor={editor} view={view} layout={layout.data} />
    </ReactFlowProvider>
  )
}
