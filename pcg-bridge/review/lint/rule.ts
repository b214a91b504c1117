// A rule of the linter is a value: what it finds, how it is corrected, and the patch that does it where one can.
import type { Patch } from '../patch.ts'
import type { LintView } from './view.ts'

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
