// The studio's UI state: selection, chosen actor, heat.
import { create } from 'zustand'

export type Heat = 'off' | 'time' | 'points'

type Studio = {
  readonly nodes: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
  /** Counts selections by the user, not those made by gestures. */
  readonly choices: number
  /** The actor to generate on, if the user chose one. */
  readonly actor: string | null
  /** The node whose data is shown, independent of the selection. */
  readonly display: string | null
  /** Which heat of the last generation is shown. */
  readonly heat: Heat
  select(nodes: Iterable<string>, edges?: Iterable<string>): void
  setActor(actor: string | null): void
  setDisplay(node: string | null): void
  setHeat(heat: Heat): void
}

export const useStudio = create<Studio>((set) => ({
  nodes: new Set(),
  edges: new Set(),
  choices: 0,
  actor: null,
  display: null,
  heat: 'off',
  select: (nodes, edges = []) =>
    set(({ choices }) => ({ nodes: new Set(nodes), edges: new Set(edges), choices: choices + 1 })),
  setActor: (actor) => set({ actor }),
  setDisplay: (display) => set({ display }),
  setHeat: (heat) => set({ heat }),
}))
