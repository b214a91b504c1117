// The studio: which editor, which graph, the canvas between its panels.
import { useQuery } from '@tanstack/react-query'
import { Workflow } from 'lucide-react'
import { type ReactNode, Suspense, useMemo } from 'react'
import { Group, type GroupProps, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { useStore } from 'zustand'
import { t } from '../language/language.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { PageSkeleton } from '../ui/Skeleton.tsx'
import { useUrlParams } from '../url-params.ts'
import { Canvas } from './canvas/Canvas.tsx'
import { ActivityNote } from './collaboration/ActivityNote.tsx'
import { BlockedDialog } from './collaboration/BlockedDialog.tsx'
import { useKeptGraph } from './collaboration/kept-graphs.ts'
import { LeaseNote } from './collaboration/LeaseNote.tsx'
import { OfflineNote } from './collaboration/OfflineNote.tsx'
import { useOpeningVersion } from './collaboration/opening-version.ts'
import { useOthers } from './collaboration/others.ts'
import type { Gestures } from './editor/gestures.ts'
import { editorsQuery, graphsQuery, useFreshQueries } from './editor/queries.ts'
import { OpenPanel, PanelSwitches, PanelsAbove } from './PanelDock.tsx'
import { PanelWindow, useSharedSelection } from './PanelWindow.tsx'
import { usePanels } from './panel-places.ts'
import { Layers } from './panels/Layers.tsx'
import type { PanelProps } from './panels.ts'
import { StudioHead } from './StudioHead.tsx'
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
        title={t('No editor yet')}
        about={t('Start the gateway with PCG_ENABLED=true to use the built-in editor.')}
      />
    )
  if (params.panel !== undefined) return <PanelWindow id={params.panel} editor={editor.name} graph={graph} />
  return (
    <Workbench key={`${editor.name} ${graph ?? ''}`} editor={editor.name} graph={graph}>
      <StudioHead editors={editors.data} editor={editor} graph={graph} />
      <OfflineNote editor={editor} graph={graph} />
      <ActivityNote editor={editor} />
      <LeaseNote editor={editor} graph={graph} />
    </Workbench>
  )
}

function Workbench({ editor, graph, children }: PanelProps & { readonly children: ReactNode }) {
  const gestures = useMakeGestures(editor, graph ?? '')
  useFreshQueries(editor, graph ?? '', gestures)
  useOthers(editor, graph, gestures)
  useOpeningVersion(editor, graph)
  useKeptGraph(editor, graph)
  useSharedSelection(editor, graph)
  // Read before its panel is open, so that it is stored for a time without the editor.
  useQuery(graphsQuery(editor))
  const docked = usePanels((state) => state.open)
  // Without a graph there is nothing to do but to choose one.
  const open = graph === null ? { ...docked, left: docked.left ?? 'graphs' } : docked
  const full = usePanels((state) => state.full)
  // A maximised panel is above the others; a second one below it would read and draw the same.
  const panel = (id: string) => (id === full ? null : <OpenPanel id={id} editor={editor} graph={graph} />)
  const across = useSizes('across', ['left', 'canvas', 'right'], [open.left, 'canvas', open.right])
  const down = useSizes('down', ['upper', 'bottom'], ['upper', open.bottom])
  return (
    <GesturesProvider value={gestures}>
      {graph !== null && <Layers editor={editor} graph={graph} />}
      {graph !== null && <Done gestures={gestures} />}
      {graph !== null && <BlockedDialog />}
      <div className="flex h-full flex-col">
        {children}
        <div className="flex min-h-0 grow">
          <PanelSwitches side="left" />
          {/* Bottom panels span the full width: tables need more than the canvas between two side panels has. */}
          <div className="relative min-w-0 grow">
            <Group {...down} orientation="vertical">
              <Panel id="upper" minSize={160}>
                <Group {...across} orientation="horizontal">
                  {open.left && (
                    <>
                      <Panel id="left" defaultSize={240} minSize={180}>
                        {panel(open.left)}
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
                        {panel(open.right)}
                      </Panel>
                    </>
                  )}
                </Group>
              </Panel>
              {open.bottom && (
                <>
                  <Separator className="h-px bg-line data-[separator=hover]:bg-ring" />
                  <Panel id="bottom" defaultSize={340} minSize={120}>
                    {panel(open.bottom)}
                  </Panel>
                </>
              )}
            </Group>
            <PanelsAbove editor={editor} graph={graph} />
          </div>
          <PanelSwitches side="right" />
        </div>
      </div>
    </GesturesProvider>
  )
}

/** The sizes of the docked panels, remembered for each set of open ones. */
function useSizes(
  id: string,
  names: readonly string[],
  open: readonly (string | null)[],
): Pick<GroupProps, 'defaultLayout' | 'onLayoutChanged'> {
  return useDefaultLayout({
    id: `gantry-studio-${id}`,
    panelIds: names.filter((_name, at) => open[at] !== null),
    storage: localStorage,
    // The first sizes follow the window, so they are not a choice to remember.
    onlySaveAfterUserInteractions: true,
  })
}

function NoGraph() {
  return (
    <EmptyState
      icon={Workflow}
      title={t('No graph is open')}
      about={t('Choose one on the left, or create the first one.')}
    />
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
    <p role="status" aria-label={t('Done last')} className="sr-only">
      {label}
      {/* The changed character makes screen readers announce identical text again. */}
      {count % 2 === 1 && '\u00a0'}
    </p>
  )
}
