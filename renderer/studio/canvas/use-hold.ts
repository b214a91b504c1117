// Selecting, dragging and dropping nodes, with the contents of comments and insertion into edges.
import { applyNodeChanges, type EdgeChange, type NodeChange } from '@xyflow/react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { t } from '../../language/language.ts'
import type { Rearrangement } from '../model/arrangement.ts'
import { carriedBy, inserting } from '../model/edits.ts'
import { type EdgeView, type GraphView, typeOf } from '../model/graph.ts'
import { useStudio } from '../studio.ts'
import { type Bench, placing, type Standing } from './bench.ts'
import { boxesOf, type CanvasNode, commentId, REROUTE_SIZE, rerouteId, type WireEdge } from './flow.ts'
import { hold, useHand } from './hand.ts'
import { useGuides } from './use-guides.ts'
import { wiresOf, wireUnder } from './wires.ts'

/** Position and size of an element during a drag; `by` identifies the drag. */
type Held = Pick<CanvasNode, 'position' | 'width' | 'height' | 'measured' | 'dragging'> & { readonly by: object }
const NOTHING: ReadonlyMap<string, Held> = new Map()

type Given = Pick<Standing, 'view' | 'layout'> & { readonly read: readonly CanvasNode[] }

export function useHold({ view, layout, read }: Given, perform: Bench['perform']) {
  /** Positions of the drag override newer reads until the result of the drag has been read. */
  const [held, setHeld] = useState(NOTHING)
  const carried = useRef<ReadonlyMap<string, readonly string[]>>(new Map())
  const grip = useRef<object>({})
  const nodes = useMemo(
    () => (held.size === 0 ? read : read.map((node) => withHeld(node, held.get(node.id)))),
    [read, held],
  )
  const guides = useGuides()

  /** Ends the drag; its positions stay until `done` settles. */
  const holding = useCallback((done: Promise<unknown>): void => {
    const by = grip.current
    grip.current = {}
    void done.finally(() =>
      setHeld((before) => {
        const left = [...before].filter(([, each]) => each.by !== by)
        return left.length === before.size ? before : new Map(left)
      }),
    )
  }, [])

  const onNodesChange = (changes: NodeChange<CanvasNode>[]): void => {
    choose(changes, view)
    const moved = changes.filter(
      (change) => change.type === 'position' || (change.type === 'dimensions' && change.setAttributes !== undefined),
    )
    if (moved.length === 0) return
    const led = guides.lead(moved)
    const all = [...led, ...carriedAlong(led, nodes, carried.current)]
    setHeld(heldAfter(all, nodes, grip.current))
  }

  const onDragStart = (dragged: readonly CanvasNode[]): void => {
    const boxes = boxesOf(nodes)
    carried.current = new Map(
      dragged.flatMap((node) =>
        node.type === 'comment' ? [[node.id, carriedBy(node.data.comment, boxes)] as const] : [],
      ),
    )
    const moving = new Set([...dragged.map(({ id }) => id), ...[...carried.current.values()].flat()])
    guides.begin(boxesOf(nodes), (name) => !moving.has(name))
    const by = grip.current
    // The library fires no drag-end event if the node was deleted during the drag.
    const over = (): void => void setTimeout(() => grip.current === by && drop([]))
    window.addEventListener('pointerup', over, { once: true })
  }

  const onDrag = (dragged: readonly CanvasNode[]): void => {
    const over = wireFor({ view, layout, nodes }, dragged)
    if ((over?.id ?? null) !== useHand.getState().over) hold({ over: over?.id ?? null })
  }

  /** Does nothing unless a position changed. */
  const drop = (moved: readonly CanvasNode[], onto?: EdgeView): void => {
    const bearing = carried.current
    carried.current = new Map()
    hold({ over: null })
    guides.end()
    const stood = new Map(read.map((node) => [node.id, node.position]))
    if (moved.every(({ id, position: { x, y } }) => stood.get(id)?.x === x && stood.get(id)?.y === y))
      return holding(Promise.resolve())
    const [only] = moved
    holding(
      perform((at) => {
        const arrange = rearranging(moved, at, bearing)
        const edge = at.view.edges.find(({ id }) => id === onto?.id)
        const node = only && at.view.nodes.get(only.id)
        const insert = edge && node && inserting(at.view, at.layout, edge, node, arrange)
        return insert ?? { label: labelOf(moved), arrange }
      }),
    )
  }

  const onDragStop = (dragged: readonly CanvasNode[]): void => {
    const lies = new Map(nodes.map((node) => [node.id, node]))
    const names = new Set([...dragged.map(({ id }) => id), ...[...carried.current.values()].flat()])
    drop(
      [...names].flatMap((name) => lies.get(name) ?? []),
      wireFor({ view, layout, nodes }, dragged),
    )
  }

  return { nodes, holding, onNodesChange, onDragStart, onDrag, onDragStop }
}

/** Positions after the changes; a resized node keeps its new size. */
function heldAfter(changes: NodeChange<CanvasNode>[], nodes: readonly CanvasNode[], by: object) {
  const names = new Set(changes.flatMap((change) => ('id' in change ? [change.id] : [])))
  const sized = new Set(changes.flatMap((change) => (change.type === 'dimensions' ? [change.id] : [])))
  const after = applyNodeChanges(
    changes,
    nodes.filter(({ id }) => names.has(id)),
  )
  return (before: ReadonlyMap<string, Held>): ReadonlyMap<string, Held> => {
    const next = new Map(before)
    for (const { id, position, width, height, measured, dragging } of after)
      next.set(id, {
        ...(sized.has(id) ? { width, height, measured } : sizeOf(before.get(id))),
        position,
        dragging,
        by,
      })
    return next
  }
}

const sizeOf = (held: Held | undefined): Pick<Held, 'width' | 'height' | 'measured'> =>
  held ? { width: held.width, height: held.height, measured: held.measured } : {}

function withHeld(node: CanvasNode, held: Held | undefined): CanvasNode {
  if (!held) return node
  const { by: _by, width = node.width, height = node.height, measured = node.measured, ...rest } = held
  return { ...node, ...rest, width, height, measured }
}

export function onEdgesChange(changes: EdgeChange<WireEdge>[]): void {
  const { nodes, edges, select } = useStudio.getState()
  const chosen = withChanges(edges, changes)
  if (chosen) select(nodes, chosen)
}

function choose(changes: readonly NodeChange<CanvasNode>[], view: GraphView): void {
  const { nodes, edges, select } = useStudio.getState()
  const { extras } = useHand.getState()
  const chosen = withChanges(new Set([...nodes, ...extras]), changes)
  if (!chosen) return
  const ours = [...chosen].filter((id) => view.nodes.has(id))
  select(ours, edges)
  hold({ extras: new Set([...chosen].filter((id) => !view.nodes.has(id))) })
}

function withChanges(
  chosen: ReadonlySet<string>,
  changes: readonly (NodeChange<CanvasNode> | EdgeChange<WireEdge>)[],
): Set<string> | null {
  const next = new Set(chosen)
  let any = false
  for (const change of changes) {
    if (change.type !== 'select') continue
    any = true
    if (change.selected) next.add(change.id)
    else next.delete(change.id)
  }
  return any ? next : null
}

/** Nodes inside a comment move with it. */
function carriedAlong(
  changes: readonly NodeChange<CanvasNode>[],
  nodes: readonly CanvasNode[],
  carried: ReadonlyMap<string, readonly string[]>,
): NodeChange<CanvasNode>[] {
  if (carried.size === 0) return []
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const moving = new Set(changes.flatMap((change) => (change.type === 'position' ? [change.id] : [])))
  const along = new Map<string, NodeChange<CanvasNode>>()
  for (const change of changes) {
    const before = change.type === 'position' ? byId.get(change.id) : undefined
    if (change.type !== 'position' || !change.position || !before) continue
    const [dx, dy] = [change.position.x - before.position.x, change.position.y - before.position.y]
    for (const name of carried.get(change.id) ?? []) {
      const node = byId.get(name)
      if (!node || moving.has(name)) continue
      const position = { x: node.position.x + dx, y: node.position.y + dy }
      along.set(name, { type: 'position', id: name, position })
    }
  }
  return [...along.values()]
}

/** Only an unconnected node can be inserted into an edge. */
function wireFor({ view, layout, nodes }: Standing, dragged: readonly CanvasNode[]): EdgeView | undefined {
  const [only, ...more] = dragged
  if (only?.type !== 'graph' || more.length > 0 || only.data.wired.size > 0 || !typeOf(only.data.node.settingsClass))
    return undefined
  const [box] = boxesOf([only])
  const edge = box && wireUnder(wiresOf(view.edges, nodes, layout.reroutes), box)
  return edge && inserting(view, layout, edge, only.data.node, {}) ? edge : undefined
}

/** Skips elements removed since, and keeps the other current fields of the rest. */
function rearranging(
  moved: readonly CanvasNode[],
  at: Pick<Standing, 'layout' | 'nodes'>,
  carried: ReadonlyMap<string, readonly string[]>,
): Rearrangement {
  const lies = new Map(moved.map(({ id, position: { x, y } }) => [id, { x, y }]))
  return {
    ...placing(at, lies),
    comments: Object.fromEntries(
      at.layout.comments.flatMap((comment) => {
        const id = commentId(comment.id)
        const spot = lies.get(id)
        return spot ? [[comment.id, { ...comment, ...spot, nodes: [...(carried.get(id) ?? comment.nodes)] }]] : []
      }),
    ),
    reroutes: Object.fromEntries(
      at.layout.reroutes.flatMap((reroute) => {
        const spot = lies.get(rerouteId(reroute.id))
        const half = REROUTE_SIZE / 2
        return spot ? [[reroute.id, { ...reroute, x: spot.x + half, y: spot.y + half }]] : []
      }),
    ),
  }
}

function labelOf(moved: readonly CanvasNode[]): string {
  const [only, ...more] = moved
  if (!only || more.length > 0) return t('Move {count} things', { count: moved.length })
  switch (only.type) {
    case 'graph':
      return `Move ${only.data.node.title}`
    case 'comment':
      return 'Move a comment'
    case 'reroute':
      return 'Move a reroute'
  }
}
