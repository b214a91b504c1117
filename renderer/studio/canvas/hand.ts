// Transient state of the canvas: connection being drawn, selected comments and reroutes, drop target, open search.
import { create } from 'zustand'
import type { PinRef } from '../model/connect.ts'
import type { EdgeView } from '../model/graph.ts'
import type { Guide } from '../model/guides.ts'
import type { Point } from './wires.ts'

export type Picking =
  /** Opens at `screen`, adds at graph position `at`, and connects the new node to `join`. */
  | {
      readonly kind: 'add'
      readonly screen: Point
      readonly at: Point
      readonly join?: { readonly pin: PinRef } | { readonly edge: EdgeView }
    }
  | { readonly kind: 'find' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'snippets' }
  | { readonly kind: 'templates' }
  | { readonly kind: 'copy-graph' }
  | { readonly kind: 'compare' }
  | { readonly kind: 'merge' }
  /** Connects a node by keyboard. */
  | {
      readonly kind: 'wire'
      readonly node: string
      /** Only from this output of it, and only to this node. */
      readonly pin?: string
      readonly onto?: string
    }

/** An open context menu: what it is about, and where. */
type OpenMenu = { readonly of: 'node' | 'wire' | 'canvas'; readonly screen: Point }

type Hand = {
  /** Pins compatible with the one being connected; null when none is. */
  readonly fits: ReadonlySet<string> | null
  /** The edge whose end is being dragged. */
  readonly taken: string | null
  /** Canvas ids of selected comments and reroutes. */
  readonly extras: ReadonlySet<string>
  /** The edge that a dragged node would be inserted into. */
  readonly over: string | null
  /** Alignment guides of the dragged nodes. */
  readonly guides: readonly Guide[]
  readonly picking: Picking | null
  readonly menu: OpenMenu | null
  /** The node that gets the focus of the keyboard as soon as it is drawn. */
  readonly focusing: string | null
  /** The comment being edited. */
  readonly writing: string | null
  /** A running auto-layout: node count, progress if known, and cancellation. */
  readonly laying: { readonly nodes: number; readonly share: number | null; stop(): void } | null
}

/** A running auto-layout ends by itself, so it is no part of this. */
export const EMPTY_HAND: Omit<Hand, 'laying'> = {
  fits: null,
  taken: null,
  extras: new Set(),
  over: null,
  guides: [],
  picking: null,
  menu: null,
  focusing: null,
  writing: null,
}

export const useHand = create<Hand>(() => ({ ...EMPTY_HAND, laying: null }))
export const hold = useHand.setState
