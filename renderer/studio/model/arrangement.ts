// The layout of a graph, and changes of it with their inverse.
import type { PcgLayout } from '#contract'

export type NodePlace = PcgLayout['nodes'][string]
export type Comment = PcgLayout['comments'][number]
export type Reroute = PcgLayout['reroutes'][number]
export type Bookmark = PcgLayout['bookmarks'][number]
export type Arrangement = Pick<PcgLayout, 'nodes' | 'comments' | 'reroutes' | 'bookmarks'>

/** Changed fields of a node's place; undefined removes a field. */
export type PlaceChange = { readonly [K in keyof NodePlace]?: NodePlace[K] | undefined }

/** The new value of each key; null removes it. */
export type Rearrangement = {
  readonly nodes?: Readonly<Record<string, NodePlace | null>>
  /** Merged into the current layout, so that two quick changes of a node both apply; needs `x` and `y` if it has no place. */
  readonly places?: Readonly<Record<string, PlaceChange>>
  readonly comments?: Readonly<Record<string, Comment | null>>
  readonly reroutes?: Readonly<Record<string, Reroute | null>>
  readonly bookmarks?: Readonly<Record<string, Bookmark | null>>
}

export function rearranged(
  before: Arrangement,
  change: Rearrangement,
): { readonly next: Arrangement; readonly back: Rearrangement } {
  const nodes = withChange(before.nodes, { ...placed(before.nodes, change.places), ...change.nodes })
  const comments = withChange(byKey(before.comments, idOf), change.comments)
  const reroutes = withChange(byKey(before.reroutes, idOf), change.reroutes)
  const bookmarks = withChange(byKey(before.bookmarks, slotOf), change.bookmarks)
  return {
    next: {
      nodes: nodes.next,
      comments: Object.values(comments.next),
      reroutes: Object.values(reroutes.next),
      bookmarks: Object.values(bookmarks.next),
    },
    back: { nodes: nodes.back, comments: comments.back, reroutes: reroutes.back, bookmarks: bookmarks.back },
  }
}

function placed(nodes: Arrangement['nodes'], changes: Rearrangement['places'] = {}): Record<string, NodePlace> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const { x = 0, y = 0, ...rest } = { ...nodes[name], ...change }
      const kept = Object.entries(rest).filter(([, value]) => value !== undefined)
      return [name, { x, y, ...Object.fromEntries(kept) }]
    }),
  )
}

const idOf = ({ id }: { readonly id: string }): string => id
const slotOf = ({ slot }: Bookmark): string => String(slot)

function byKey<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, T> {
  return Object.fromEntries(items.map((item) => [keyOf(item), item]))
}

function withChange<T>(before: Readonly<Record<string, T>>, change: Readonly<Record<string, T | null>> = {}) {
  const next = { ...before }
  const back: Record<string, T | null> = {}
  for (const [key, value] of Object.entries(change)) {
    back[key] = before[key] ?? null
    if (value === null) delete next[key]
    else next[key] = value
  }
  return { next, back }
}
