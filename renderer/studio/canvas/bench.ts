// The context of canvas commands: graph, layout, and the operations to change and view them.
import type { ReactFlowInstance } from '@xyflow/react'
import { createContext, use } from 'react'
import type { Gesture } from '../editor/gestures.ts'
import type { Arrangement, PlaceChange, Rearrangement } from '../model/arrangement.ts'
import type { Box } from '../model/edits.ts'
import type { GraphView } from '../model/graph.ts'
import type { Chosen } from './chosen.ts'
import { boxesOf, type CanvasNode, type GraphNode, type WireEdge } from './flow.ts'
import type { Point } from './wires.ts'

/** The state of a graph: as drawn, with positions of a current drag, or as read when a gesture's turn comes. */
export type Standing = {
  readonly view: GraphView
  readonly layout: Arrangement
  readonly nodes: readonly CanvasNode[]
}

/** Builds a gesture from the graph when its turn comes, for the selection at the key press; undefined when there is nothing to do. */
export type Making = (at: Standing, chosen: Chosen) => Gesture | undefined | Promise<Gesture | undefined>

export type Bench = Standing & {
  readonly editor: string
  readonly flow: ReactFlowInstance<CanvasNode, WireEdge>
  /** The pointer's screen position; the centre of the canvas while it is outside. */
  pointer(): Point
  /** Returns whether something was done. */
  perform(make: Making): Promise<boolean>
  reverse(way: 'undo' | 'redo'): void
  /** Opens a graph; `via` lists its parent graphs. */
  open(graph: string, via: readonly string[]): void
  readonly via: readonly string[]
  /** Whether this graph is still open. */
  here(): boolean
  /** Announces a text to screen readers. */
  say(text: string): void
}

const Here = createContext<Bench | null>(null)
export const BenchProvider = Here.Provider

export function useBench(): Bench {
  const bench = use(Here)
  if (!bench) throw new Error('useBench is for what lies on the canvas')
  return bench
}

export function boxesOfChosen({ nodes }: Pick<Standing, 'nodes'>, chosen: Pick<Chosen, 'nodes'>): readonly Box[] {
  return boxesOf(nodes).filter(({ name }) => chosen.nodes.has(name))
}

export function graphNodeOf({ nodes }: Pick<Standing, 'nodes'>, name: string): GraphNode | undefined {
  return nodes.find((node): node is GraphNode => node.type === 'graph' && node.id === name)
}

/** Merges fields into stored places; skips nodes that no longer exist. */
export function placing(
  { nodes, layout }: Pick<Standing, 'nodes' | 'layout'>,
  changes: Iterable<readonly [name: string, change: PlaceChange]>,
): Rearrangement {
  const boxes = new Map(boxesOf(nodes).map(({ name, x, y }) => [name, { x, y }]))
  return {
    places: Object.fromEntries(
      [...changes].flatMap(([name, change]) => {
        const box = boxes.get(name)
        return box ? [[name, layout.nodes[name] ? change : { ...box, ...change }]] : []
      }),
    ),
  }
}
