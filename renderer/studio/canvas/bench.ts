// What every command of the canvas works on: the graph, how it lies, and the ways to change and to see it.
import type { ReactFlowInstance } from '@xyflow/react'
import { createContext, use } from 'react'
import type { Gesture } from '../editor/gestures.ts'
import type { Arrangement, PlaceChange, Rearrangement } from '../model/arrangement.ts'
import type { Box } from '../model/edits.ts'
import type { GraphView } from '../model/graph.ts'
import type { Chosen } from './chosen.ts'
import { boxesOf, type CanvasNode, type GraphNode, type WireEdge } from './flow.ts'
import type { Point } from './wires.ts'

/** How a graph stands: on the screen, where the hand may hold some of it, or when the turn of a gesture comes. */
export type Standing = {
  readonly view: GraphView
  readonly layout: Arrangement
  readonly nodes: readonly CanvasNode[]
}

/** A gesture on the graph as it stands when its turn comes, for what was meant by the hand; undefined where nothing is left to do. */
export type Making = (at: Standing, chosen: Chosen) => Gesture | undefined | Promise<Gesture | undefined>

export type Bench = Standing & {
  readonly editor: string
  readonly flow: ReactFlowInstance<CanvasNode, WireEdge>
  /** Where the pointer is, on the screen; the middle of the canvas while it is elsewhere. */
  pointer(): Point
  /** Answers whether something was done. */
  perform(make: Making): Promise<boolean>
  reverse(way: 'undo' | 'redo'): void
  /** Opens a graph; `via` are those it was entered through. */
  open(graph: string, via: readonly string[]): void
  readonly via: readonly string[]
  /** Whether this graph is still the one that is open. */
  here(): boolean
  /** Says something to who cannot see it. */
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

/** Some fields of places: what else is kept of them stays as it is. A node that is gone has none. */
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

export const count = (number: number, noun: string): string => (number === 1 ? `1 ${noun}` : `${number} ${noun}s`)
