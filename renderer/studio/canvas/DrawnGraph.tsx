// The graph on the canvas, with its pointer and keyboard handling.
import {
  Background,
  ReactFlow,
  type ReactFlowProps,
  type ReactFlowState,
  SelectionMode,
  useStore as useFlow,
} from '@xyflow/react'
import {
  type MouseEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useStore } from 'zustand'
import { t } from '../../language/language.ts'
import { GRID } from '../model/align.ts'
import type { Arrangement } from '../model/arrangement.ts'
import { tidied } from '../model/edits.ts'
import type { GraphView } from '../model/graph.ts'
import { useStudio } from '../studio.ts'
import { useGestures } from '../use-gestures.ts'
import { reroute } from './arrange-commands.ts'
import { type Bench, BenchProvider, type Standing } from './bench.ts'
import { CanvasBar } from './CanvasBar.tsx'
import { CommentBox } from './CommentBox.tsx'
import { ContextMenu } from './ContextMenu.tsx'
import { useChoices } from './choices.ts'
import { meant } from './chosen.ts'
import { openAdd } from './edit-commands.ts'
import { boxesOf, type CanvasNode, DENSE, flowEdges, flowNodes, ROOMY, type WireEdge } from './flow.ts'
import { GraphMap } from './GraphMap.tsx'
import { Guides } from './Guides.tsx'
import { glide } from './glide.ts'
import { EMPTY_HAND, hold, useHand } from './hand.ts'
import { KeepMiddle } from './KeepMiddle.tsx'
import { LayingOut } from './LayingOut.tsx'
import { NodeBox } from './NodeBox.tsx'
import { reachedByTab, withMark } from './node-names.ts'
import { useOverlay } from './overlay.ts'
import { Pickers } from './Pickers.tsx'
import { PinLegend } from './PinLegend.tsx'
import { RerouteDot } from './RerouteDot.tsx'
import { enter, FIT_PADDING } from './see-commands.ts'
import { ArrangeProvider, arrangeOf } from './use-arrange.ts'
import { useBenchOf } from './use-bench-of.ts'
import { useCanvasActions, useCanvasKeys } from './use-canvas-keys.ts'
import { connectionHandlers } from './use-connecting.ts'
import { useGliding } from './use-gliding.ts'
import { onEdgesChange, useHold } from './use-hold.ts'
import { useNodeFocus } from './use-node-focus.ts'
import { StrokeLine, useStrokes } from './use-strokes.tsx'
import { Wire } from './Wire.tsx'

const NODE_TYPES = { graph: NodeBox, comment: CommentBox, reroute: RerouteDot }
const EDGE_TYPES = { wire: Wire }
/** Turns off the library's own keys and clicks: the studio's commands replace them. */
const BEHAVIOUR = {
  nodeTypes: NODE_TYPES,
  edgeTypes: EDGE_TYPES,
  connectionRadius: 28,
  connectOnClick: false,
  connectionLineStyle: { stroke: 'var(--g-ring)', strokeWidth: 2 },
  selectionOnDrag: true,
  selectionMode: SelectionMode.Partial,
  panOnDrag: [1, 2],
  multiSelectionKeyCode: ['Shift', 'Control', 'Meta'],
  selectionKeyCode: null,
  panActivationKeyCode: null,
  deleteKeyCode: null,
  disableKeyboardA11y: true,
  nodesFocusable: false,
  edgesFocusable: false,
  zoomOnDoubleClick: false,
  snapGrid: [GRID, GRID],
  elevateNodesOnSelect: false,
  onlyRenderVisibleElements: true,
  minZoom: 0.05,
  maxZoom: 2.5,
  className: 'bg-canvas',
  // Fits the view on mount: the library's option waits for measured sizes, which are explicit here.
  onInit: (flow) => void flow.fitView({ maxZoom: 1, padding: FIT_PADDING }),
} satisfies ReactFlowProps<CanvasNode, WireEdge>

type Props = { readonly editor: string; readonly view: GraphView; readonly layout: Arrangement }

export function DrawnGraph({ editor, view, layout }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const gone = useOverlay((state) => state.gone)
  const marks = useOverlay((state) => state.edges)
  const { snap, minimap, dense } = useChoices()
  const read = useMemo(() => flowNodes(view, layout, gone, dense ? DENSE : ROOMY), [view, layout, gone, dense])
  const wires = useMemo(() => flowEdges(view, marks, layout), [view, marks, layout])
  const { gestures, locked } = useGestures()
  const perform = usePerform({ view, layout, nodes: read })
  const hands = useHold({ view, layout, read }, perform)
  const [spoken, say] = useState('')
  const bench = useBenchOf({ editor, view, layout, nodes: hands.nodes, root, say, perform })
  const strokes = useStrokes(bench)
  const { holding } = hands
  const arrange = useMemo(() => arrangeOf(bench, holding), [bench, holding])
  const { nodes, edges } = useChosen(hands.nodes, wires)
  const busy = useStore(gestures.state, (state) => state.busy)
  useGliding(root, read)
  useCanvasKeys(root, bench)
  useCanvasActions(bench)
  useFocus(bench)
  const focus = useNodeFocus(root)
  const onDoubleClick = ({ target }: MouseEvent): void => {
    if (target instanceof Element && target.classList.contains('react-flow__pane')) openAdd(bench)
  }
  return (
    <BenchProvider value={bench}>
      <ArrangeProvider value={arrange}>
        <div className="flex size-full flex-col">
          <CanvasBar />
          <div className="flex min-h-0 grow">
            {/* Every pointer action is also a command with a key and a menu entry. */}
            <div
              ref={root}
              role="application"
              aria-label={t('Graph')}
              aria-busy={busy}
              // Canvas keys apply only while the canvas has the focus.
              tabIndex={0}
              className="relative h-full min-w-0 grow outline-none"
              onDoubleClick={onDoubleClick}
              {...focus}
              {...strokes.handlers}
            >
              <ReactFlow<CanvasNode, WireEdge>
                nodes={nodes}
                edges={edges}
                onNodesChange={hands.onNodesChange}
                onEdgesChange={onEdgesChange}
                {...dragHandlers(hands)}
                onNodeDoubleClick={(_event, node) => node.type === 'graph' && void enter(bench, node.id)}
                onEdgeDoubleClick={(event, { id }) =>
                  reroute(bench, id, bench.flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))
                }
                {...menuHandlers(bench)}
                {...connectionHandlers(bench)}
                {...BEHAVIOUR}
                nodesDraggable={locked === null}
                nodesConnectable={locked === null}
                snapToGrid={snap}
              >
                <Background gap={GRID * 3} color="var(--g-line-strong)" />
                <Guides />
                <KeepMiddle />
                <LayingOut />
                <ZoomVariable root={root} />
              </ReactFlow>
              <StrokeLine stroke={strokes.stroke} />
              <Pickers />
              <ContextMenu />
              <p role="status" aria-label={t('On the canvas')} className="sr-only">
                {spoken}
              </p>
            </div>
            {minimap && <Beside nodes={read} />}
          </div>
        </div>
      </ArrangeProvider>
    </BenchProvider>
  )
}

/** Map and legend beside the canvas, where they cover nothing. */
function Beside({ nodes }: { readonly nodes: readonly CanvasNode[] }) {
  return (
    <div className="flex w-44 shrink-0 flex-col gap-4 overflow-y-auto border-l border-line p-2">
      <GraphMap nodes={nodes} />
      <PinLegend />
    </div>
  )
}

const zoomOf = ({ transform: [, , zoom] }: ReactFlowState): number => zoom

/** The zoom as a CSS variable: titles keep a readable size without rendering the nodes again. */
function ZoomVariable({ root }: { readonly root: React.RefObject<HTMLDivElement | null> }) {
  const zoom = useFlow(zoomOf)
  useLayoutEffect(() => root.current?.style.setProperty('--zoom', String(zoom)), [root, zoom])
  return null
}

const dragHandlers = ({ onDragStart, onDrag, onDragStop }: ReturnType<typeof useHold>) =>
  ({
    onNodeDragStart: (_event, _node, dragged) => onDragStart(dragged),
    onNodeDrag: (_event, _node, dragged) => onDrag(dragged),
    onNodeDragStop: (_event, _node, dragged) => onDragStop(dragged),
    onSelectionDragStart: (_event, dragged) => onDragStart(dragged),
    onSelectionDragStop: (_event, dragged) => onDragStop(dragged),
  }) satisfies ReactFlowProps<CanvasNode, WireEdge>

/** A right click selects what it hits, unless that is part of the selection. */
function menuHandlers(bench: Bench) {
  const open = (event: MouseEvent | globalThis.MouseEvent, of: 'node' | 'wire' | 'canvas'): void => {
    event.preventDefault()
    hold({ menu: { of, screen: { x: event.clientX, y: event.clientY } } })
  }
  return {
    onNodeContextMenu: (event, { id, type }) => {
      const { nodes, select } = useStudio.getState()
      const known = nodes.has(id) || useHand.getState().extras.has(id)
      if (!known) {
        select(type === 'graph' ? [id] : [])
        hold({ extras: new Set(type === 'graph' ? [] : [id]) })
      }
      open(event, bench.view.nodes.has(id) ? 'node' : 'wire')
    },
    onSelectionContextMenu: (event) => open(event, 'node'),
    onEdgeContextMenu: (event, { id }) => {
      useStudio.getState().select([], [id])
      open(event, 'wire')
    },
    onPaneContextMenu: (event) => open(event, 'canvas'),
  } satisfies ReactFlowProps<CanvasNode, WireEdge>
}

function leaveClean(): void {
  useHand.getState().laying?.stop()
  useStudio.getState().select([])
  useStudio.getState().setDisplay(null)
  hold(EMPTY_HAND)
  useOverlay.setState({ wanted: null })
}

/** A gesture is built when its turn comes, from the drawn nodes if they are current, otherwise from the newest read. */
function usePerform(drawn: Standing): Bench['perform'] {
  const { perform } = useGestures()
  const last = useRef(drawn)
  useLayoutEffect(() => {
    last.current = drawn
  })
  return useCallback(
    (make) => {
      const chosen = meant()
      return perform(async ({ view, layout }) => {
        const { current } = last
        const { gone } = useOverlay.getState()
        const density = useChoices.getState().dense ? DENSE : ROOMY
        const fresh = current.view === view && current.layout === layout
        const at = fresh ? current : { view, layout, nodes: flowNodes(view, layout, gone, density) }
        const gesture = await make(at, chosen())
        return gesture && tidied(gesture, view, layout, boxesOf(at.nodes))
      })
    },
    [perform],
  )
}

/** Adds the selection to the nodes; unchanged nodes keep their identity, so React skips them. */
function useChosen(nodes: readonly CanvasNode[], wires: readonly WireEdge[]) {
  const chosen = useStudio((state) => state.nodes)
  const chosenEdges = useStudio((state) => state.edges)
  const extras = useHand((state) => state.extras)
  const marks = useOverlay((state) => state.nodes)
  return {
    nodes: useMemo(() => {
      const [first] = chosen
      const tab = nodes.some(({ id }) => id === first) ? first : nodes.find(({ type }) => type === 'graph')?.id
      return nodes.map((plain) => {
        const marked = withMark(plain, marks.get(plain.id))
        const node = plain.id === tab ? reachedByTab(marked) : marked
        return chosen.has(node.id) || extras.has(node.id) ? { ...node, selected: true } : node
      })
    }, [nodes, chosen, extras, marks]),
    edges: useMemo(
      () => wires.map((wire) => (chosenEdges.has(wire.id) ? { ...wire, selected: true } : wire)),
      [wires, chosenEdges],
    ),
  }
}

/** Scrolls to the requested node as soon as it is drawn; nothing stays requested when the canvas goes. */
function useFocus({ flow, view, nodes }: Bench): void {
  const wanted = useOverlay((state) => state.wanted)
  const drawn = useMemo(() => wanted !== null && nodes.some(({ id }) => id === wanted), [wanted, nodes])
  const show = useEffectEvent((node: string) => {
    useOverlay.setState({ wanted: null })
    useStudio.getState().select(view.nodes.has(node) ? [node] : [])
    void flow.fitView({ nodes: [{ id: node }], maxZoom: 1, duration: glide() })
  })
  useEffect(() => {
    if (wanted !== null && drawn) show(wanted)
  }, [wanted, drawn])
  useEffect(() => () => leaveClean(), [])
}
