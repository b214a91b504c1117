// Cycles through the findings that have a node.
import { useOverlay } from '../canvas/overlay.ts'
import { useStudio } from '../studio.ts'
import type { Finding } from './findings.ts'

/** The next one after the selected node; wraps around. */
export function focusNextFinding(findings: readonly Finding[]): void {
  const places = [...new Set(findings.flatMap(({ node }) => node ?? []))]
  const [chosen] = useStudio.getState().nodes
  const next = places[(chosen === undefined ? -1 : places.indexOf(chosen)) + 1] ?? places[0]
  if (next !== undefined) useOverlay.getState().focus(next)
}
