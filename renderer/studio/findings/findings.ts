// What the linter finds in a graph, with the problems that lie outside of it: its actor, and the graphs that it embeds. Pure.
import type { PatchStep } from '#pcg-contract'
import { fromDocument, type LintFinding, lintGraph } from '#pcg-review'
import type { Problem } from '../model/problems.ts'
import { lintMessage, lintRemedy } from './lint-words.ts'

type Documents = readonly Parameters<typeof fromDocument>[0][]
export type Finding = Pick<Problem, 'severity' | 'message' | 'node'> & {
  /** The rule of the linter, or the code of a problem outside of the graph. */
  readonly code: string
  readonly remedy: string
  /** Corrects it; only of steps that editors can do. */
  readonly fix: readonly PatchStep[] | null
}

/** The linter judges the others, with the settings. */
const OUTSIDE: ReadonlySet<Problem['code']> = new Set(['INPUT_UNUSED', 'NO_EXTENT', 'NO_COMPONENT', 'NO_GRAPH'])
const SEVERITIES = ['error', 'warning', 'info'] as const

const made = new WeakMap<Documents, readonly LintFinding[]>()
function lintOf(documents: Documents): readonly LintFinding[] {
  const [document] = documents
  const found = made.get(documents) ?? (document ? lintGraph(fromDocument(document).graph) : [])
  made.set(documents, found)
  return found
}

/** No tool of an editor does the others. */
export const canDo = ({ do: what, ...step }: PatchStep): boolean =>
  what !== 'title' && what !== 'remove parameter' && !('title' in step)

const ofProblem = ({ code, severity, message, node }: Problem): Finding => ({
  code,
  severity,
  message,
  node,
  remedy: '',
  fix: null,
})

/** Most severe first. Without documents, which are read a moment later, the problems that show in the graph alone. */
export function findingsOf(problems: readonly Problem[], documents: Documents | undefined): readonly Finding[] {
  if (!documents) return problems.map(ofProblem)
  const linted = lintOf(documents).map(({ rule, severity, message, name, remedy, patch }) => {
    const shown = lintMessage(message)
    return {
      code: rule,
      severity,
      message: name === null ? shown : shown.charAt(0).toUpperCase() + shown.slice(1),
      node: name,
      remedy: lintRemedy(remedy),
      fix: patch?.every(canDo) === true ? patch : null,
    }
  })
  return [...problems.filter(({ code }) => OUTSIDE.has(code)).map(ofProblem), ...linted].toSorted(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  )
}
