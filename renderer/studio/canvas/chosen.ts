// The selection that a command applies to: the one at the key press, even if the command runs later.
import { useStudio } from '../studio.ts'
import { hold, useHand } from './hand.ts'

export type Chosen = {
  readonly nodes: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
  /** Canvas ids of comments and reroutes. */
  readonly extras: ReadonlySet<string>
}

export function chosenNow(): Chosen {
  const { nodes, edges } = useStudio.getState()
  return { nodes, edges, extras: useHand.getState().extras }
}

/**
 * Called at the key press; the returned function is called when the command runs. A selection made by an earlier gesture
 * counts, as if the command had run at once; a selection made by the user in between does not.
 */
export function meant(): () => Chosen {
  const then = chosenNow()
  const { choices } = useStudio.getState()
  return () => (useStudio.getState().choices === choices ? chosenNow() : then)
}

/** Called at the key press; selects what the gesture created, unless the user selected something else since. */
export function choosing(): (nodes: Iterable<string>, extras?: Iterable<string>) => void {
  const { choices } = useStudio.getState()
  return (nodes, extras = []) => {
    if (useStudio.getState().choices !== choices || isWriting()) return
    useStudio.setState({ nodes: new Set(nodes), edges: new Set() })
    hold({ extras: new Set(extras) })
  }
}

/** Whether the focus is in a text field, which must neither lose it nor be removed. */
export function isWriting(): boolean {
  return document.activeElement?.matches('input, textarea, select, [contenteditable="true"]') === true
}
