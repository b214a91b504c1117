// Searches endpoints: bundles, backends and the gateway itself.
import { findBackends, findBundles } from '../../api/find.ts'
import type { Matches } from '../../ui/Finder.tsx'
import { type Choice, choicesOf } from './choices.ts'

export async function findChoices(q: string): Promise<Matches<Choice>> {
  const [bundles, clients] = await Promise.all([findBundles(q), findBackends(q)])
  const fits = ({ scope, label }: Choice): boolean =>
    scope !== 'system' || label.toLowerCase().includes(q.toLowerCase())
  return { items: choicesOf(bundles.items, clients.items).filter(fits), more: bundles.more || clients.more }
}
