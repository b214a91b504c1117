// What a command is meant for: what is chosen when its key is pressed, though its turn comes later.
import { useStudio } from '../studio.ts'
import { hold, useHand } from './hand.ts'

export type Chosen = {
  readonly nodes: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
  /** Comments and reroutes, as the canvas names them. */
  readonly extras: ReadonlySet<string>
}

export function chosenNow(): Chosen {
  const { nodes, edges } = useStudio.getState()
  return { nodes, edges, extras: useHand.getState().extras }
}

/**
 * Taken when a key is pressed, asked when its turn comes. A gesture before it may have chosen what it made: that is meant,
 * as if there had been no waiting. What a hand has chosen meanwhile is not.
 */
export function meant(): () => Chosen {
  const then = chosenNow()
  const { choices } = useStudio.getState()
  return () => (useStudio.getState().choices === choices ? chosenNow() : then)
}

/** Taken when a key is pressed; chooses what its gesture made, unless the person has gone on to something else by then. */
export function choosing(): (nodes: Iterable<string>, extras?: Iterable<string>) => void {
  const { choices } = useStudio.getState()
  return (nodes, extras = []) => {
    if (useStudio.getState().choices !== choices || isWriting()) return
    useStudio.setState({ nodes: new Set(nodes), edges: new Set() })
    hold({ extras: new Set(extras) })
  }
}

/** The focus is where a person writes: nothing may take it away, or what it belongs to. */
export function isWriting(): boolean {
  return document.activeElement?.matches('input, textarea, select, [contenteditable="true"]') === true
}
