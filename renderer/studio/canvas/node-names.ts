// What a screen reader says of a node: its title and connections, then its state and the findings that are marked on it.
import { t } from '../../language/language.ts'
import { type CanvasNode, type GraphNode, NODE_FOCUS } from './flow.ts'
import type { DrawnMark } from './overlay.ts'

const GHOSTS = {
  added: t('Added since the version'),
  removed: t('Removed since the version'),
  changed: t('Changed'),
} as const

function spokenMark({ badges, heat, glow, ghost }: DrawnMark): readonly string[] {
  return [
    ...badges.map(({ title }) => title.replaceAll('\n', ' ')),
    ...(heat === undefined ? [] : [heat]),
    ...(ghost ? [GHOSTS[ghost]] : []),
    ...(glow ? [t('Changed by {author}', { author: glow.author })] : []),
  ]
}

/** A node keeps its identity while its mark does: the library draws new objects again. */
const named = new WeakMap<GraphNode, { readonly mark: DrawnMark; readonly node: GraphNode }>()

export function withMark(node: CanvasNode, mark: DrawnMark | undefined): CanvasNode {
  if (node.type !== 'graph' || !mark) return node
  const known = named.get(node)
  if (known?.mark === mark) return known.node
  const made = { ...node, ariaLabel: [node.ariaLabel ?? '', ...spokenMark(mark)].join('. ') }
  named.set(node, { mark, node: made })
  return made
}

/** One node is in the order of Tab: the selected one, or the first. */
export const reachedByTab = (node: CanvasNode): CanvasNode => ({
  ...node,
  domAttributes: { ...NODE_FOCUS, tabIndex: 0 },
})
