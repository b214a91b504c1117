// The graph that a node embeds.
import { effectiveSetting } from './defaults.ts'
import type { ReviewNode } from './graph.ts'

const CLASSES = ['PCGSubgraphSettings', 'PCGLoopSettings']

/** As a content path; null: it embeds none. */
export function subgraphOf({ class: type, settings }: Pick<ReviewNode, 'class' | 'settings'>): string | null {
  if (!CLASSES.includes(type)) return null
  const path = effectiveSetting(type, 'SubgraphOverride', settings['SubgraphOverride'])
  return typeof path === 'string' && path !== '' ? path.replace(/\.[^./]*$/, '') : null
}
