// Quick fixes, one after the other: each is applied to the graph that the one before left.
import type { ReviewGraph } from '../graph.ts'
import { applyPatch, PatchError } from '../patch.ts'
import { type LintFinding, lintGraph } from './lint.ts'

const MOST_FIXES = 1000
export type Fixed = { readonly graph: ReviewGraph; readonly fixed: readonly LintFinding[] }

export function fixGraph(given: ReviewGraph, wanted: (rule: string) => boolean): Fixed {
  const fixed: LintFinding[] = []
  const refused = new Set<string>()
  let graph = given
  const next = () =>
    lintGraph(graph).find(({ rule, patch, node }) => patch && wanted(rule) && !refused.has(`${rule} ${node ?? ''}`))
  for (let finding = next(); finding?.patch && fixed.length < MOST_FIXES; finding = next())
    try {
      graph = applyPatch(graph, finding.patch)
      fixed.push(finding)
      // A fix that does not remove its finding is tried once.
      refused.add(`${finding.rule} ${finding.node ?? ''}`)
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
      refused.add(`${finding.rule} ${finding.node ?? ''}`)
    }
  return { graph, fixed }
}
