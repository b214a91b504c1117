// The studio's UI state: selection, chosen actor, open panels.
import { create } from 'zustand'

export type Side = 'left' | 'right' | 'bottom'

export type Heat = 'off' | 'time' | 'points'

type Studio = {
  readonly nodes: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
  /** Counts selections by the user, not those made by gestures. */
  readonly choices: number
  /** The actor to generate on, if the user chose one. */
  readonly actor: string | null
  /** Which heat of the last generation is shown. */
  readonly heat: Heat
  readonly open: Readonly<Record<Side, string | null>>
  select(nodes: Iterable<string>, edges?: Iterable<string>): void
  setActor(actor: string | null): void
  setHeat(heat: Heat): void
  /** Opening the open panel closes its side. */
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
