// The linter: every rule over one graph. The table of rules is the documentation.
import type { ReviewGraph } from '../graph.ts'
import { nameIn } from '../graph.ts'
import { FLOW_RULES } from './flow-rules.ts'
import { NAMING_RULES } from './naming-rules.ts'
import { type Found, type LintRule, ruleOf, SEVERITIES, type Severity } from './rule.ts'
import { SETTING_RULES } from './setting-rules.ts'
import { STRUCTURE_RULES } from './structure-rules.ts'
import { viewOf } from './view.ts'

export const LINT_RULES: readonly LintRule[] = [
  ...STRUCTURE_RULES,
  ...FLOW_RULES,
  ...SETTING_RULES,
  ...NAMING_RULES,
].map(ruleOf)

export type LintFinding = Found & {
  readonly rule: string
  readonly severity: Severity
  /** In the editor; null: of the whole graph. */
  readonly name: string | null
  readonly remedy: string
}

/** Errors first, in the order of the rules. */
export function lintGraph(graph: ReviewGraph, rules: readonly LintRule[] = LINT_RULES): LintFinding[] {
  const view = viewOf(graph)
  const findings = rules.flatMap(({ id, severity, remedy, check }) =>
    check(view).map((found) => ({
      ...found,
      rule: id,
      severity,
      remedy,
      name: found.node === null ? null : nameIn(found.node, graph.nodes.get(found.node)),
    })),
  )
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}

type Shown = Pick<LintFinding, 'severity' | 'rule' | 'node' | 'message' | 'remedy'>
export const lintLine = ({ severity, rule, node, message, remedy }: Shown): string =>
  `${severity} ${node === null ? '' : `${node}: `}${message} (${rule}). ${remedy}`
