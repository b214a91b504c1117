// What others have to show on the canvas: badges, heat, glow, ghosts. Each owner has a layer; a node reads its own mark only.
import { create } from 'zustand'
import type { Tone } from '../../ui/Badge.tsx'
import type { NodePlace } from '../model/arrangement.ts'
import type { NodeView } from '../model/graph.ts'

type MarkBadge = { readonly tone: Tone; readonly text: string; readonly title: string }

/** What one layer says of a node, or of an edge by its id. */
export type Mark = {
  readonly badge?: MarkBadge
  /** 0 is cold, 1 is hot. */
  readonly tint?: number
  /** Beside the tint: the time or the count it stands for. */
  readonly heat?: string
  /** Somebody just changed it: who, and until when it is to be seen (ms since 1970). */
  readonly glow?: { readonly until: number; readonly author: string }
  readonly ghost?: 'added' | 'removed' | 'changed'
}
/** All layers together: a later layer wins, badges stand side by side. */
export type DrawnMark = Omit<Mark, 'badge'> & { readonly badges: readonly MarkBadge[] }
/** A node that is not in the graph, drawn all the same; its mark says why. */
type Gone = { readonly node: NodeView; readonly place: NodePlace }

type Marks = ReadonlyMap<string, Mark>
/** An edge that is not in the graph is drawn as soon as its mark is a ghost. */
export type Layer = { readonly nodes?: Marks; readonly edges?: Marks; readonly gone?: readonly Gone[] }

export type Overlay = {
  readonly layers: ReadonlyMap<string, Layer>
  readonly nodes: ReadonlyMap<string, DrawnMark>
  readonly edges: ReadonlyMap<string, DrawnMark>
  readonly gone: readonly Gone[]
  /** The node to be brought into view; the canvas takes it as soon as it has it. */
  readonly wanted: string | null
  /** Replaces all that a layer says; null takes the layer away. */
  setLayer(name: string, layer: Layer | null): void
  /** Centers on a node, and selects it where it is in the open graph. */
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

/** A mark that says what it said is the same object, so that its node is not drawn again. */
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
