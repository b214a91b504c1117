// Cycles through the problems that have a node.
import { useOverlay } from '../canvas/overlay.ts'
import type { Problem } from '../model/problems.ts'
import { useStudio } from '../studio.ts'

/** The next one after the selected node; wraps around. */
export function focusNextProblem(problems: readonly Problem[]): void {
  const places = [...new Set(problems.flatMap(({ node }) => node ?? []))]
  const [chosen] = useStudio.getState().nodes
  const next = places[(chosen === undefined ? -1 : places.indexOf(chosen)) + 1] ?? places[0]
  if (next !== undefined) useOverlay.getState().focus(next)
}
