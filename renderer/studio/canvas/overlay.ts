// Marks on the canvas: badges, heat, glow, ghosts. Each source has a layer; a node subscribes to its own mark only.
import { create } from 'zustand'
import type { Tone } from '../../ui/Badge.tsx'
import type { NodePlace } from '../model/arrangement.ts'
import type { NodeView } from '../model/graph.ts'

type MarkBadge = { readonly tone: Tone; readonly text: string; readonly title: string }

/** One layer's mark of a node, or of an edge by id. */
export type Mark = {
  readonly badge?: MarkBadge
  /** 0 is cold, 1 is hot. */
  readonly tint?: number
  /** The time or count behind the tint, as text. */
  readonly heat?: string
  /** A recent change: its author, and when the glow ends, by `performance.now()`. */
  readonly glow?: { readonly until: number; readonly author: string }
  readonly ghost?: 'added' | 'removed' | 'changed'
}
/** All layers merged: later layers win, badges are collected. */
export type DrawnMark = Omit<Mark, 'badge'> & { readonly badges: readonly MarkBadge[] }
/** A node to draw although it is not in the graph; its mark gives the reason. */
type Gone = { readonly node: NodeView; readonly place: NodePlace }

type Marks = ReadonlyMap<string, Mark>
/** An edge that is not in the graph is drawn if its mark is a ghost. */
export type Layer = { readonly nodes?: Marks; readonly edges?: Marks; readonly gone?: readonly Gone[] }

export type Overlay = {
  readonly layers: ReadonlyMap<string, Layer>
  readonly nodes: ReadonlyMap<string, DrawnMark>
  readonly edges: ReadonlyMap<string, DrawnMark>
  readonly gone: readonly Gone[]
  /** The node to scroll to; the canvas clears it once the node is drawn. */
  readonly wanted: string | null
  /** Replaces a layer; null removes it. */
  setLayer(name: string, layer: Layer | null): void
  /** Centres on a node, and selects it if it is in the open graph. */
  focus(node: string): void
}

export const useOverlay = create<Overlay>((set) => ({
  layers: new Map(),
  nodes: new Map(),
  edges: new Map(),
  gone: [],
  wanted: null,
  setLayer: (name, layer) =>
    set((before) => {
      const layers = new Map(before.layers)
      if (layer) layers.set(name, layer)
      else layers.delete(name)
      const all = [...layers.values()]
      return {
        layers,
        nodes: merged(
          all.map(({ nodes }) => nodes),
          before.nodes,
        ),
        edges: merged(
          all.map(({ edges }) => edges),
          before.edges,
        ),
        gone: all.flatMap(({ gone }) => gone ?? []),
      }
    }),
  focus: (wanted) => set({ wanted }),
}))

/** Equal marks keep their identity, so that their nodes do not re-render. */
function merged(
  layers: readonly (Marks | undefined)[],
  before: ReadonlyMap<string, DrawnMark>,
): ReadonlyMap<string, DrawnMark> {
  const all = new Map<string, DrawnMark>()
  for (const marks of layers)
    for (const [name, { badge, ...mark }] of marks ?? []) {
      const below = all.get(name)
      all.set(name, { ...below, ...mark, badges: [...(below?.badges ?? []), ...(badge ? [badge] : [])] })
    }
  for (const [name, mark] of all) {
    const old = before.get(name)
    if (old && JSON.stringify(old) === JSON.stringify(mark)) all.set(name, old)
  }
  return all
}
