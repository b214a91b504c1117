// What every command of the canvas works on: the graph, how it lies, and the ways to change and to see it.
import type { ReactFlowInstance } from '@xyflow/react'
import { createContext, use } from 'react'
import type { Gesture } from '../editor/gestures.ts'
import type { Arrangement, NodePlace, PlaceChange, Rearrangement } from '../model/arrangement.ts'
import type { Box } from '../model/edits.ts'
import type { GraphView } from '../model/graph.ts'
import { useStudio } from '../studio.ts'
import { boxesOf, type CanvasNode, type GraphNode, type WireEdge } from './flow.ts'
import type { Point } from './wires.ts'

export type Bench = {
  readonly editor: string
  readonly view: GraphView
  readonly layout: Arrangement
  /** As they lie this moment, under the hand too. */
  readonly nodes: readonly CanvasNode[]
  readonly flow: ReactFlowInstance<CanvasNode, WireEdge>
  /** Where the pointer is, on the screen; the middle of the canvas while it is elsewhere. */
  pointer(): Point
  perform(gesture: Gesture): Promise<boolean>
  reverse(way: 'undo' | 'redo'): void
  /** Opens a graph; `via` are those it was entered through. */
  open(graph: string, via: readonly string[]): void
  readonly via: readonly string[]
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

export function chosenBoxes({ nodes }: Pick<Bench, 'nodes'>): readonly Box[] {
  const { nodes: chosen } = useStudio.getState()
  return boxesOf(nodes).filter(({ name }) => chosen.has(name))
}

export function graphNodeOf({ nodes }: Pick<Bench, 'nodes'>, name: string): GraphNode | undefined {
  return nodes.find((node): node is GraphNode => node.type === 'graph' && node.id === name)
}

/** The place of a node with all that is kept of it, or the one it was given by itself. */
export function placeOf(bench: Pick<Bench, 'nodes' | 'layout'>, name: string): NodePlace {
  const known = bench.layout.nodes[name]
  if (known) return known
  const { x, y } = graphNodeOf(bench, name)?.position ?? { x: 0, y: 0 }
  return { x, y }
}

/** Some fields of places: what else is kept of them stays as it is by then. */
export function placing(
  bench: Pick<Bench, 'nodes' | 'layout'>,
  changes: Iterable<readonly [name: string, change: PlaceChange]>,
): Rearrangement {
  return {
    places: Object.fromEntries(
      [...changes].map(([name, change]) => {
        const { x, y } = placeOf(bench, name)
        return [name, bench.layout.nodes[name] ? change : { x, y, ...change }]
      }),
    ),
  }
}

export const count = (number: number, noun: string): string => (number === 1 ? `1 ${noun}` : `${number} ${noun}s`)
