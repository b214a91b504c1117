// Two graphs beside each other on canvases that move together: what went, what came, what changed.
import {
  Background,
  getViewportForBounds,
  Handle,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useStore,
  type Viewport,
} from '@xyflow/react'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { diffGraphs, diffText, type GraphChange, type ReviewGraph } from '#pcg-review'
import { plural, t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { detailAt, READABLE } from '../canvas/detail.ts'
import { DENSE, flowEdges, flowNodes, type GraphNode, handleId, pinMiddle } from '../canvas/flow.ts'
import { hueOfCategory } from '../canvas/pin-look.ts'
import { type Difference, marksOf, nodeOf, placesOf, viewOfReview } from './graph-view.ts'

type ReviewNode = GraphNode & {
  readonly data: GraphNode['data'] & { readonly mark?: Difference | undefined; readonly found?: boolean }
}
const RING_CLASSES: Readonly<Record<Difference, string>> = {
  added: 'border-ok-solid bg-ok-soft outline-2 outline-ok-solid',
  removed: 'border-bad-solid bg-bad-soft outline-2 outline-bad-solid',
  changed: 'border-warn-solid bg-warn-soft outline-2 outline-warn-solid',
}
/** As wide on the screen at every zoom. */
const RING_LOOK = { outlineWidth: 'calc(2px / var(--zoom, 1))' }
const MARKS: Readonly<Record<Difference, string>> = {
  added: t('added'),
  removed: t('removed'),
  changed: t('changed'),
}
const STROKES: Readonly<Record<Difference, string>> = {
  added: 'var(--g-ok-solid)',
  removed: 'var(--g-bad-solid)',
  changed: 'var(--g-warn-solid)',
}

const SIDES = [
  { side: 'inputs', type: 'target', position: Position.Left },
  { side: 'outputs', type: 'source', position: Position.Right },
] as const

const Plain = memo(function Plain({ data }: NodeProps<ReviewNode>) {
  const { node, density, mark, found } = data
  const hue = hueOfCategory(node.category)
  const far = useStore(detailAt) !== 'full'
  return (
    <div
      className={cx(
        'relative size-full rounded-md border border-line-strong bg-surface text-2xs',
        mark && RING_CLASSES[mark],
        found === true && 'outline-4 outline-ring',
      )}
    >
      <p
        style={{
          fontSize: READABLE,
          ...(far ? RING_LOOK : { height: density.head }),
          ...(hue === undefined ? {} : { background: `var(--g-hue-${hue})` }),
        }}
        className={cx(
          'font-semibold text-ink',
          far
            ? 'absolute inset-x-0 top-1/2 flex min-h-full -translate-y-1/2 items-center justify-center rounded-[5px] px-1 text-center leading-[1.1]'
            : 'truncate rounded-t-[5px] border-b border-line px-2 pt-0.5',
          far && hue === undefined && 'bg-pressed',
          far && mark && RING_CLASSES[mark],
        )}
        title={node.name}
      >
        <span className={cx(far && 'line-clamp-2 break-words')}>{node.title}</span>
      </p>
      {SIDES.map(({ side, type, position }) =>
        data[side].map(({ label }, at) => (
          <Handle
            key={label}
            type={type}
            position={position}
            id={handleId(label)}
            style={{ top: pinMiddle(density, at) }}
            className="size-1.5! min-h-0! min-w-0! border-0! bg-ink-3!"
          />
        )),
      )}
    </div>
  )
})
const NODE_TYPES = { graph: Plain }
const NO_MARKS = new Map()

type PaneProps = {
  readonly label: string
  readonly graph: ReviewGraph
  readonly other: ReviewGraph
  readonly marks: ReturnType<typeof marksOf>
  readonly found: string | null
  readonly viewport: Viewport
  readonly onViewport: (viewport: Viewport) => void
}

/** One of the two graphs, with the marks of its own nodes and edges. */
function Pane({ label, graph, other, marks, found, viewport, onViewport }: PaneProps) {
  const drawn = useMemo(() => {
    const view = viewOfReview(graph)
    const layout = placesOf(graph, other)
    return {
      nodes: flowNodes(view, layout, [], DENSE).flatMap((node) => (node.type === 'graph' ? [node] : [])),
      edges: flowEdges(view, NO_MARKS, layout),
    }
  }, [graph, other])
  const nodes = useMemo(
    () =>
      drawn.nodes.map((node): ReviewNode => {
        const mark = marks.nodes.get(node.id)
        const { domAttributes: _focus, ...shown } = node
        return {
          ...shown,
          ariaLabel: [node.ariaLabel, ...(mark ? [MARKS[mark]] : [])].join('. '),
          data: { ...node.data, mark, found: node.id === found },
        }
      }),
    [drawn, marks, found],
  )
  const edges = useMemo(
    () =>
      drawn.edges.map((edge) => {
        const mark = marks.edges.get(edge.id)
        return {
          ...edge,
          type: 'default',
          style: { stroke: mark ? STROKES[mark] : 'var(--g-ink-3)', strokeWidth: mark ? 3 : 1.5 },
        }
      }),
    [drawn, marks],
  )
  return (
    <section aria-label={label} className="flex min-w-0 flex-1 flex-col border-l border-line first:border-l-0">
      <h3 className="truncate border-b border-line px-3 py-1.5 text-xs font-semibold text-ink-2">{label}</h3>
      <div className="min-h-0 grow">
        <ReactFlowProvider>
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            viewport={viewport}
            onViewportChange={onViewport}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            disableKeyboardA11y
            minZoom={0.05}
            maxZoom={1.5}
            className="bg-canvas"
          >
            <Background gap={24} color="var(--g-line-strong)" />
          </ReactFlow>
        </ReactFlowProvider>
      </div>
    </section>
  )
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
function boundsOf(graphs: readonly (readonly [ReviewGraph, ReviewGraph])[]): {
  readonly all: Box
  of(node: string): Box | undefined
} {
  const nodes = graphs.flatMap(([graph, other]) => flowNodes(viewOfReview(graph), placesOf(graph, other), [], DENSE))
  const boxes = new Map(
    nodes.map(({ id, position: { x, y }, width = 0, height = 0 }) => [id, { x, y, width, height }] as const),
  )
  const all = [...boxes.values()]
  const [x, y] = [Math.min(...all.map((box) => box.x)), Math.min(...all.map((box) => box.y))]
  const [right, bottom] = [
    Math.max(...all.map((box) => box.x + box.width)),
    Math.max(...all.map((box) => box.y + box.height)),
  ]
  return { all: { x, y, width: right - x, height: bottom - y }, of: (node) => boxes.get(node) }
}

type Props = {
  readonly before: ReviewGraph
  readonly after: ReviewGraph
  readonly labels: readonly [before: string, after: string]
}

export function SideBySide({ before, after: given, labels }: Props) {
  const { changes, after } = useMemo(() => diffGraphs(before, given), [before, given])
  const marks = useMemo(() => marksOf(changes), [changes])
  const bounds = useMemo(
    () =>
      boundsOf([
        [before, after],
        [after, before],
      ]),
    [before, after],
  )
  const root = useRef<HTMLDivElement>(null)
  const [own, setOwn] = useState<Viewport | null>(null)
  const [size, setSize] = useState({ width: 400, height: 300 })
  const [found, setFound] = useState<string | null>(null)
  useEffect(() => {
    const element = root.current
    if (!element) return
    const watcher = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width / 2, height: entry.contentRect.height - 30 })
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  const viewport = own ?? getViewportForBounds(bounds.all, size.width, size.height, 0.05, 1, 0.08)
  useLayoutEffect(() => root.current?.style.setProperty('--zoom', String(viewport.zoom)), [viewport.zoom])
  const panes = { marks, found, viewport, onViewport: setOwn }
  function goTo(change: GraphChange): void {
    const node = nodeOf(change)
    const box = node === null ? undefined : bounds.of(node)
    setFound(node)
    if (box) setOwn(getViewportForBounds(box, size.width, size.height, 0.05, 1, 0.8))
  }
  return (
    <div className="flex min-h-0 grow overflow-hidden rounded-md border border-line max-lg:flex-col">
      <div ref={root} className="flex min-h-0 min-w-0 grow max-lg:h-80 max-lg:grow-0">
        <Pane label={labels[0]} graph={before} other={after} {...panes} />
        <Pane label={labels[1]} graph={after} other={before} {...panes} />
      </div>
      <section
        aria-label={t('Differences')}
        className="flex w-80 shrink-0 flex-col overflow-y-auto border-l border-line max-lg:h-40 max-lg:w-full max-lg:border-t max-lg:border-l-0"
      >
        <p role="status" className="px-3 py-1.5 text-xs font-semibold text-ink-2">
          {changes.length === 0
            ? t('No differences')
            : plural(changes.length, '{count} difference', '{count} differences')}
        </p>
        <ul className="flex flex-col px-1.5 pb-2">
          {changes.map((change) => (
            <Row key={textOf(change)} change={change} onShow={() => goTo(change)} />
          ))}
        </ul>
      </section>
    </div>
  )
}

/** One line, as the command line prints it. */
const textOf = (change: GraphChange): string => diffText({ changes: [change], layout: [] })
const SIGNS: Readonly<Record<string, string>> = { '+': 'text-ok', '-': 'text-bad', '~': 'text-warn', '=': 'text-info' }

function Row({ change, onShow }: { readonly change: GraphChange; readonly onShow: () => void }) {
  const line = textOf(change)
  const text = (
    <>
      <span aria-hidden className={cx('inline-block w-3 font-mono font-bold', SIGNS[line.charAt(0)])}>
        {line.charAt(0)}
      </span>
      {line.slice(2)}
    </>
  )
  const look = 'w-full rounded px-1.5 py-1 text-left text-xs break-words'
  return (
    <li>
      {nodeOf(change) === null ? (
        <p className={look}>{text}</p>
      ) : (
        <button type="button" className={cx(look, 'hover:bg-hover')} onClick={onShow}>
          {text}
        </button>
      )}
    </li>
  )
}
