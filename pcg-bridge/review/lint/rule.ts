// A rule of the linter is a value: what it finds, how it is corrected, and the patch that does it where one can.
import type { Patch } from '../patch.ts'
import { type LintNode, type LintView, overridden } from './view.ts'

export const SEVERITIES = ['error', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]
export type Found = {
  /** Null: of the whole graph. */
  readonly node: string | null
  readonly message: string
  /** Corrects it without a decision of a person. */
  readonly patch?: Patch
}
export type LintRule = {
  readonly id: string
  readonly severity: Severity
  /** What it finds, for the table of rules. */
  readonly about: string
  readonly remedy: string
  check(view: LintView): readonly Found[]
}
export const found = (node: string | null, message: string, patch?: Patch): Found => ({
  node,
  message,
  ...(patch && { patch }),
})

/** A rule about single nodes. */
export type NodeRule = Omit<LintRule, 'check'> & {
  /** Bare names of classes; without it every node. */
  readonly on?: readonly string[]
  /** Settings that it reads: one that an attribute set drives is decided at run time, and the rule is silent. */
  readonly reads?: readonly string[]
  readonly finds: (node: LintNode, view: LintView) => string | false | undefined
  readonly fix?: (node: LintNode) => Patch | undefined
}
export const set = ({ id }: LintNode, settings: Record<string, unknown>): Patch => [{ do: 'set', node: id, settings }]

export function ruleOf(rule: LintRule | NodeRule): LintRule {
  if ('check' in rule) return rule
  const { on, reads, finds, fix, ...row } = rule
  return {
    ...row,
    check: (view) =>
      (on ? view.of(...on) : [...view.nodes.values()]).flatMap((node) => {
        const message = !(reads && overridden(node, ...reads)) && finds(node, view)
        return message ? [found(node.id, message, fix?.(node))] : []
      }),
  }
}
