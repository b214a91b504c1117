// A graph as it is reviewed: nodes by ids that survive renames, settings without defaults, the layout apart.

import type { GraphTests } from '../contract/index.ts'
import type { ParameterDoc } from '../editor/document.ts'
import { isRecord, type Settings } from '../editor/settings.ts'

export type ReviewNode = {
  readonly class: string
  /** In the editor; null: the id. */
  readonly name: string | null
  /** Null: the title of the class. */
  readonly title: string | null
  /** Only what differs from the class. */
  readonly settings: Settings
}
/** Ends are ids of nodes, or `Input` and `Output`. */
export type ReviewEdge = {
  readonly from: string
  readonly fromPin: string
  readonly to: string
  readonly toPin: string
}
export type ReviewPin = { readonly label: string; readonly types: readonly string[] }
export type Parameter = Omit<ParameterDoc, 'name'>
export type Place = {
  readonly x: number
  readonly y: number
  readonly w?: number | undefined
  readonly h?: number | undefined
  readonly collapsed?: boolean | undefined
  readonly color?: string | undefined
}
export type ReviewComment = Required<Pick<Place, 'x' | 'y'>> & {
  readonly w: number
  readonly h: number
  readonly text: string
  readonly color?: string | undefined
  readonly nodes: readonly string[]
}
export type ReviewLayout = {
  readonly nodes: ReadonlyMap<string, Place>
  readonly comments: ReadonlyMap<string, ReviewComment>
  readonly reroutes: ReadonlyMap<string, ReviewEdge & Pick<Place, 'x' | 'y'>>
  /** By slot. */
  readonly bookmarks: ReadonlyMap<string, { readonly x: number; readonly y: number; readonly zoom: number }>
}
export type ReviewGraph = {
  readonly path: string | null
  readonly nodes: ReadonlyMap<string, ReviewNode>
  /** Edges of one pin are in the order in which the pin reads them; the order of pins has no meaning. */
  readonly edges: readonly ReviewEdge[]
  readonly parameters: ReadonlyMap<string, Parameter>
  /** Beside the pins that every graph has. */
  readonly pins: { readonly Input: readonly ReviewPin[]; readonly Output: readonly ReviewPin[] }
  readonly tests?: GraphTests | undefined
  readonly layout: ReviewLayout
}

export const INPUT = 'Input'
export const OUTPUT = 'Output'
export const isEnd = (id: string): boolean => id === INPUT || id === OUTPUT
export const nameIn = (id: string, node: Pick<ReviewNode, 'name'> | undefined): string => node?.name ?? id

export const emptyLayout = (): ReviewLayout => ({
  nodes: new Map(),
  comments: new Map(),
  reroutes: new Map(),
  bookmarks: new Map(),
})
export const emptyReview = (): ReviewGraph => ({
  path: null,
  nodes: new Map(),
  edges: [],
  parameters: new Map(),
  pins: { Input: [], Output: [] },
  layout: emptyLayout(),
})

/** By code units, so that the order is the same on every machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
export function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => byText(a, b))
}

export const edgeText = ({ from, fromPin, to, toPin }: ReviewEdge): string => `${from}.${fromPin} > ${to}.${toPin}`
export const pinKey = ({ to, toPin }: Pick<ReviewEdge, 'to' | 'toPin'>): string => `${to}.${toPin}`
/** The edges of every pin that has some, in the order in which it reads them. */
export function incoming(edges: readonly ReviewEdge[]): ReadonlyMap<string, readonly ReviewEdge[]> {
  return Map.groupBy(edges, pinKey)
}

/** JSON with sorted keys and one zero: equal values have equal texts. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (isRecord(value))
    return Object.fromEntries(
      Object.keys(value)
        .sort(byText)
        .flatMap((key) => (value[key] === undefined ? [] : [[key, canonical(value[key])] as const])),
    )
  return value === 0 ? 0 : value
}
/** Keys in any order; a key without a value is no key. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameValue(item, b[at]))
  if (!isRecord(a) || !isRecord(b)) return false
  for (const key of Object.keys(a)) if (!sameValue(a[key], b[key])) return false
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false
  return true
}
