// What the pointer does to nodes: choosing them, dragging them with what they carry, dropping them, also onto a wire.
import { applyNodeChanges, type EdgeChange, type NodeChange } from '@xyflow/react'
import { useRef, useState } from 'react'
import type { Arrangement, Rearrangement } from '../model/arrangement.ts'
import { carriedBy, inserting } from '../model/edits.ts'
import { type EdgeView, type GraphView, typeOf } from '../model/graph.ts'
import { useStudio } from '../studio.ts'
import { type Bench, placing } from './bench.ts'
import { boxesOf, type CanvasNode, REROUTE_SIZE, type WireEdge } from './flow.ts'
import { hold, useHand } from './hand.ts'
import { useGuides } from './use-guides.ts'
import { wiresOf, wireUnder } from './wires.ts'

type Held = { readonly over: readonly CanvasNode[]; readonly nodes: readonly CanvasNode[] }

export function useHold(view: GraphView, layout: Arrangement, read: readonly CanvasNode[], perform: Bench['perform']) {
  /** What is under the hand; the editor's own word replaces it as soon as it is read again. */
  const [held, setHeld] = useState<Held | null>(null)
  const carried = useRef<ReadonlyMap<string, readonly string[]>>(new Map())
  const nodes = held?.over === read ? held.nodes : read
  const guides = useGuides()

  const onNodesChange = (changes: NodeChange<CanvasNode>[]): void => {
    choose(changes, view)
    const moved = changes.filter(
      (change) => change.type === 'position' || (change.type === 'dimensions' && change.setAttributes !== undefined),
    )
    if (moved.length === 0) return
    const led = guides.lead(moved)
    const all = [...led, ...carriedAlong(led, nodes, carried.current)]
    setHeld({ over: read, nodes: applyNodeChanges(all, [...nodes]) })
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
  }

  const onDrag = (dragged: readonly CanvasNode[]): void => {
    const over = wireFor(view, layout, nodes, dragged)
    if ((over?.id ?? null) !== useHand.getState().over) hold({ over: over?.id ?? null })
  }

  const onDragStop = (dragged: readonly CanvasNode[]): void => {
    hold({ over: null })
    guides.end()
    const lies = new Map(nodes.map((node) => [node.id, node]))
    const names = new Set([...dragged.map(({ id }) => id), ...[...carried.current.values()].flat()])
    const moved = [...names].flatMap((name) => lies.get(name) ?? [])
    const stood = new Map(read.map((node) => [node.id, node.position]))
    if (moved.every(({ id, position: { x, y } }) => stood.get(id)?.x === x && stood.get(id)?.y === y)) return
    const arrange = rearranging(moved, { layout, nodes }, carried.current)
    const edge = wireFor(view, layout, nodes, dragged)
    const [only] = moved
    const insert = edge && only?.type === 'graph' ? inserting(view, layout, edge, only.data.node, arrange) : undefined
    void perform(insert ?? { label: labelOf(moved), arrange }).then((done) => done || setHeld(null))
    carried.current = new Map()
  }

  return { nodes, onNodesChange, onDragStart, onDrag, onDragStop }
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

/** What a comment carries moves as far as the comment does. */
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

/** Only a node that nothing is wired to can be put into a wire. */
function wireFor(
  view: GraphView,
  layout: Arrangement,
  nodes: readonly CanvasNode[],
  dragged: readonly CanvasNode[],
): EdgeView | undefined {
  const [only, ...more] = dragged
  if (only?.type !== 'graph' || more.length > 0 || only.data.wired.size > 0 || !typeOf(only.data.node.settingsClass))
    return undefined
  const [box] = boxesOf([only])
  const edge = box && wireUnder(wiresOf(view.edges, nodes, layout.reroutes), box)
  return edge && inserting(view, layout, edge, only.data.node, {}) ? edge : undefined
}

function rearranging(
  moved: readonly CanvasNode[],
  at: { readonly layout: Arrangement; readonly nodes: readonly CanvasNode[] },
  carried: ReadonlyMap<string, readonly string[]>,
): Rearrangement {
  const of = <K extends CanvasNode['type']>(type: K) =>
    moved.filter((node): node is Extract<CanvasNode, { type: K }> => node.type === type)
  return {
    ...placing(
      at,
      of('graph').map(({ id, position: { x, y } }) => [id, { x, y }] as const),
    ),
    comments: Object.fromEntries(
      of('comment').map(({ id, position: { x, y }, data: { comment } }) => [
        comment.id,
        { ...comment, x, y, nodes: [...(carried.get(id) ?? comment.nodes)] },
      ]),
    ),
    reroutes: Object.fromEntries(
      of('reroute').map(({ position: { x, y }, data: { reroute } }) => [
        reroute.id,
        { ...reroute, x: x + REROUTE_SIZE / 2, y: y + REROUTE_SIZE / 2 },
      ]),
    ),
  }
}

function labelOf(moved: readonly CanvasNode[]): string {
  const [only, ...more] = moved
  if (!only || more.length > 0) return `Move ${moved.length} things`
  switch (only.type) {
    case 'graph':
      return `Move ${only.data.node.title}`
    case 'comment':
      return 'Move a comment'
    case 'reroute':
      return 'Move a reroute'
  }
}
