// The studio: which editor, which graph, the canvas between its panels.
import { useQuery } from '@tanstack/react-query'
import { Workflow } from 'lucide-react'
import { type ReactNode, Suspense, useMemo } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { useStore } from 'zustand'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { PageSkeleton } from '../ui/Skeleton.tsx'
import { useUrlParams } from '../url-params.ts'
import { Canvas } from './canvas/Canvas.tsx'
import { useKeptGraph } from './collaboration/kept-graphs.ts'
import { OfflineNote } from './collaboration/OfflineNote.tsx'
import { useOpeningVersion } from './collaboration/opening-version.ts'
import { useOthers } from './collaboration/others.ts'
import type { Gestures } from './editor/gestures.ts'
import { editorsQuery, useFreshQueries } from './editor/queries.ts'
import { OpenPanel, PanelSwitches } from './PanelDock.tsx'
import { Layers } from './panels/Layers.tsx'
import type { PanelProps } from './panels.ts'
import { StudioHead } from './StudioHead.tsx'
import { type Side, useStudio } from './studio.ts'
import { GesturesProvider, useMakeGestures } from './use-gestures.ts'

export function StudioPage() {
  const [params] = useUrlParams()
  // Its latency and queue move without an event; its state does not.
  const editors = useQuery({ ...editorsQuery, refetchInterval: 15_000 })
  const graph = params.graph ?? null
  if (editors.isError) return <ErrorState error={editors.error} onRetry={() => void editors.refetch()} />
  if (!editors.data) return <PageSkeleton />
  const editor = editors.data.find(({ name }) => name === params.editor) ?? editors.data[0]
  if (!editor)
    return (
      <EmptyState
        heading="h1"
        icon={Workflow}
        title="No editor yet"
        about="Start the gateway with PCG_ENABLED=true to use the built-in editor."
      />
    )
  return (
    <Workbench key={`${editor.name} ${graph ?? ''}`} editor={editor.name} graph={graph}>
      <StudioHead editors={editors.data} editor={editor} graph={graph} />
      <OfflineNote editor={editor} graph={graph} />
    </Workbench>
  )
}

function Workbench({ editor, graph, children }: PanelProps & { readonly children: ReactNode }) {
  const gestures = useMakeGestures(editor, graph ?? '')
  useFreshQueries(editor, graph ?? '', gestures)
  useOthers(editor, graph, gestures)
  useOpeningVersion(editor, graph)
  useKeptGraph(editor, graph)
  const open = useStudio((state) => state.open)
  const side = (of: Side) => <OpenPanel side={of} editor={editor} graph={graph} />
  return (
    <GesturesProvider value={gestures}>
      {graph !== null && <Layers editor={editor} graph={graph} />}
      {graph !== null && <Done gestures={gestures} />}
      <div className="flex h-full flex-col">
        {children}
        <div className="flex min-h-0 grow">
          <PanelSwitches side="left" />
          {/* Bottom panels span the full width: tables need more than the canvas between two side panels has. */}
          <Group orientation="vertical" className="min-w-0 grow">
            <Panel id="upper" minSize={160}>
              <Group orientation="horizontal">
                {open.left && (
                  <>
                    <Panel id="left" defaultSize={240} minSize={180}>
                      {side('left')}
                    </Panel>
                    <Separator className="w-px bg-line data-[separator=hover]:bg-ring" />
                  </>
                )}
                <Panel id="canvas" minSize={200}>
                  <Suspense fallback={<PageSkeleton />}>
                    {graph === null ? <NoGraph /> : <Canvas editor={editor} graph={graph} />}
                  </Suspense>
                </Panel>
                {open.right && (
                  <>
                    <Separator className="w-px bg-line data-[separator=hover]:bg-ring" />
                    <Panel id="right" defaultSize={320} minSize={220}>
                      {side('right')}
                    </Panel>
                  </>
                )}
              </Group>
            </Panel>
            {open.bottom && (
              <>
                <Separator className="h-px bg-line data-[separator=hover]:bg-ring" />
                <Panel id="bottom" defaultSize={340} minSize={120}>
                  {side('bottom')}
                </Panel>
              </>
            )}
          </Group>
          <PanelSwitches side="right" />
        </div>
      </div>
    </GesturesProvider>
  )
}

function NoGraph() {
  return (
    <EmptyState icon={Workflow} title="No graph is open" about="Choose one on the left, or create the first one." />
  )
}

/** Announces changes of the graph to screen readers; the canvas announces undos itself. */
function Done({ gestures }: { readonly gestures: Gestures }) {
  const count = useStore(gestures.state, (state) => state.count)
  const label = useMemo(
    () => (count === 0 ? '' : (gestures.state.getState().done.at(-1)?.label ?? '')),
    [count, gestures],
  )
  return (
    <p role="status" aria-label="Done last" className="sr-only">
      {label}
      {/* The changed character makes screen readers announce identical text again. */}
      {count % 2 === 1 && '\u00a0'}
    </p>
  )
}
