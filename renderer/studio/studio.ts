// What a person has in hand: the chosen nodes and edges, the actor they generate on, and which panels are open.
import { create } from 'zustand'

export type Side = 'left' | 'right' | 'bottom'

export type Heat = 'off' | 'time' | 'points'

type Studio = {
  readonly nodes: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
  /** How often a hand has chosen: what a gesture chooses is not counted. */
  readonly choices: number
  /** The actor whose component runs the graph, where the person has chosen one. */
  readonly actor: string | null
  /** What of the last generation is drawn on the nodes. */
  readonly heat: Heat
  readonly open: Readonly<Record<Side, string | null>>
  select(nodes: Iterable<string>, edges?: Iterable<string>): void
  setActor(actor: string | null): void
  setHeat(heat: Heat): void
  /** The same panel again closes its side. */
  togglePanel(side: Side, id: string): void
}

export const useStudio = create<Studio>((set) => ({
  nodes: new Set(),
  edges: new Set(),
  choices: 0,
  actor: null,
  heat: 'off',
  open: { left: 'graphs', right: 'properties', bottom: null },
  select: (nodes, edges = []) =>
    set(({ choices }) => ({ nodes: new Set(nodes), edges: new Set(edges), choices: choices + 1 })),
  setActor: (actor) => set({ actor }),
  setHeat: (heat) => set({ heat }),
  togglePanel: (side, id) => set(({ open }) => ({ open: { ...open, [side]: open[side] === id ? null : id } })),
}))
