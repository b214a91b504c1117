// What is in the hand on the canvas for the moment: a pin, chosen comments and reroutes, the wire under a node, an open search.
import { create } from 'zustand'
import type { PinRef } from '../model/connect.ts'
import type { EdgeView } from '../model/graph.ts'
import type { Guide } from '../model/guides.ts'
import type { Point } from './wires.ts'

export type Picking =
  /** At a place on the screen, for a place of the graph; what is added joins a pin or an edge. */
  | {
      readonly kind: 'add'
      readonly screen: Point
      readonly at: Point
      readonly join?: { readonly pin: PinRef } | { readonly edge: EdgeView }
    }
  | { readonly kind: 'find' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'snippets' }
  /** The wires that can be made from a node, by keyboard. */
  | { readonly kind: 'wire'; readonly node: string }

type Hand = {
  /** Pins that the one in the hand may be wired to, while there is one. */
  readonly fits: ReadonlySet<string> | null
  /** The wire whose end is in the hand. */
  readonly taken: string | null
  /** Ids of chosen comments and reroutes, as the canvas names them. */
  readonly extras: ReadonlySet<string>
  /** The wire that a dragged node would be put into. */
  readonly over: string | null
  /** What the dragged nodes are in line with. */
  readonly guides: readonly Guide[]
  readonly picking: Picking | null
  /** The comment whose text is being written. */
  readonly writing: string | null
  /** A layout that is being made: its nodes, how far it is where that is known, and the way to stop it. */
  readonly laying: { readonly nodes: number; readonly share: number | null; stop(): void } | null
}

export const useHand = create<Hand>(() => ({
  fits: null,
  taken: null,
  extras: new Set(),
  over: null,
  guides: [],
  picking: null,
  writing: null,
  laying: null,
}))
export const hold = useHand.setState
