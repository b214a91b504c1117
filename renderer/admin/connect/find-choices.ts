// Searches endpoints: bundles, backends and the gateway itself.
import { findBackends, findBundles, findTools } from '../../api/find.ts'
import type { Matches } from '../../ui/Finder.tsx'
import { type Choice, choicesOf, toolChoice } from './choices.ts'

export async function findChoices(q: string): Promise<Matches<Choice>> {
  const [bundles, clients] = await Promise.all([findBundles(q), findBackends(q)])
  const fits = ({ scope, label }: Choice): boolean =>
    scope !== 'system' || label.toLowerCase().includes(q.toLowerCase())
  return { items: choicesOf(bundles.items, clients.items).filter(fits), more: bundles.more || clients.more }
}

/** Tools are offered where some are searched for: a list of all would bury the bundles. */
export async function findWithTools(q: string): Promise<Matches<Choice>> {
  if (q === '') return findChoices(q)
  const [endpoints, tools] = await Promise.all([findChoices(q), findTools(q)])
  const found = tools.items.map(({ client, tool }) => toolChoice(client, tool))
  return { items: [...endpoints.items, ...found], more: endpoints.more || tools.more }
}
